import type { FileRef } from "../../protocol/message.ts";
import { codeSpan } from "./words.ts";

const UNITS = ["bytes", "KB", "MB"] as const;

/** What is known of a file without opening it. */
export function describeFile({ name, mime, bytes }: FileRef): string {
  return `I see the file ${codeSpan(name)} (${codeSpan(mime)}, ${formatBytes(bytes)}). I cannot look inside; a real model can.`;
}

function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1_000 && unit < UNITS.length - 1) {
    value /= 1_000;
    unit++;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${UNITS[unit]}`;
}
