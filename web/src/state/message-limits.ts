import { MAX_FRAME_BYTES } from "../../../src/protocol/limits.ts";
import { formatBytes, formatCount } from "./format.ts";

export interface MessageLimits {
  readonly textUnits: number;
  readonly filesPerMessage: number;
  readonly fileBytes: number;
}

/** How much of a text's limit must be used before the page counts aloud. */
const COUNT_FROM = 0.9;

/** Why a message cannot go out as it is, in words with the limit, or undefined when it can. */
export function findMessageFault(text: string, files: readonly string[], limits: MessageLimits): string | undefined {
  if (text.length > limits.textUnits) {
    return `This message has ${formatCount(text.length)} characters; ${formatCount(limits.textUnits)} fit. Shorten it or attach it as a file.`;
  }
  const frame = JSON.stringify({ type: "send", id: "x".repeat(36), text, attachments: files });
  const bytes = new TextEncoder().encode(frame).length;
  if (bytes > MAX_FRAME_BYTES) {
    return `This message takes ${formatBytes(bytes)}; ${formatBytes(MAX_FRAME_BYTES)} fit. Shorten it or attach it as a file.`;
  }
  return undefined;
}

/** "31,200 / 32,000" once a text comes near its limit. */
export function describeCount(length: number, limit: number): string | undefined {
  return length >= limit * COUNT_FROM ? `${formatCount(length)} / ${formatCount(limit)}` : undefined;
}

export interface Picked {
  readonly name: string;
  readonly size: number;
}

/** Splits picked files into those that fit and a sentence for each that does not. */
export function admitFiles<T extends Picked>(
  picked: readonly T[],
  attached: number,
  limits: MessageLimits,
): { readonly taken: readonly T[]; readonly refused: readonly string[] } {
  const taken: T[] = [];
  const refused: string[] = [];
  for (const file of picked) {
    if (file.size > limits.fileBytes) {
      refused.push(`${file.name} has ${formatBytes(file.size)}; a file may have ${formatBytes(limits.fileBytes)}.`);
    } else if (attached + taken.length >= limits.filesPerMessage) {
      refused.push(`${file.name} was left out: a message carries ${limits.filesPerMessage} files.`);
    } else {
      taken.push(file);
    }
  }
  return { taken, refused };
}
