import type { FileRef, Message } from "../../protocol/message.ts";
import { type ImageMime, readImageInfo } from "./image-info.ts";
import { bareMime, describeFile, isTextMime, quoteText } from "./quote.ts";

/** What a model is given for a file. */
export type FileContent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly mime: ImageMime; readonly base64: string };

/** Contents by file id. */
export type FileContents = ReadonlyMap<string, FileContent>;

/** Reads a stored file whole. A throw means that it cannot be read; the model is told so. */
export type LoadFile = (file: FileRef) => Promise<Uint8Array>;

/** Files of one request that are read; older ones are only named. Each costs a read of the store on every step. */
export const MAX_LOADED_FILES = 20;
/** Bytes of one image: above this, Anthropic refuses the request (5 MiB of base64). */
export const MAX_IMAGE_BYTES = 3_932_160;
/** Bytes of all images of one request, so that neither memory nor the vendors' request limits are reached. */
export const MAX_ALL_IMAGE_BYTES = 12 * 1024 * 1024;
/** Pixels of an image's longer side: above this, vendors refuse the request. */
const MAX_IMAGE_SIDE = 8_000;

const IMAGE_TYPES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
const READS_AT_ONCE = 4;

/**
 * Resolves every file of a history to what the model is given: an image, quoted text or one line. The newest files come
 * first where a limit leaves some out. Never throws.
 */
export async function loadFiles(
  messages: readonly Message[],
  takesImages: boolean,
  loadFile: LoadFile,
): Promise<FileContents> {
  const contents = new Map<string, FileContent>();
  const wanted: FileRef[] = [];
  let imageBytes = 0;
  for (const file of newestFirst(messages)) {
    const isImage = IMAGE_TYPES.has(bareMime(file.mime));
    const why = whyNot(file, isImage, takesImages, imageBytes, wanted.length);
    if (why !== undefined) contents.set(file.id, line(file, why));
    else {
      wanted.push(file);
      if (isImage) imageBytes += file.bytes;
    }
  }
  for (let i = 0; i < wanted.length; i += READS_AT_ONCE) {
    const batch = wanted.slice(i, i + READS_AT_ONCE);
    const read = await Promise.all(batch.map((file) => readFile(file, loadFile)));
    for (const [index, content] of read.entries()) contents.set(batch[index]?.id ?? "", content);
  }
  return contents;
}

function newestFirst(messages: readonly Message[]): FileRef[] {
  const files = new Map<string, FileRef>();
  for (const message of messages.toReversed()) {
    if (message.role !== "user" && message.role !== "tool") continue;
    for (const part of message.content.toReversed()) {
      if (part.type === "file" && !files.has(part.file.id)) files.set(part.file.id, part.file);
    }
  }
  return [...files.values()];
}

function whyNot(
  file: FileRef,
  isImage: boolean,
  takesImages: boolean,
  imageBytes: number,
  wanted: number,
): string | undefined {
  if (isImage && !takesImages) return "this model takes no images, so it is not shown.";
  if (!isImage && !isTextMime(file.mime)) return "its contents are not shown.";
  if (wanted >= MAX_LOADED_FILES) return `only the newest ${MAX_LOADED_FILES} files are shown.`;
  if (isImage && file.bytes > MAX_IMAGE_BYTES) return `images above ${MAX_IMAGE_BYTES} bytes are not shown.`;
  if (isImage && imageBytes + file.bytes > MAX_ALL_IMAGE_BYTES) return "only newer images are shown.";
  return undefined;
}

async function readFile(file: FileRef, loadFile: LoadFile): Promise<FileContent> {
  let bytes: Uint8Array;
  try {
    bytes = await loadFile(file);
  } catch {
    return line(file, "it could not be read.");
  }
  if (isTextMime(file.mime)) return { type: "text", text: quoteText(file, bytes) };
  const info = readImageInfo(bytes);
  if (info === undefined) return line(file, "it is not a readable image.");
  if (bytes.length > MAX_IMAGE_BYTES) return line(file, `images above ${MAX_IMAGE_BYTES} bytes are not shown.`);
  const side = Math.max(info.width, info.height);
  if (side > MAX_IMAGE_SIDE || side === 0) {
    return line(file, `an image of ${info.width} × ${info.height} pixels cannot be shown.`);
  }
  return { type: "image", mime: info.mime, base64: toBase64(bytes) };
}

function line(file: FileRef, why: string): FileContent {
  return { type: "text", text: describeFile(file, why) };
}

function toBase64(bytes: Uint8Array): string {
  const pieces: string[] = [];
  for (let i = 0; i < bytes.length; i += 0x8000) pieces.push(String.fromCharCode(...bytes.subarray(i, i + 0x8000)));
  return btoa(pieces.join(""));
}
