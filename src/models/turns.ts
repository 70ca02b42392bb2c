import type { ModelRequest } from "../kernel/ports/model.ts";
import type { Json } from "../lib/json.ts";
import type { AssistantMessage, ToolMessage, UserPart } from "../protocol/message.ts";
import { assignCallIds, type Speaker } from "./call-ids.ts";
import type { FileContent, FileContents } from "./files/load.ts";
import { unpackNative } from "./native.ts";
import { wireToolName } from "./tool-schema.ts";

/** A piece of what people or tools say. Texts are never blank. */
export type Part = FileContent;

export interface CallPart {
  readonly id: string;
  readonly name: string;
  /** As the model wrote them. */
  readonly args: string;
}

export interface ResultPart {
  readonly id: string;
  readonly name: string;
  readonly parts: readonly Part[];
  readonly isError: boolean;
}

/** All that stands between two answers: the results of the calls before it, in call order, then words, then notes. */
export interface UserTurn {
  readonly role: "user";
  readonly results: readonly ResultPart[];
  readonly parts: readonly Part[];
  /** The system's words: notices of the transcript and the volatile text, newest last. */
  readonly notes: readonly string[];
}

export interface AssistantTurn {
  readonly role: "assistant";
  readonly text: string;
  readonly calls: readonly CallPart[];
  /** The vendor's own blocks, to be sent byte for byte instead of `text` and `calls`. */
  readonly replay?: readonly Json[];
}

export type Turn = UserTurn | AssistantTurn;

export interface TurnOptions {
  readonly files: FileContents;
  /** Whether kept blocks may be sent, and whether those of one message still say the same as the message. */
  readonly replay: boolean;
  readonly matches: (items: readonly Json[], message: AssistantMessage) => boolean;
}

const GO_ON = "Continue.";
const NO_RESULT = "No result was recorded for this call.";

/**
 * The history as strictly alternating turns that begin and end with the user, with every call answered: the shape that
 * every wire takes. The same history with something appended gives the same turns with something appended, so that
 * caches stay warm and reasoning stays bound; for that, a note is repeated only where it changed.
 */
export function buildTurns(request: ModelRequest, options: TurnOptions): Turn[] {
  const speakers = findSpeakers(request, options);
  const ids = assignCallIds(speakers.map(({ speaker }) => speaker));
  const turns: Turn[] = [];
  let draft = newDraft();
  let at = 0;
  let note = "";
  const say = (text: string) => {
    if (text !== note && text.trim() !== "") draft.notes.push(text.toWellFormed());
    note = text;
  };

  for (const message of request.messages) {
    if (message.role === "user") draft.parts.push(...toParts(message.content, options.files));
    if (message.role === "system" && message.text.trim() !== "") draft.notes.push(message.text.toWellFormed());
    if (message.role === "tool") draft.results.push(message);
    if (message.role !== "assistant" || message !== speakers[at]?.speaker.message) continue;
    const native = speakers[at]?.native;
    if (native) say(native.note);
    turns.push(closeDraft(draft, options.files));
    const calls = toCalls(message, ids[at] ?? []);
    draft = newDraft(message, calls);
    turns.push(toAssistantTurn(message, calls, native?.items));
    at += 1;
  }
  say(request.volatile);
  return [...turns, closeDraft(draft, options.files)];
}

interface Found {
  readonly speaker: Speaker;
  readonly native?: { readonly note: string; readonly items: readonly Json[] };
}

/** The answers that say anything. An answer without words or calls (a refusal) leaves nothing to send. */
function findSpeakers(request: ModelRequest, { replay, matches }: TurnOptions): Found[] {
  return request.messages.flatMap((message): Found[] => {
    if (message.role !== "assistant") return [];
    const kept = replay ? unpackNative(message, request.model) : undefined;
    const native = kept !== undefined && matches(kept.items, message) ? kept : undefined;
    const silent = !message.content.some((part) => part.type === "call" || isWords(part));
    if (silent) return [];
    return [{ speaker: { message, replayed: native !== undefined }, ...(native === undefined ? {} : { native }) }];
  });
}

function isWords(part: AssistantMessage["content"][number]): boolean {
  return part.type === "text" && part.text.trim() !== "";
}

interface Draft {
  readonly asked?: AssistantMessage;
  readonly calls: readonly CallPart[];
  readonly results: ToolMessage[];
  readonly parts: Part[];
  readonly notes: string[];
}

function newDraft(asked?: AssistantMessage, calls: readonly CallPart[] = []): Draft {
  return { ...(asked === undefined ? {} : { asked }), calls, results: [], parts: [], notes: [] };
}

function closeDraft(draft: Draft, files: FileContents): UserTurn {
  const results = answerCalls(draft, files);
  const empty = results.length === 0 && draft.parts.length === 0;
  const parts: Part[] = empty ? [{ type: "text", text: GO_ON }] : draft.parts;
  return { role: "user", results, parts, notes: draft.notes };
}

/** One result per call, in call order. A result without its call is left out, a call without a result gets one. */
function answerCalls({ asked, calls, results }: Draft, files: FileContents): ResultPart[] {
  const left = [...results];
  const stored = asked?.content.filter((part) => part.type === "call") ?? [];
  return calls.map(({ id, name }, index) => {
    const at = left.findIndex((result) => result.callId === stored[index]?.id);
    const [result] = at === -1 ? [] : left.splice(at, 1);
    const parts = toParts(result?.content ?? [{ type: "text", text: NO_RESULT }], files);
    return { id, name, parts, isError: result?.isError ?? true };
  });
}

function toParts(content: readonly UserPart[], files: FileContents): Part[] {
  return content.flatMap((part): Part[] => {
    const made: Part | undefined = part.type === "text" ? part : files.get(part.file.id);
    if (made === undefined) return [];
    if (made.type === "image") return [made];
    return made.text.trim() === "" ? [] : [{ type: "text", text: made.text.toWellFormed() }];
  });
}

function toCalls(message: AssistantMessage, ids: readonly string[]): CallPart[] {
  const calls = message.content.filter((part) => part.type === "call");
  return calls.map(({ name, args }, index) => ({ id: ids[index] ?? "", name: wireToolName(name), args }));
}

function toAssistantTurn(
  message: AssistantMessage,
  calls: readonly CallPart[],
  items?: readonly Json[],
): AssistantTurn {
  const words = message.content.flatMap((part) => (isWords(part) && part.type === "text" ? [part.text] : []));
  const text = words.join("\n\n").toWellFormed();
  return { role: "assistant", text, calls, ...(items === undefined ? {} : { replay: items }) };
}
