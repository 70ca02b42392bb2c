import type { Json, JsonObject } from "../../lib/json.ts";
import type { AssistantMessage, Message } from "../../protocol/message.ts";
import { ASSISTANT, HANDOFF, NOTICE, SUMMARY, TOOL_RESULT, USER } from "../state/kinds.ts";
import type { Entry, Redaction } from "../storage/entries.ts";

/** What models and people read where somebody's words stood. */
const SAID = "(What stood here was erased, with whoever said it.)";
const ANSWERED = "(Erased.)";
const SUMMARISED = "(A summary stood here. Messages that it was made of were erased since, and it with them.)";

/** Facts that stay beside a tombstone, by kind: who and what for, never a word of anybody. */
const KEPT: Readonly<Record<string, readonly string[]>> = {
  [USER]: ["input", "actor"],
  [NOTICE]: ["input", "actor"],
  [ASSISTANT]: ["model", "usage", "ms"],
  [TOOL_RESULT]: ["entry", "index", "outcome", "code", "ms"],
  [SUMMARY]: ["reason", "through", "tokensBefore", "tokensAfter", "model", "usage"],
  [HANDOFF]: ["by"],
};

/**
 * An entry without its words. Id, kind, revision, task and place in the transcript stay, and so does every call with its
 * result: what follows from them is as valid as before. Pure.
 */
export function tombstone(entry: Entry, redacted: Redaction): Entry {
  const { request: _madeOfTheWords, message, data, ...rest } = entry;
  const facts = keptFacts(entry.kind, data);
  return {
    ...rest,
    ...(message && { message: emptied(message, entry.kind) }),
    ...(facts && { data: facts }),
    redacted,
  };
}

function emptied(message: Message, kind: string): Message {
  switch (message.role) {
    case "system":
      return message;
    case "user":
      return { role: "user", content: [{ type: "text", text: kind === SUMMARY ? SUMMARISED : SAID }] };
    case "tool":
      return { ...message, content: [{ type: "text", text: ANSWERED }] };
    case "assistant":
      return emptiedAnswer(message);
  }
}

/** The vendor's own blocks go as well: they repeat what was said, and sign it. */
function emptiedAnswer({ role, content, stop }: AssistantMessage): AssistantMessage {
  const calls = content.flatMap((part) => (part.type === "call" ? [{ ...part, args: "{}" }] : []));
  return { role, content: [{ type: "text", text: ANSWERED }, ...calls], stop };
}

function keptFacts(kind: string, data: Json | undefined): JsonObject | undefined {
  if (data === undefined || data === null || typeof data !== "object" || Array.isArray(data)) return undefined;
  const facts = data as JsonObject;
  const names = KEPT[kind] ?? [];
  const kept = names.flatMap((name) => (facts[name] === undefined ? [] : [[name, facts[name]] as const]));
  const { display } = facts as { readonly display?: { readonly reason: string } };
  // What is shown only stays shown only; why it failed may quote what was said.
  if (kind === ASSISTANT && display) kept.push(["display", { reason: display.reason }]);
  return Object.fromEntries(kept);
}
