import type { HoldCard } from "../../../src/protocol/cards.ts";
import type { AssistantMessage, FileRef } from "../../../src/protocol/message.ts";
import type { QuestionCard } from "../../../src/protocol/questions.ts";
import type {
  AssistantEntryData,
  ToolResultData,
  ToolView,
  UserEntryData,
  View,
  ViewEntry,
} from "../../../src/protocol/view.ts";
import { type Divider, readDivider } from "./dividers.ts";
import { startOfDay } from "./format.ts";

/** What the transcript shows, one thing below the other. `key` stays the same as long as the thing does. */
export type Row =
  | { readonly kind: "day"; readonly key: string; readonly at: number }
  | { readonly kind: "user"; readonly key: string; readonly entry: ViewEntry; readonly said: Said }
  | { readonly kind: "answer"; readonly key: string; readonly entry: ViewEntry; readonly calls: readonly Call[] }
  /** The answer that is streaming now. It keeps its key when it is committed. */
  | { readonly kind: "live"; readonly key: string; readonly task: number }
  | { readonly kind: "divider"; readonly key: string; readonly entry: ViewEntry; readonly divider: Divider }
  | { readonly kind: "note"; readonly key: string; readonly entry: ViewEntry; readonly text: string }
  | { readonly kind: "card"; readonly key: string; readonly card: HoldCard }
  | { readonly kind: "question"; readonly key: string; readonly card: QuestionCard };

export interface Said {
  readonly actor: string;
  /** Where several people speak: what the person was called. */
  readonly name?: string;
  readonly text: string;
  readonly files: readonly FileRef[];
}

/** One tool call with whatever is known of it. */
export interface Call {
  readonly name: string;
  /** The raw JSON text as the model wrote it. */
  readonly args: string;
  readonly tool?: ToolView;
  readonly result?: ViewEntry;
  readonly card?: HoldCard;
  readonly question?: QuestionCard;
}

/** Lays out entries (older pages and the window together), the running turn and its cards. */
export function layOutRows(
  entries: readonly ViewEntry[],
  view: Pick<View, "turn">,
  cards: readonly HoldCard[],
  questions: readonly QuestionCard[] = [],
): readonly Row[] {
  const found = findParts(entries, view, cards, questions);
  const rows: Row[] = [];
  const answers = new Map<number, number>();
  const answerKey = (task: number) => {
    const ordinal = (answers.get(task) ?? 0) + 1;
    answers.set(task, ordinal);
    return `answer-${task}-${ordinal}`;
  };
  let day: number | undefined;
  for (const entry of entries) {
    const row = layOutEntry(entry, found, answerKey);
    if (row === undefined) continue;
    const midnight = startOfDay(entry.at);
    if (midnight !== day) rows.push({ kind: "day", key: `day-${midnight}`, at: midnight });
    day = midnight;
    rows.push(row);
  }
  if (view.turn !== null) rows.push({ kind: "live", key: answerKey(view.turn.task), task: view.turn.task });
  for (const card of found.loose) rows.push({ kind: "card", key: `card-${card.hold}`, card });
  for (const card of found.looseQuestions) rows.push({ kind: "question", key: `card-${card.prompt}`, card });
  return rows;
}

/**
 * Takes over rows that say the same as before, so that what did not change is the same object (and is not drawn again).
 */
export function reuseRows(previous: readonly Row[], next: readonly Row[]): readonly Row[] {
  const known = new Map(previous.map((row) => [row.key, row]));
  const rows = next.map((row) => {
    const old = known.get(row.key);
    return old !== undefined && sameRow(old, row) ? old : row;
  });
  const isSame = rows.length === previous.length && rows.every((row, index) => row === previous[index]);
  return isSame ? previous : rows;
}

interface Found {
  readonly results: ReadonlyMap<string, ViewEntry>;
  readonly tools: ReadonlyMap<string, ToolView>;
  readonly cards: ReadonlyMap<string, HoldCard>;
  /** Cards that belong to no call on the screen. */
  readonly loose: readonly HoldCard[];
  readonly questions: ReadonlyMap<string, QuestionCard>;
  readonly looseQuestions: readonly QuestionCard[];
}

function findParts(
  entries: readonly ViewEntry[],
  view: Pick<View, "turn">,
  cards: readonly HoldCard[],
  questions: readonly QuestionCard[],
): Found {
  const shown = new Set(entries.filter((entry) => entry.kind === "core.assistant").map((entry) => entry.id));
  const results = new Map<string, ViewEntry>();
  for (const entry of entries) {
    const data = entry.data as Partial<ToolResultData> | undefined;
    if (entry.kind === "core.tool_result" && data?.entry !== undefined && data.index !== undefined) {
      results.set(callKey(data.entry, data.index), entry);
    }
  }
  const tools = new Map<string, ToolView>();
  const callOfTask = new Map<number, string>();
  for (const tool of view.turn?.tools ?? []) {
    tools.set(callKey(tool.entry, tool.index), tool);
    if (shown.has(tool.entry)) callOfTask.set(tool.task, callKey(tool.entry, tool.index));
  }
  const held = placeCards(cards, callOfTask);
  const asked = placeCards(questions, callOfTask);
  return {
    results,
    tools,
    cards: held.placed,
    loose: held.loose,
    questions: asked.placed,
    looseQuestions: asked.loose,
  };
}

