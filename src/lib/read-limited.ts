import { abortable } from "./abortable.ts";

/** `cut`: there was more than the limit. */
export interface LimitedBytes {
  readonly bytes: Uint8Array;
  readonly cut: boolean;
}

/**
 * Reads a body up to a number of bytes, then stops it.
 * @throws what the stream throws, and on abort.
 */
export async function readLimited(response: Response, maxBytes: number, signal: AbortSignal): Promise<LimitedBytes> {
  if (response.body === null) return { bytes: new Uint8Array(), cut: false };
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
  const chunks: Uint8Array[] = [];
  let total = 0;
  for (;;) {
    const { done, value } = await abortable(reader.read(), signal);
    if (done) return { bytes: join(chunks, total), cut: false };
    const room = maxBytes - total;
    chunks.push(value.subarray(0, room));
    total += Math.min(value.byteLength, room);
    if (value.byteLength > room) break;
  }
  letGo(reader);
  return { bytes: join(chunks, total), cut: true };
}

/**
 * Tells the source of a body that nobody reads on. Nothing waits for it and nothing depends on it: a source may answer
 * late, never, or with a failure.
 */
export function letGo(body: { cancel(): Promise<void> } | null): void {
  body?.cancel().catch(() => undefined);
}

function join(chunks: readonly Uint8Array[], total: number): Uint8Array {
  const bytes = new Uint8Array(total);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes;
}
