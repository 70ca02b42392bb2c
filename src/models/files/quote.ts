import type { FileRef } from "../../protocol/message.ts";

/** Bytes of a text file that a model is shown. */
export const MAX_QUOTED_BYTES = 64 * 1024;

/** Control, zero-width and direction characters: in a name they only serve to deceive. */
// biome-ignore format: one range a line reads worse
const DECEPTIVE = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;
const PLAIN_MIME = /^[a-z0-9][a-z0-9.+-]*\/[a-z0-9][a-z0-9.+-]*$/i;

/** Whether a file's declared type says that it can be shown as quoted text. */
export function isTextMime(mime: string): boolean {
  const type = bareMime(mime);
  return type.startsWith("text/") || type === "application/json";
}

/** The type without parameters, lower case. */
export function bareMime(mime: string): string {
  return (mime.split(";")[0] ?? "").trim().toLowerCase();
}

/** One line that names a file which the model is not shown, and why. */
export function describeFile(file: FileRef, why: string): string {
  return `[${nameFile(file)} is attached; ${why}]`;
}

/**
 * A text file in a fence that its own text cannot close, cut at {@link MAX_QUOTED_BYTES} with the cut stated. A file
 * that only claims to be text is described instead.
 */
export function quoteText(file: FileRef, bytes: Uint8Array): string {
  const cut = bytes.length > MAX_QUOTED_BYTES;
  const text = new TextDecoder().decode(bytes.subarray(0, MAX_QUOTED_BYTES), { stream: cut });
  if (text.includes("\0")) return describeFile(file, "it is not text, so its contents are not shown.");
  const longestRun = (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = "`".repeat(longestRun + 1);
  const note = cut ? `, cut: the first ${MAX_QUOTED_BYTES} of ${bytes.length} bytes` : "";
  return `${nameFile(file)}${note}:\n${fence}\n${text}${text.endsWith("\n") ? "" : "\n"}${fence}`;
}

/** Name and type are the words of whoever uploaded the file: quoted, escaped, without deceptive characters. */
function nameFile({ name, mime, bytes }: FileRef): string {
  const type = PLAIN_MIME.test(bareMime(mime)) ? bareMime(mime) : "unknown type";
  return `File ${JSON.stringify(name.replace(DECEPTIVE, "").toWellFormed())} (${type}, ${bytes} bytes)`;
}
