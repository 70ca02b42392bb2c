import { canonicalJson } from "../../../src/lib/canonical.ts";
import type { Json } from "../../../src/lib/json.ts";
import type { HoldsView } from "../../../src/protocol/cards.ts";
import type { LiveText, ServerFrame } from "../../../src/protocol/frames.ts";
import { addUsage, type FileRef, NO_USAGE, type Usage } from "../../../src/protocol/message.ts";
import { foldOps, type Op } from "../../../src/protocol/ops.ts";
import type { ChatView, View, ViewEntry } from "../../../src/protocol/view.ts";

/** Entries that a snapshot carries, as the kernel does it. */
const WINDOW = 99;
/** Tool output above this is shown cut. */
const SHOWN_OUTPUT_UNITS = 2_000;

const TOOLS = ["calculate", "current_time", "fetch_page", "note_search", "send_webhook"];

export type Send = (frame: ServerFrame) => void;

/** One conversation of the mock: the view, its revision, its listeners. Every change is a commit with operations. */
export class MockConversation {
  readonly id: string;
  readonly createdAt: number;
  updatedAt: number;
  rev = 1;
  view: View;
  /** All entries, whole, oldest first. */
  readonly entries: ViewEntry[] = [];
  /** The conversation as it stands: what was left behind is not in it. */
  active: readonly ViewEntry[] = [];
  /** What each `core.rewind` entry left behind. */
  readonly left = new Map<number, readonly ViewEntry[]>();
  readonly files = new Map<string, { readonly ref: FileRef; readonly bytes: Uint8Array }>();
  readonly receipts = new Map<string, string>();
  readonly listeners = new Set<Send>();
  live: LiveText[] = [];
  isDeleted = false;
  #nextId = 1;

  constructor(id: string, now: number, model: string) {
    this.id = id;
    this.createdAt = now;
    this.updatedAt = now;
    const tools = TOOLS.map((name) => ({ name, on: true }));
    const chat: ChatView = { title: "", model, thinking: "off", persona: "assistant", tools };
    this.view = {
      entries: [],
      earlier: false,
      inbox: [],
      turn: null,
      compaction: null,
      tasks: {},
      pins: [],
      config: { "compaction.enabled": true },
      usage: NO_USAGE,
      plugins: { chat: chat as unknown as Json, holds: { cards: [] } },
    };
  }

  get chat(): ChatView {
    return this.view.plugins.chat as unknown as ChatView;
  }

  newId(): number {
    this.#nextId += 1;
    return this.#nextId;
  }

  /** One commit: folds the operations and tells every listener. */
  commit(...ops: readonly Op[]): void {
    if (this.isDeleted) return;
    this.rev += 1;
    this.view = foldOps(this.view as unknown as Json, ops) as unknown as View;
    this.updatedAt = Math.max(this.updatedAt, Date.now());
    this.publish({ type: "commit", rev: this.rev, ops, events: [] });
    if (ops.some(([, path]) => Array.isArray(path) && path[1] === "holds")) this.publish(this.choices());
  }

  /** Operations that put an entry at the end of the window, and let the oldest go. */
  append(entry: Omit<ViewEntry, "id" | "at">): readonly Op[] {
    const whole: ViewEntry = { id: this.newId(), at: Date.now(), ...entry };
    this.entries.push(whole);
    this.active = [...this.active, whole];
    const { length } = this.view.entries;
    const add: Op = ["p", ["entries"], length, 0, toJson(cutEntry(whole))];
    return length < WINDOW ? [add] : [add, ["p", ["entries"], 0, length + 1 - WINDOW], ["s", ["earlier"], true]];
  }

  /** Takes over an entry of another conversation, under its own id. */
  adopt(entry: ViewEntry): void {
    this.entries.push(entry);
    this.active = [...this.active, entry];
    this.#nextId = Math.max(this.#nextId, entry.id);
  }

  /** Operations that show the active transcript anew. */
  windowOps(): readonly Op[] {
    const shown = this.active.slice(-WINDOW).map(cutEntry);
    return [
      ["s", ["entries"], toJson(shown)],
      ["s", ["earlier"], this.active.length > WINDOW],
    ];
  }

  /** An entry as the view has it. */
  shown(entry: ViewEntry): ViewEntry {
    return cutEntry(entry);
  }

  spend(usage: Usage): Op {
    return ["s", ["usage"], toJson(addUsage(this.view.usage, usage))];
  }

  /** Streams text beside the view. */
  stream(task: number, attempt: number, channel: LiveText["channel"], text: string): void {
    const known = this.live.find((item) => item.task === task && item.channel === channel);
    const offset = known?.text.length ?? 0;
    const grown = { task, attempt, channel, text: (known?.text ?? "") + text };
    this.live = [...this.live.filter((item) => item !== known), grown];
    this.publish({ type: "delta", task, attempt, channel, offset, text });
  }

  hello(lastRev: number | undefined): ServerFrame {
    if (lastRev === this.rev) return { type: "ready", rev: this.rev, live: this.live };
    return { type: "snapshot", rev: this.rev, view: this.view, live: this.live };
  }

  /** Everybody here may do everything with a card. */
  choices(): ServerFrame {
    const { cards, again = [] } = this.view.plugins.holds as unknown as Partial<HoldsView> & Pick<HoldsView, "cards">;
    const open = cards.filter(({ status }) => status === "open");
    return {
      type: "choices",
      cards: [
        ...open.map(({ hold }) => ({ hold, may: ["approve", "decline", "edit", "always", "extend"] as const })),
        ...again.map(({ hold }) => ({ hold, may: ["ask_again"] as const })),
      ],
    };
  }

  publish(frame: ServerFrame): void {
    for (const send of this.listeners) send(frame);
  }

  page(before: number, limit: number): { readonly entries: readonly ViewEntry[]; readonly earlier: boolean } {
    const older = this.active.filter((entry) => entry.id < before);
    return { entries: older.slice(-limit).map(cutEntry), earlier: older.length > limit };
  }
}

export function toJson(value: unknown): Json {
  return JSON.parse(canonicalJson(JSON.parse(JSON.stringify(value)) as Json)) as Json;
}

function cutEntry(entry: ViewEntry): ViewEntry {
  const { message } = entry;
  if (message?.role !== "tool") return entry;
  const text = message.content.map((part) => (part.type === "text" ? part.text : "")).join("");
  if (text.length <= SHOWN_OUTPUT_UNITS) return entry;
  const content = [{ type: "text" as const, text: text.slice(0, SHOWN_OUTPUT_UNITS) }];
  return { ...entry, message: { ...message, content }, cut: text.length };
}
