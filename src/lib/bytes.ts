const encoder = new TextEncoder();

/** Length of a text in UTF-8 bytes. */
export function utf8Bytes(text: string): number {
  return encoder.encode(text).byteLength;
}

/** The longest prefix of a text that fits into `max` UTF-8 bytes, cut between code points. */
export function cutBytes(text: string, max: number): string {
  const bytes = encoder.encode(text);
  if (bytes.byteLength <= max) return text;
  let end = max;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  // A leading byte order mark is text like any other: without the option decoders swallow it.
  return new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(bytes.subarray(0, end));
}
