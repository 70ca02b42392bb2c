/** Files whose digest is kept. */
const MAX_KEPT = 64;

/** The store of files cannot be reached. Trying again may help. */
export class FileStoreFailure extends Error {
  override readonly name = "FileStoreFailure";
}

/** A stored file's size and the hex SHA-256 of its bytes. */
export interface FileDigest {
  readonly bytes: number;
  readonly sha256: string;
}

/** Digests of stored files. Each asks R2 what lies there now; the bytes are read again only when they are other ones. */
export class FileDigests {
  readonly #bucket: Pick<R2Bucket, "get" | "head">;
  /** By place: the version of the object that was hashed. */
  readonly #known = new Map<string, FileDigest & { readonly version: string }>();

  constructor(bucket: Pick<R2Bucket, "get" | "head">) {
    this.#bucket = bucket;
  }

  /** @throws FileStoreFailure */
  async of(place: string, maxBytes: number): Promise<FileDigest | "missing" | "too_large"> {
    try {
      return await this.#read(place, maxBytes);
    } catch (error) {
      throw new FileStoreFailure(String(error), { cause: error });
    }
  }

  async #read(place: string, maxBytes: number): Promise<FileDigest | "missing" | "too_large"> {
    const standing = await this.#bucket.head(place);
    if (!standing) return "missing";
    if (standing.size > maxBytes) return "too_large";
    const known = this.#known.get(place);
    if (known?.version === standing.version) return { bytes: known.bytes, sha256: known.sha256 };
    const stored = await this.#bucket.get(place);
    if (!stored) return "missing";
    // Another one may lie there since it was looked at.
    if (stored.size > maxBytes) {
      await stored.body.cancel();
      return "too_large";
    }
    const digest = { bytes: stored.size, sha256: await hashStream(stored.body) };
    if (this.#known.size >= MAX_KEPT) this.#known.clear();
    this.#known.set(place, { ...digest, version: stored.version });
    return digest;
  }
}

async function hashStream(stream: ReadableStream): Promise<string> {
  const hash = new crypto.DigestStream("SHA-256");
  const [, digest] = await Promise.all([stream.pipeTo(hash), hash.digest]);
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