function placeCards<C extends { readonly task: number }>(cards: readonly C[], callOfTask: ReadonlyMap<number, string>) {
  const placed = new Map<string, C>();
  const loose: C[] = [];
  for (const card of cards) {
    const key = callOfTask.get(card.task);
    if (key === undefined) loose.push(card);
    else placed.set(key, card);
  }
  return { placed, loose };
}

function layOutEntry(entry: ViewEntry, found: Found, answerKey: (task: number) => string): Row | undefined {
  switch (entry.kind) {
    case "core.user":
      return layOutUser(entry);
    case "core.assistant":
      return {
        kind: "answer",
        key: entry.task === undefined ? `entry-${entry.id}` : answerKey(entry.task),
        entry,
        calls: callsOf(entry, found),
      };
    case "core.tool_result":
      return isAtItsCall(entry) ? undefined : layOutNote(entry);
    // The system prompt is the model's business, and usage is summed up in the header.
    case "core.system":
    case "core.usage":
    // What a card shows is on the card, and what models are told of a saying stands there for people.
    case "holds.shown":
    case "host.told":
      return undefined;
    default:
      return layOutDivider(entry) ?? layOutNote(entry);
  }
}

function layOutDivider(entry: ViewEntry): Row | undefined {
  const divider = readDivider(entry, textOf(entry));
  return divider === undefined ? undefined : { kind: "divider", key: `entry-${entry.id}`, entry, divider };
}

function layOutUser(entry: ViewEntry): Row {
  const data = entry.data as Partial<UserEntryData> | undefined;
  const name = data?.voice?.name;
  const said: Said = {
    actor: data?.actor ?? "",
    ...(name !== undefined && { name }),
    text: textOf(entry),
    files: filesOf(entry),
  };
  if (data?.input?.startsWith("system:")) return layOutNote(entry);
  return { kind: "user", key: `entry-${entry.id}`, entry, said };
}

function layOutNote(entry: ViewEntry): Row {
  const words = textOf(entry);
  const data = entry.data as { readonly text?: unknown } | undefined;
  if (words === "" && entry.redacted) return { kind: "note", key: `entry-${entry.id}`, entry, text: "(Erased.)" };
  const fallback = typeof data?.text === "string" ? data.text : entry.kind.replace(/^core\./, "").replaceAll("_", " ");
  return { kind: "note", key: `entry-${entry.id}`, entry, text: words === "" ? fallback : words };
}

function isAtItsCall(entry: ViewEntry): boolean {
  return (entry.data as Partial<ToolResultData> | undefined)?.entry !== undefined;
}

function callsOf(entry: ViewEntry, found: Found): readonly Call[] {
  const content = (entry.message as AssistantMessage | undefined)?.content ?? [];
  const calls = content.filter((part) => part.type === "call");
  return calls.map((part, index) => {
    const key = callKey(entry.id, index);
    const tool = found.tools.get(key);
    const result = found.results.get(key);
    const card = found.cards.get(key);
    const question = found.questions.get(key);
    return {
      name: part.name,
      args: part.args,
      ...(tool === undefined ? {} : { tool }),
      ...(result === undefined ? {} : { result }),
      ...(card === undefined ? {} : { card }),
      ...(question === undefined ? {} : { question }),
    };
  });
}

function callKey(entry: number, index: number): string {
  return `${entry}:${index}`;
}

/** All text of an entry's message, in order. */
export function textOf(entry: ViewEntry): string {
  const message = entry.message;
  if (message === undefined) return "";
  if (message.role === "system") return message.text;
  return message.content
    .map((part) => (part.type === "text" ? part.text : ""))
    .filter((text) => text !== "")
    .join("\n\n");
}

/** The files that an entry's message carries. */
export function filesOf(entry: ViewEntry): readonly FileRef[] {
  const message = entry.message;
  if (message === undefined || message.role === "system" || message.role === "assistant") return [];
  return message.content.flatMap((part) => (part.type === "file" ? [part.file] : []));
}

/** What the page knows about an answer; absent fields of an older or foreign entry stay absent. */
export function answerData(entry: ViewEntry): Partial<AssistantEntryData> {
  return (entry.data as Partial<AssistantEntryData> | undefined) ?? {};
}

function sameRow(a: Row, b: Row): boolean {
  if (a.kind === "answer" && b.kind === "answer") return a.entry === b.entry && sameCalls(a.calls, b.calls);
  if (a.kind === "day" && b.kind === "day") return a.at === b.at;
  if (a.kind === "live" && b.kind === "live") return a.task === b.task;
  if (a.kind === "card" && b.kind === "card") return a.card === b.card;
  if (a.kind === "question" && b.kind === "question") return a.card === b.card;
  if (a.kind === "user" && b.kind === "user") return a.entry === b.entry;
  if (a.kind === "divider" && b.kind === "divider") return a.entry === b.entry;
  return a.kind === "note" && b.kind === "note" && a.entry === b.entry;
}

function sameCalls(a: readonly Call[], b: readonly Call[]): boolean {
  return a.length === b.length && a.every((call, index) => sameCall(call, b[index]));
}

function sameCall(a: Call, b: Call | undefined): boolean {
  return a.tool === b?.tool && a.result === b?.result && a.card === b?.card && a.question === b?.question;
}
