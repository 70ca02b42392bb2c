/** Bytes that are kept of files at once. */
export const MAX_CACHED_BYTES = 8 * 1024 * 1024;

/** The files that models were shown last, in memory. A file never changes; the one that was used longest ago goes first. */
export class FileCache {
  readonly #files = new Map<string, Uint8Array>();
  #bytes = 0;

  /** The bytes of a file, loaded unless they are kept. */
  async read(id: string, load: () => Promise<Uint8Array>): Promise<Uint8Array> {
    const bytes = this.#files.get(id) ?? (await load());
    this.#forget(id);
    if (bytes.byteLength > MAX_CACHED_BYTES) return bytes;
    for (const oldest of this.#files.keys()) {
      if (this.#bytes + bytes.byteLength <= MAX_CACHED_BYTES) break;
      this.#forget(oldest);
    }
    this.#files.set(id, bytes);
    this.#bytes += bytes.byteLength;
    return bytes;
  }

  #forget(id: string): void {
    this.#bytes -= this.#files.get(id)?.byteLength ?? 0;
    this.#files.delete(id);
  }
}
