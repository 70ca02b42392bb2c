import type { Body } from "./guard.ts";

/** The body of a `Response`, to be read chunk by chunk and cancelled when the reader stops early. */
export function bodyOf(response: Response): Body {
  return { contentType: response.headers.get("content-type"), chunks: readChunks(response.body) };
}

/** A byte stream as an iterator whose `return` cancels it. */
export function readChunks(stream: ReadableStream<Uint8Array> | null): AsyncIterator<Uint8Array> {
  const reader = stream?.getReader();
  return {
    async next() {
      const read = await reader?.read();
      return read === undefined || read.done ? { done: true, value: undefined } : { done: false, value: read.value };
    },
    async return() {
      await reader?.cancel();
      return { done: true, value: undefined };
    },
  };
}
