import { cutBytes, utf8Bytes } from "../../lib/bytes.ts";
import { cutText } from "../../lib/cut.ts";
import type { AssistantPart, UserPart } from "../../protocol/message.ts";
import type { ToolResultData } from "../../protocol/view.ts";
import { isDisplayOnly, openingOf } from "../context/derive.ts";
import { saidIn } from "../context/said.ts";
import type { Entry } from "../storage/entries.ts";

/** UTF-16 units of a call's arguments and of its result that a summariser reads. */
const MAX_ARGS_UNITS = 1_000;
const MAX_RESULT_UNITS = 2_000;

/** Entries as plain text for a summariser: who said what, calls and results shortened with a statement. Pure. */
export function writeTranscript(entries: readonly Entry[]): string {
  const opening = openingOf(entries);
  const first = opening ? [`Summary of what came before:\n${wordsOf(opening)}`] : [];
  return [...first, ...entries.flatMap((entry) => sectionsOf(entry))].join("\n\n");
}

function sectionsOf(entry: Entry): readonly string[] {
  const { head } = entry;
  const message = saidIn(entry);
  if (!message || head !== undefined || isDisplayOnly(entry)) return [];
  switch (message.role) {
    case "system":
      return [];
    case "user":
      return [`User:\n${message.content.map(userWords).join("\n")}`];
    case "assistant":
      return message.content.flatMap(assistantWords);
    case "tool": {
      const { outcome } = entry.data as unknown as ToolResultData;
      const text = shorten(message.content.map(userWords).join("\n"), MAX_RESULT_UNITS);
      return [`Result of ${message.name} (${outcome}):\n${text}`];
    }
  }
}

function wordsOf({ message }: Entry): string {
  return message?.role === "user" ? message.content.map(userWords).join("\n") : "";
}

function assistantWords(part: AssistantPart): readonly string[] {
  switch (part.type) {
    case "text":
      return part.text === "" ? [] : [`Assistant:\n${part.text}`];
    case "thinking":
      return [];
    case "call":
      return [`Assistant called ${part.name}:\n${shorten(part.args, MAX_ARGS_UNITS)}`];
  }
}

function userWords(part: UserPart): string {
  if (part.type === "text") return part.text;
  const { id, name, mime, bytes } = part.file;
  return `[file ${name}, id ${id}, ${mime}, ${bytes} bytes]`;
}

function shorten(text: string, max: number): string {
  if (text.length <= max) return text;
  return `${cutText(text, max)}\n[Shortened: ${max} of ${text.length} characters are shown.]`;
}

/** The part of a text from `from` on that fits, ended at a line where one is near. Never empty while text is left. */
export function takePart(text: string, from: number, maxBytes: number): string {
  const rest = cutText(text.slice(from, from + maxBytes + 1), maxBytes);
  const part = cutBytes(rest, maxBytes) || text.slice(from, from + 2);
  if (from + part.length >= text.length) return part;
  const line = part.lastIndexOf("\n");
  return line > part.length / 2 ? part.slice(0, line + 1) : part;
}

/** How many parts a text is taken in from `from` on; more than `max` are not counted. */
export function countParts(text: string, from: number, maxBytes: number, max: number): number {
  if (utf8Bytes(text.slice(from)) <= maxBytes) return 1;
  let count = 0;
  for (let at = from; at < text.length && count <= max; count++) at += takePart(text, at, maxBytes).length;
  return count;
}
