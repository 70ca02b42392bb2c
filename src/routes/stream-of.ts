/** A stream that takes the next piece when its reader wants it, and breaks off when a piece fails. */
export function streamOf(text: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const piece = await text.next();
      if (piece.done === true) controller.close();
      else controller.enqueue(encoder.encode(piece.value));
    },
    async cancel() {
      await text.return(undefined);
    },
  });
}
