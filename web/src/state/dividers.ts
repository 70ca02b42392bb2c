import type { CompactionReason, ForkData, RewindData, SummaryData, ViewEntry } from "../../../src/protocol/view.ts";
import { formatCount } from "./format.ts";

/** A line across the transcript: from here on something is different. `words` say what; the rest is what it opens to. */
export type Divider = { readonly words: string } & (
  | { readonly kind: "summary" | "handoff"; readonly text: string }
  | { readonly kind: "reset" }
  | { readonly kind: "rewind" }
  /** `conversation` is undefined where the origin is no conversation of this page. */
  | { readonly kind: "fork"; readonly conversation: string | undefined }
);

/** Reads an entry that divides, or undefined when it is another kind. @param text the words of its message. */
export function readDivider(entry: ViewEntry, text: string): Divider | undefined {
  switch (entry.kind) {
    case "core.summary":
      return { kind: "summary", text, words: describeSummary(dataOf<SummaryData>(entry)) };
    case "core.handoff":
      return { kind: "handoff", text, words: "The agent starts afresh here with what was handed over" };
    case "core.reset":
      return { kind: "reset", words: "The agent starts afresh here; it sees nothing from above" };
    case "core.rewind":
      return { kind: "rewind", words: describeRewind(dataOf<RewindData>(entry)) };
    case "core.fork":
      return describeFork(dataOf<ForkData>(entry).from ?? "");
    default:
      return undefined;
  }
}

const REASONS: Readonly<Record<CompactionReason, string>> = {
  threshold: "the model's window was filling up",
  overflow: "they no longer fitted the model",
  manual: "on request",
};

function describeSummary({ reason, tokensBefore, tokensAfter }: Partial<SummaryData>): string {
  const facts = [reason === undefined ? "" : REASONS[reason]];
  if (tokensBefore !== undefined && tokensAfter !== undefined) {
    facts.push(`${formatCount(tokensBefore)} → ${formatCount(tokensAfter)} tokens`);
  }
  const shown = facts.filter((fact) => fact !== "").join(", ");
  return `Older messages were summarised${shown === "" ? "" : ` (${shown})`}. They stay readable above.`;
}

function describeRewind({ to }: Partial<RewindData>): string {
  return to === 0
    ? "Went back to the start; what was there was left behind"
    : "Went back; what followed was left behind";
}

function describeFork(from: string): Divider {
  const origin = from.startsWith("import:") ? "Imported from a file" : "Forked from another conversation";
  return {
    kind: "fork",
    conversation: conversationOf(from),
    words: `${origin}; what stands above was done there`,
  };
}

const WEB_CHANNEL = /^web:([0-9a-f-]{36})$/;

function conversationOf(channel: string): string | undefined {
  return WEB_CHANNEL.exec(channel)?.[1];
}

/** Entries of an older or newer server may lack fields. */
function dataOf<T>(entry: ViewEntry): Partial<T> {
  return (entry.data as Partial<T> | undefined) ?? {};
}

/** So many entries the server gives of what was left behind, the oldest. */
const MAX_LEFT_ENTRIES = 200;

/** How much was left behind. @param entries how many the server gave. */
export function describeLeft(messages: number, entries: number): string {
  if (entries >= MAX_LEFT_ENTRIES) return `The first ${formatCount(messages)} messages that were left behind:`;
  return messages === 1 ? "1 message was left behind." : `${messages} messages were left behind.`;
}
