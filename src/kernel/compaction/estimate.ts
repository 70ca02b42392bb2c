import { utf8Bytes } from "../../lib/bytes.ts";
import type { Message, Usage } from "../../protocol/message.ts";
import type { AssistantEntryData } from "../../protocol/view.ts";
import { isDisplayOnly, openingOf } from "../context/derive.ts";
import { saidIn } from "../context/said.ts";
import type { ToolSpec } from "../ports/model.ts";
import type { Entry } from "../storage/entries.ts";

/** Bytes of a token, roughly: less in English prose, more in code and digits. */
export const BYTES_PER_TOKEN = 4;
/** What a vendor adds around each message or part. */
const FRAME_TOKENS = 4;
/** A picture or document, whatever its size. */
const FILE_TOKENS = 1_500;

export function textTokens(text: string): number {
  return Math.ceil(utf8Bytes(text) / BYTES_PER_TOKEN);
}

/** What a request costs beside its messages. */
export interface PromptSize {
  readonly system: string;
  readonly volatile: string;
  readonly tools: readonly ToolSpec[];
}

/** Tokens of an entry in a request; 0 for what is never sent. `opening` is the entry that the transcript begins with. */
export function entryTokens(entry: Entry, opening: Entry | undefined): number {
  const message = saidIn(entry);
  if (!message || message.role === "system" || isDisplayOnly(entry)) return 0;
  if (entry.head !== undefined && entry !== opening) return 0;
  return messageTokens(message);
}

/**
 * Tokens of the next request: what the vendor counted for the last answer of this active transcript, and an estimate of what
 * came after it; before there is such an answer, an estimate of everything.
 * @param pinned words that the request carries from outside of the entries.
 */
export function contextTokensOf(entries: readonly Entry[], prompt: PromptSize, pinned: string): number {
  const opening = openingOf(entries);
  const begins = opening?.id ?? 0;
  const counted = entries.findLastIndex((entry) => usageOf(entry, begins) !== undefined);
  const last = entries[counted];
  const usage = last && usageOf(last, begins);
  const after = entries.slice(counted + 1).reduce((sum, entry) => sum + entryTokens(entry, opening), 0);
  if (usage) return after + usage.input + usage.cachedRead + usage.cachedWrite + usage.output;
  const { system, volatile, tools } = prompt;
  return after + textTokens(system + volatile + pinned) + textTokens(JSON.stringify(tools));
}

/** What the vendor counted for an answer, when its request was made since the transcript last began anew. */
function usageOf(entry: Entry, begins: number): Usage | undefined {
  if (entry.message?.role !== "assistant" || isDisplayOnly(entry)) return undefined;
  const cutoff = entry.request?.cutoff;
  if (entry.inherited || cutoff === undefined || cutoff < begins) return undefined;
  const { usage } = entry.data as unknown as AssistantEntryData;
  return usage.input + usage.cachedRead + usage.cachedWrite > 0 ? usage : undefined;
}

/** Tokens of a message in a request. */
export function messageTokens(message: Message): number {
  if (message.role === "system") return textTokens(message.text);
  return message.content.reduce((sum, part) => {
    if (part.type === "file") return sum + FILE_TOKENS;
    const text = part.type === "call" ? part.name + part.args : part.text;
    return sum + FRAME_TOKENS + textTokens(text);
  }, FRAME_TOKENS);
}
