import type { Json } from "../../lib/json.ts";
import { NO_USAGE, type Usage } from "../../protocol/message.ts";
import type { ToolOutcome } from "../../protocol/view.ts";
import type { Debt } from "../ports/meter.ts";
import type { Spans } from "./spans.ts";
import type { Task } from "./task.ts";

/** One call of the running step, in call order. */
export interface TurnTool {
  readonly task: number;
  readonly entry: number;
  readonly index: number;
  readonly name: string;
  readonly startedAt?: number;
  readonly outcome?: ToolOutcome;
  /** What its result asks of the turn. */
  readonly control?: ToolControl;
}

/** What a tool's result may ask of the turn. A turn ends when all calls of the step ask, or any hands over. */
export interface ToolControl {
  readonly terminate?: boolean;
  /** What the conversation goes on from; everything before leaves the active transcript. */
  readonly handoff?: string;
}

/** The running turn: one run of the model loop for a group of inputs, for one speaker. */
export interface Turn {
  /** Its generation task. */
  readonly task: number;
  readonly actor: string;
  readonly meta: Json;
  /** Request keys of the inputs it answers. */
  readonly inputs: readonly string[];
  readonly startedAt: number;
  /** Work done so far, waiting on people not counted. */
  readonly workedMs: number;
  /** Since when it works; null while it waits on people only. */
  readonly workingSince: number | null;
  readonly stopping: boolean;
  readonly tools: readonly TurnTool[];
  /** Nothing that is said meanwhile joins it, whoever says it. */
  readonly alone?: true;
  /** A summary could not be made: none is tried again in this turn before the vendor refuses. */
  readonly uncompacted?: true;
  /** The step that did not fit the vendor's window, and the compaction that was to help. */
  readonly overflow?: { readonly step: number; readonly task: number };
}

/** A queued input as the inbox shows it; its content is in its own row. */
export interface InboxItem {
  readonly key: string;
  readonly actor: string;
  readonly name?: string;
  readonly mode: "queue" | "steer" | "alone" | "write";
  readonly preview: string;
  readonly files: number;
  readonly at: number;
}

/** A row of the outbox, without its payload. `stamp` tells a newer row under the same key from the one being sent. */
export interface OutboxItem {
  readonly key: string;
  readonly target: string;
  readonly stamp: number;
  readonly due: number;
  readonly attempts: number;
  readonly createdAt: number;
}

/** The one row that almost every commit updates in place: everything that is live. */
export interface Control {
  /** Opaque facts of whoever created the conversation: first writer wins. */
  readonly facts: Json;
  readonly createdAt: number;
  rev: number;
  nextId: number;
  /** Raised at each open that found work under way: late callbacks of an older life carry an older one. */
  epoch: number;
  /** When the alarm is armed for, as far as the last commit knew. */
  alarmAt: number | null;
  /** First entry ever, first of the view's window, newest. 0: none. */
  firstEntry: number;
  windowFrom: number;
  lastEntry: number;
  /** The active transcript: what was kept when it last began anew, and everything from `activeFrom` on. */
  kept: Spans;
  activeFrom: number;
  /** The newest entry that began it anew; 0: none did. */
  head: number;
  /** What rewinds left behind. */
  left: Spans;
  /** The newest system prompt entry; 0: none. */
  systemEntry: number;
  turn: Turn | null;
  inbox: readonly InboxItem[];
  tasks: { readonly [id: string]: Task };
  outbox: readonly OutboxItem[];
  usage: Usage;
  /** Put there by whoever restored this storage: when the backup was made, ms. Gone once everything under way was ended. */
  restored?: number;
  /** What reserved requests came to and the meter may not know yet. Absent: nothing was ever reserved. */
  owed?: readonly Debt[];
}

export function initialControl(facts: Json, now: number): Control {
  return {
    facts,
    createdAt: now,
    rev: 0,
    nextId: 1,
    epoch: 1,
    alarmAt: null,
    firstEntry: 0,
    windowFrom: 0,
    lastEntry: 0,
    kept: [],
    activeFrom: 0,
    head: 0,
    left: [],
    systemEntry: 0,
    turn: null,
    inbox: [],
    tasks: {},
    outbox: [],
    usage: NO_USAGE,
  };
}

/** A stored control row as this code knows it: what an older code did not store has its first value. */
export function parseControl(text: string): Control {
  const stored = JSON.parse(text) as Control;
  return stored.left === undefined ? { ...initialControl(stored.facts, stored.createdAt), ...stored } : stored;
}

export function taskOf(control: Control, id: number): Task | undefined {
  return Object.hasOwn(control.tasks, id) ? control.tasks[id] : undefined;
}

export function tasksOf(control: Control): readonly Task[] {
  return Object.values(control.tasks);
}

/** The live tasks that a task owns and takes with it. */
export function ownedBy(control: Control, owner: number): readonly Task[] {
  return tasksOf(control).filter((task) => task.owner === owner && !task.background);
}

/** The tasks of the running turn: its generation and the tools of its step. */
export function turnTasks(control: Control): readonly Task[] {
  if (!control.turn) return [];
  const ids = [control.turn.task, ...control.turn.tools.map((tool) => tool.task)];
  return ids.flatMap((id) => taskOf(control, id) ?? []);
}
