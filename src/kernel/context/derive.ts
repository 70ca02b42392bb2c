import type { AssistantMessage, Message, ToolMessage } from "../../protocol/message.ts";
import type { AssistantEntryData, ToolResultData } from "../../protocol/view.ts";
import type { ToolSpec } from "../ports/model.ts";
import type { Entry } from "../storage/entries.ts";
import { pinnedMessage } from "./pinned.ts";
import { saidIn } from "./said.ts";

const MISSING_RESULT = "No result was recorded for this call. Its outcome is unknown.";
const MISSING_START = "(Earlier messages are not part of this conversation any more.)";

/**
 * The messages of a request, from transcript entries in stored order. Valid for every vendor whatever the history looks
 * like: each call is followed by exactly one result, in call order; results without a call, display-only answers and
 * empty messages are left out; call ids are unique; the first message is a user's. System entries are not part of it.
 * What began the transcript anew (a summary, say) comes first, then what is pinned of before it, then the rest. Stored
 * entries are never changed by this.
 */
export function deriveMessages(entries: readonly Entry[], pinned: readonly Entry[] = []): Message[] {
  const results = collectResults(entries);
  const usedIds = new Set<string>();
  const opening = openingOf(entries);
  const messages: Message[] = opening?.message ? [opening.message] : [];
  const pins = pinnedMessage(pinned);
  if (pins) messages.push(pins);
  for (const entry of entries) {
    if (entry.head !== undefined) continue;
    const message = saidIn(entry);
    if (!message || message.role === "system" || message.role === "tool" || isDisplayOnly(entry)) continue;
    if (message.role === "user") {
      if (message.content.some((part) => part.type === "file" || part.text !== "")) messages.push(message);
      continue;
    }
    const assistant = withUniqueIds(withoutEmptyParts(message), usedIds);
    if (assistant.content.length === 0) continue;
    messages.push(assistant, ...resultsOf(entry.id, assistant, results));
  }
  if (messages.length > 0 && messages[0]?.role !== "user") {
    messages.unshift({ role: "user", content: [{ type: "text", text: MISSING_START }] });
  }
  return messages;
}

/** What every request from here on is told first: the newest system prompt among the entries, and the tools. */
export interface Baseline {
  readonly system: string;
  readonly tools: readonly ToolSpec[];
}

export function deriveBaseline(entries: readonly Entry[]): Baseline {
  return baselineOf(entries.findLast((entry) => entry.message?.role === "system"));
}

/** The baseline that a system entry states; nothing without one. */
export function baselineOf(entry: Entry | undefined): Baseline {
  return { system: entry?.message?.role === "system" ? entry.message.text : "", tools: entry?.tools ?? [] };
}

/** What the active transcript begins with, as models read it: the newest summary or hand-over. */
export function openingOf(entries: readonly Entry[]): Entry | undefined {
  return entries.findLast((entry) => entry.head !== undefined && entry.message !== undefined);
}

/** True for an answer that is shown to people and never sent. */
export function isDisplayOnly(entry: Entry): boolean {
  return (entry.data as Partial<AssistantEntryData> | undefined)?.display !== undefined;
}

/** First stored result of each call, by the entry and index that it names. */
function collectResults(entries: readonly Entry[]): ReadonlyMap<string, ToolMessage> {
  const results = new Map<string, ToolMessage>();
  for (const entry of entries) {
    if (entry.message?.role !== "tool") continue;
    const data = entry.data as Partial<ToolResultData> | undefined;
    const key = `${data?.entry}:${data?.index}`;
    if (!results.has(key)) results.set(key, entry.message);
  }
  return results;
}

function resultsOf(
  entryId: number,
  assistant: AssistantMessage,
  results: ReadonlyMap<string, ToolMessage>,
): ToolMessage[] {
  const calls = assistant.content.filter((part) => part.type === "call");
  return calls.map((call, index) => {
    const found = results.get(`${entryId}:${index}`);
    const content =
      found && found.content.length > 0 ? found.content : [{ type: "text", text: MISSING_RESULT } as const];
    return { role: "tool", callId: call.id, name: call.name, content, isError: found?.isError ?? true };
  });
}

function withoutEmptyParts(message: AssistantMessage): AssistantMessage {
  const content = message.content.filter((part) => part.type === "call" || part.text !== "");
  const speaks = content.some((part) => part.type !== "thinking");
  return { ...message, content: speaks ? content : [] };
}

/** A vendor's call id is unique in its own message at best; a request needs them unique throughout. */
function withUniqueIds(message: AssistantMessage, used: Set<string>): AssistantMessage {
  let renamed = false;
  const content = message.content.map((part) => {
    if (part.type !== "call") return part;
    const id = freeId(part.id, used);
    used.add(id);
    if (id === part.id) return part;
    renamed = true;
    return { ...part, id };
  });
  if (!renamed) return message;
  const { native: _namesTheOldIds, ...rest } = message;
  return { ...rest, content };
}

function freeId(id: string, used: ReadonlySet<string>): string {
  const base = id === "" ? "call" : id;
  let candidate = base;
  for (let n = 2; used.has(candidate); n++) candidate = `${base}_${n}`;
  return candidate;
}
