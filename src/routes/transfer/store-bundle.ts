import { createHash } from "node:crypto";
import { BundleFault, BundleReader } from "../../objects/transfer/bundle-reader.ts";
import { MAX_BUNDLE_LINE_BYTES } from "../../protocol/bundle.ts";

const LINE_FEED = 10;

/**
 * Stores a bundle as it comes in, and reads it meanwhile. Where it is not good, or not as long as declared, nothing of it
 * stays. The index beside it is written last: what has one is whole.
 * @throws BundleFault
 */
export async function storeBundle(
  bucket: R2Bucket,
  places: { readonly bundle: string; readonly index: string },
  source: AsyncIterable<Uint8Array>,
  length: number,
): Promise<{ readonly sha256: string; readonly through: number }> {
  const pipe = new FixedLengthStream(length);
  const reader = new BundleReader();
  const hash = createHash("sha256");
  const stored = bucket.put(places.bundle, pipe.readable);
  const [read, put] = await Promise.allSettled([pump(source, pipe.writable, { reader, hash, length }), stored]);
  if (read.status === "rejected" || put.status === "rejected") {
    await bucket.delete(places.bundle);
    throw read.status === "rejected" ? read.reason : (put as PromiseRejectedResult).reason;
  }
  await bucket.put(places.index, JSON.stringify(read.value));
  return { sha256: hash.digest("hex"), through: reader.through };
}

interface Sinks {
  readonly reader: BundleReader;
  readonly hash: ReturnType<typeof createHash>;
  readonly length: number;
}

async function pump(
  source: AsyncIterable<Uint8Array>,
  sink: WritableStream<Uint8Array>,
  { reader, hash, length }: Sinks,
) {
  const writer = sink.getWriter();
  try {
    const lines = new LineCutter();
    let total = 0;
    for await (const chunk of source) {
      total += chunk.byteLength;
      if (total > length) throw new BundleFault(lines.count, `there are more than the ${length} bytes declared`);
      for (const line of lines.cut(chunk)) reader.read(line);
      hash.update(chunk);
      await writer.write(chunk);
    }
    for (const line of lines.rest()) reader.read(line);
    if (total < length)
      throw new BundleFault(lines.count, `there are ${total} bytes instead of the ${length} declared`);
    const index = reader.end();
    await writer.close();
    return index;
  } catch (error) {
    await writer.abort(error).catch(() => undefined);
    throw error;
  }
}

/** Cuts bytes into lines, each with its line feed. A line that is too long is not waited for. */
class LineCutter {
  count = 0;
  #begun: Uint8Array[] = [];
  #bytes = 0;

  *cut(chunk: Uint8Array): Generator<Uint8Array> {
    for (let from = 0; from < chunk.byteLength; ) {
      const feed = chunk.indexOf(LINE_FEED, from);
      const to = feed === -1 ? chunk.byteLength : feed + 1;
      this.#begun.push(chunk.slice(from, to));
      this.#bytes += to - from;
      if (this.#bytes > MAX_BUNDLE_LINE_BYTES) {
        throw new BundleFault(this.count + 1, `it has more than ${MAX_BUNDLE_LINE_BYTES} bytes`);
      }
      if (feed !== -1) yield* this.rest();
      from = to;
    }
  }

  /** What stands after the last line feed. */
  *rest(): Generator<Uint8Array> {
    if (this.#bytes === 0) return;
    const line = Buffer.concat(this.#begun);
    this.#begun = [];
    this.#bytes = 0;
    this.count++;
    yield line;
  }
}
