/** Kinds of image that a browser may show by itself. Everything else is downloaded. */
const SHOWN = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;
export type ShownImage = (typeof SHOWN)[number];

/** Bytes from the start of a file that decide its kind. */
export const HEAD_BYTES = 12;
const UNKNOWN = "application/octet-stream";
const PLAIN_MEDIA_TYPE = /^[a-z]+\/[a-z0-9][a-z0-9.+-]{0,98}$/;

/** What the first bytes of a file say that it is. */
function sniffImage(head: Uint8Array): ShownImage | undefined {
  const text = String.fromCharCode(...head.subarray(0, HEAD_BYTES));
  if (text.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (text.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (text.startsWith("GIF87a") || text.startsWith("GIF89a")) return "image/gif";
  if (text.startsWith("RIFF") && text.slice(8, 12) === "WEBP") return "image/webp";
  return undefined;
}

/**
 * The type under which a file is kept. The bytes decide about the four image kinds; for the rest the uploader's word
 * stands when it is a plain media type, because it only helps a reader guess.
 */
export function decideMime(head: Uint8Array, declared: string | null): string {
  const image = sniffImage(head);
  if (image !== undefined) return image;
  const [type] = (declared ?? "").toLowerCase().split(";");
  const media = (type ?? "").trim();
  return PLAIN_MEDIA_TYPE.test(media) && !isShown(media) ? media : UNKNOWN;
}

export function isShown(mime: string): mime is ShownImage {
  return (SHOWN as readonly string[]).includes(mime);
}

/** The type under which a file is served: never one that a browser would run. */
export function servedType(mime: string): string {
  if (isShown(mime)) return mime;
  return mime === "text/plain" ? "text/plain; charset=utf-8" : UNKNOWN;
}
