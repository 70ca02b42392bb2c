import type { ModelRequest } from "../../kernel/ports/model.ts";
import { cutText } from "../../lib/cut.ts";
import { textOf } from "./history.ts";

/** Messages that a summary tells of, newest, and UTF-16 units of each. */
const MAX_TOLD = 20;
const MAX_TOLD_UNITS = 120;

const TRANSCRIPT = /<transcript>\n(.*)\n<\/transcript>/s;
/** What was summarised before: of the parts before this one, or where the conversation was summarised already. */
const BEFORE =
  /<summary-so-far>\n(.*)\n<\/summary-so-far>|^Summary of what came before:\n(.*?)(?:\n\n(?:User|Assistant)\b|$)/s;
/** The line that follows whose words they are. */
const SAID = /^User:\n(.+)$/gm;
const TOLD = /^- (.+)$/gm;

/** The summary that a request asks for: what people said, in a line each. Undefined: it asks for something else. */
export function summaryAskedFor({ messages, tools }: ModelRequest): string | undefined {
  const [asked] = messages;
  if (tools.length > 0 || messages.length !== 1 || asked?.role !== "user") return undefined;
  const text = textOf(asked);
  const transcript = TRANSCRIPT.exec(text)?.[1];
  if (transcript === undefined) return undefined;
  const [, soFar, earlier] = BEFORE.exec(text.startsWith("<summary-so-far>") ? text : transcript) ?? [];
  const before = matches(TOLD, soFar ?? earlier ?? "");
  const told = [...before, ...matches(SAID, transcript)].slice(-MAX_TOLD);
  if (told.length === 0) return "People said nothing that could be told in a line.";
  return ["People said, oldest first:", ...told.map((line) => `- ${cutText(line, MAX_TOLD_UNITS)}`)].join("\n");
}

function matches(pattern: RegExp, text: string): string[] {
  return [...text.matchAll(pattern)].map((match) => (match[1] ?? "").trim());
}
