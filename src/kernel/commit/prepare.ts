import type { Json } from "../../lib/json.ts";
import type { ServerFrame } from "../../protocol/frames.ts";
import { MAX_CONTROL_BYTES } from "../limits.ts";
import type { KernelPorts } from "../ports/ports.ts";
import type { Registry } from "../registry/registry.ts";
import type { Kinds } from "../run/kinds.ts";
import type { Control } from "../state/control.ts";
import { type AlarmState, decideAlarm, nextDue } from "../state/due.ts";
import type { WindowItem } from "../state/window.ts";
import { accountWork } from "../state/work-time.ts";
import { updateControl } from "../storage/control.ts";
import type { Entry } from "../storage/entries.ts";
import { diffJson } from "./diff.ts";
import { bounded } from "./guard.ts";
import type { Slices } from "./namespace-states.ts";
import { type LiveView, renderLive } from "./render-view.ts";
import type { Tx } from "./tx.ts";
import { moveWindow } from "./window.ts";

/** Everything that a commit replaces. */
export interface Committed {
  readonly control: Control;
  /** `control` as stored: the source of each commit's private copy. */
  readonly text: string;
  readonly slices: Slices;
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
  readonly replaced: ReadonlyMap<number, Entry>;
  readonly faults: Tx["faults"];
}

/** What ending a commit needs besides the commit itself. */
export interface CommitContext {
  readonly ports: KernelPorts;
  readonly registry: Registry;
  readonly kinds: Kinds;
}

/**
 * Ends a commit inside its transaction: accounts work time, keeps the alarm true (W-1), derives the view's operations and
 * writes the control row. Writes nothing when nothing changed.
 */
export function prepareLanding(before: Committed, tx: Tx, context: CommitContext): Landing {
  const { control, appended, replaced, events, faults } = tx;
  control.turn = accountWork(control, tx.now);
  const moved = moveWindow(before.window, control, tx, context.ports.storage);
  const { slices } = tx.namespaces;
  const live = renderLiveView(control, slices, context);
  const ops = [...moved.ops, ...diffJson(before.live as unknown as Json, live as unknown as Json)];
  if (ops.length > 0 || events.length > 0) control.rev++;
  const alarm = armAlarm(tx, before.alarm, context);
  const text = JSON.stringify(control);
  if (text !== before.text) {
    updateControl(context.ports.storage, bounded(text, MAX_CONTROL_BYTES, "The conversation's control row"));
  }
  const committed: Committed = { control, text, slices, window: moved.window, live, alarm };
  if (control.rev === before.control.rev) return { committed, appended, replaced, faults };
  return { committed, appended, replaced, faults, frame: { type: "commit", rev: control.rev, ops, events } };
}

/** Renders the live part, reporting projections that throw. */
export function renderLiveView(control: Control, slices: Slices, { ports, registry, kinds }: CommitContext): LiveView {
  return renderLive(control, slices, { registry, kinds }, (namespace, error) => {
    ports.report.report("view.projection_failed", { namespace, error: String(error) });
  });
}

function armAlarm(tx: Tx, known: AlarmState, { ports, kinds }: CommitContext): AlarmState {
  const { control } = tx;
  const due = nextDue(control, (kind) => kinds.knows(kind));
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
