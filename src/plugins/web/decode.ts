/** Bytes of a page in which its own declaration of a character set is looked for. */
const DECLARATION_BYTES = 1_024;

/**
 * A body as text, in the character set that the header names, else the one that the page itself declares, else UTF-8.
 * A byte order mark wins over all of them. A sequence that was cut at the end is dropped.
 */
export function decodeText(bytes: Uint8Array, contentType: string): string {
  const label = readMark(bytes) ?? readParameter(contentType) ?? readDeclaration(bytes) ?? "utf-8";
  // Streaming mode keeps an unfinished sequence back instead of showing it as damage.
  return decoderFor(label).decode(bytes, { stream: true });
}

function readMark(bytes: Uint8Array): string | undefined {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  return first === 0xff && second === 0xfe ? "utf-16le" : undefined;
}

function readParameter(contentType: string): string | undefined {
  return /;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(contentType)?.[1];
}

function readDeclaration(bytes: Uint8Array): string | undefined {
  const head = String.fromCharCode(...bytes.subarray(0, DECLARATION_BYTES));
  const declared =
    /^<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]+)/.exec(head) ??
    /<meta[^>]{0,300}?charset\s*=\s*["']?([\w.:-]+)/i.exec(head);
  // A declaration that can be read as ASCII is not in UTF-16.
  return declared?.[1]?.toLowerCase().startsWith("utf-16") ? "utf-8" : declared?.[1];
}

function decoderFor(label: string): TextDecoder {
  try {
    return new TextDecoder(label);
  } catch (error) {
    // The runtime does not know the set: UTF-8 shows at least what is ASCII.
    if (error instanceof RangeError) return new TextDecoder();
    throw error;
  }
}
