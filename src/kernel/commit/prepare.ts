import type { Json, JsonObject } from "../../lib/json.ts";
import type { ServerFrame } from "../../protocol/frames.ts";
import type { Op } from "../../protocol/ops.ts";
import { MAX_CONTROL_BYTES } from "../limits.ts";
import type { KernelPorts } from "../ports/ports.ts";
import type { Registry } from "../registry/registry.ts";
import type { Control } from "../state/control.ts";
import { type AlarmState, decideAlarm, nextDue } from "../state/due.ts";
import { type WindowItem, windowTrim } from "../state/window.ts";
import { accountWork } from "../state/work-time.ts";
import { updateControl } from "../storage/control.ts";
import type { Entry } from "../storage/entries.ts";
import { diffJson } from "./diff.ts";
import type { NamespaceStates } from "./namespace-states.ts";
import { type LiveView, renderEntry, renderLive } from "./render-view.ts";
import { bounded, type Tx } from "./tx.ts";

/** Everything that a commit replaces. */
export interface Committed {
  readonly control: Control;
  /** `control` as stored: the source of each commit's private copy. */
  readonly text: string;
  readonly slices: ReadonlyMap<string, JsonObject>;
  readonly window: readonly WindowItem[];
  readonly live: LiveView;
  readonly alarm: AlarmState;
}

/** What a finished builder leads to. */
export interface Landing {
  readonly committed: Committed;
  /** Absent when nothing visible changed. */
  readonly frame?: Extract<ServerFrame, { type: "commit" }>;
  readonly appended: readonly Entry[];
}

/** What ending a commit needs besides the commit itself. */
export interface CommitContext {
  readonly ports: KernelPorts;
  readonly registry: Registry;
}

/**
 * Ends a commit inside its transaction: accounts work time, keeps the alarm true (W-1), derives the view's operations and
 * writes the control row. Writes nothing when nothing changed.
 */
export function prepareLanding(before: Committed, tx: Tx, states: NamespaceStates, context: CommitContext): Landing {
  const { control, appended, events } = tx;
  control.turn = accountWork(control, tx.now);
  const moved = moveWindow(before.window, control, appended);
  const slices = states.changed.size > 0 ? new Map([...before.slices, ...states.changed]) : before.slices;
  const live = renderLiveView(control, slices, context);
  const ops = [...moved.ops, ...diffJson(before.live as unknown as Json, live as unknown as Json)];
  if (ops.length > 0 || events.length > 0) control.rev++;
  const alarm = armAlarm(tx, before.alarm, context);
  const text = JSON.stringify(control);
  if (text !== before.text) {
    updateControl(context.ports.storage, bounded(text, MAX_CONTROL_BYTES, "The conversation's control row"));
  }
  const committed: Committed = { control, text, slices, window: moved.window, live, alarm };
  if (control.rev === before.control.rev) return { committed, appended };
  return { committed, appended, frame: { type: "commit", rev: control.rev, ops, events } };
}

/** Renders the live part, reporting projections that throw. */
export function renderLiveView(
  control: Control,
  slices: ReadonlyMap<string, JsonObject>,
  { ports, registry }: CommitContext,
): LiveView {
  return renderLive(control, slices, registry, (namespace, error) => {
    ports.report.report("view.projection_failed", { namespace, error: String(error) });
  });
}

export function windowItem(entry: Entry): WindowItem {
  const rendered = renderEntry(entry);
  return { entry: rendered, bytes: JSON.stringify(rendered).length };
}

function moveWindow(
  before: readonly WindowItem[],
  control: Control,
  appended: readonly Entry[],
): { window: readonly WindowItem[]; ops: Op[] } {
  if (appended.length === 0) return { window: before, ops: [] };
  const ops: Op[] = [];
  const items = appended.map(windowItem);
  const grown = [...before, ...items];
  ops.push(["p", ["entries"], before.length, 0, ...items.map((item) => item.entry as unknown as Json)]);
  const trim = windowTrim(grown);
  if (trim > 0) ops.push(["p", ["entries"], 0, trim]);
  const window = grown.slice(trim);
  control.windowFrom = window[0]?.entry.id ?? control.windowFrom;
  return { window, ops };
}

function armAlarm(tx: Tx, known: AlarmState, { ports, registry }: CommitContext): AlarmState {
  const { control } = tx;
  const due = nextDue(control, (kind) => registry.kind(kind) !== undefined);
  const change = decideAlarm(due === null ? null : Math.max(due, tx.alarmNotBefore), known, tx.now);
  switch (change.kind) {
    case "keep":
      // A time that has passed may stay in the row: whoever loads it knows that it has fired.
      return known;
    case "delete":
      ports.alarm.delete();
      control.alarmAt = null;
      return { ...known, at: null };
    case "set":
      ports.alarm.set(change.at);
      control.alarmAt = change.at;
      // Setting replaces the alarm that the handler under way would leave behind in a crash.
      return { at: change.at, covering: false };
  }
}
