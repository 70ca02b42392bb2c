/** The image formats that every vendor takes. */
export type ImageMime = "image/png" | "image/jpeg" | "image/gif" | "image/webp";

export interface ImageInfo {
  readonly mime: ImageMime;
  readonly width: number;
  readonly height: number;
}

/**
 * Reads format and size from an image's first bytes, or undefined when they are no image of these formats. The declared
 * type is the uploader's word: a file that only claims to be an image would make vendors refuse the whole history.
 */
export function readImageInfo(bytes: Uint8Array): ImageInfo | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return readPng(bytes, view) ?? readGif(bytes, view) ?? readWebp(bytes, view) ?? readJpeg(view);
}

function startsWith(bytes: Uint8Array, text: string, at = 0): boolean {
  if (bytes.length < at + text.length) return false;
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text.charCodeAt(i)) return false;
  return true;
}

function readPng(bytes: Uint8Array, view: DataView): ImageInfo | undefined {
  if (!startsWith(bytes, "\x89PNG\r\n\x1a\n") || bytes.length < 24) return undefined;
  return { mime: "image/png", width: view.getUint32(16), height: view.getUint32(20) };
}

function readGif(bytes: Uint8Array, view: DataView): ImageInfo | undefined {
  if (!(startsWith(bytes, "GIF87a") || startsWith(bytes, "GIF89a")) || bytes.length < 10) return undefined;
  return { mime: "image/gif", width: view.getUint16(6, true), height: view.getUint16(8, true) };
}

function readWebp(bytes: Uint8Array, view: DataView): ImageInfo | undefined {
  if (!startsWith(bytes, "RIFF") || !startsWith(bytes, "WEBP", 8) || bytes.length < 30) return undefined;
  const size = (width: number, height: number): ImageInfo => ({ mime: "image/webp", width, height });
  if (startsWith(bytes, "VP8 ", 12)) return size(view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff);
  if (startsWith(bytes, "VP8L", 12)) {
    const bits = view.getUint32(21, true);
    return size((bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1);
  }
  if (startsWith(bytes, "VP8X", 12)) {
    return size((view.getUint32(24, true) & 0xffffff) + 1, (view.getUint32(26, true) >>> 8) + 1);
  }
  return undefined;
}

/** JPEG has no fixed place for its size: walk the segments to the frame header (SOF, any but the tables C4, C8, CC). */
function readJpeg(view: DataView): ImageInfo | undefined {
  if (view.byteLength < 4 || view.getUint16(0) !== 0xffd8) return undefined;
  let at = 2;
  while (at + 9 <= view.byteLength) {
    if (view.getUint8(at) !== 0xff) return undefined;
    const marker = view.getUint8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { mime: "image/jpeg", height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    // A filler byte, or a marker without a length.
    const bare = marker === 0xff || marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7);
    at += marker === 0xff ? 1 : bare ? 2 : 2 + view.getUint16(at + 2);
  }
  return undefined;
}
