import { deleteUnder } from "../../objects/files/stored-files.ts";
import { Refuse } from "../refusal.ts";

/** Where a file of a web conversation lies in R2. */
export function fileKey(conversationId: string, fileId: string): string {
  return `files/${conversationId}/${fileId}`;
}

/** The start of a stream, and the whole of it as a stream again. */
export interface Peeked {
  readonly head: Uint8Array;
  readonly whole: AsyncIterable<Uint8Array>;
  /** Tells the sender that no more is wanted. */
  cancel(): Promise<void>;
}

/** Reads at least `bytes` bytes of a stream, or all of a shorter one. */
export async function peek(stream: ReadableStream<Uint8Array>, bytes: number): Promise<Peeked> {
  const reader = stream.getReader();
  const read: Uint8Array[] = [];
  let length = 0;
  let ended = false;
  while (length < bytes && !ended) {
    const { done, value } = await reader.read();
    ended = done;
    if (value === undefined) continue;
    read.push(value);
    length += value.byteLength;
  }
  const head = Uint8Array.from(read.flatMap((chunk) => [...chunk.subarray(0, bytes)])).subarray(0, bytes);
  return { head, whole: replay(read, reader), cancel: () => reader.cancel() };
}

async function* replay(
  read: readonly Uint8Array[],
  reader: ReadableStreamDefaultReader<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* read;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

/**
 * Stores exactly `bytes` bytes under a key. A stream that is longer is cut there and then; longer or shorter, nothing
 * stays stored.
 * @throws Refuse when the length was not as declared.
 */
export async function storeFile(
  bucket: R2Bucket,
  key: string,
  source: AsyncIterable<Uint8Array>,
  facts: { readonly bytes: number; readonly mime: string },
): Promise<void> {
  // R2 takes a stream only when it knows the length beforehand.
  const pipe = new FixedLengthStream(facts.bytes);
  const stored = bucket.put(key, pipe.readable, { httpMetadata: { contentType: facts.mime } });
  const [pumped, put] = await Promise.allSettled([pump(source, pipe.writable, facts.bytes), stored]);
  if (pumped.status === "rejected") throw pumped.reason;
  if (put.status === "rejected") throw put.reason;
}

async function pump(source: AsyncIterable<Uint8Array>, sink: WritableStream<Uint8Array>, bytes: number): Promise<void> {
  const writer = sink.getWriter();
  try {
    let length = 0;
    for await (const chunk of source) {
      length += chunk.byteLength;
      if (length > bytes) throw wrongLength(bytes);
      await writer.write(chunk);
    }
    if (length < bytes) throw wrongLength(bytes);
    await writer.close();
  } catch (error) {
    await writer.abort(error).catch(() => undefined);
    throw error;
  }
}

function wrongLength(bytes: number): Refuse {
  return new Refuse({
    code: "bad_request",
    message: `The file was declared with ${bytes} bytes but has another length; nothing was stored. Upload it again.`,
  });
}

/** Deletes every file of a conversation. Repeating it is harmless. */
export async function deleteFiles(bucket: Pick<R2Bucket, "list" | "delete">, conversationId: string): Promise<void> {
  await deleteUnder(bucket, fileKey(conversationId, ""));
}
