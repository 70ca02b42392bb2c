import type { ToolResultData } from "../../../src/protocol/view.ts";
import type { Invariants, Stage, StateCheck } from "../stage.ts";
import { callsOf, isResultOf } from "./entries.ts";

/** I-96: at rest nothing lives, nothing waits and no alarm is armed. */
const restIsWhole: StateCheck = ({ stored: { control, slots, memos }, world }) => {
  const { turn, inbox, tasks, outbox } = control;
  const left = { turn, inbox, tasks, outbox, slots, memos: [...memos.keys()] };
  if (turn || inbox.length + Object.keys(tasks).length + outbox.length + slots.length + memos.size > 0)
    return `left: ${JSON.stringify(left)}`;
  return world.alarm.armedFor === null ? undefined : `an alarm is armed for ${world.alarm.armedFor}`;
};

/** I-92, I-96: at rest every input has ended. */
const everyInputEnded: StateCheck = ({ stored }) => {
  const open = [...stored.inputs].find(([, { status }]) => status !== "done" && status !== "unanswered");
  return open && `${open[0]} is ${open[1].status}`;
};

/** I-36, I-37: at rest every stored call has one stored result. */
const everyCallHasItsResult: StateCheck = ({ stored }) => {
  for (const { id } of stored.entries) {
    const open = callsOf(stored, id).findIndex((_call, index) => {
      return stored.entries.filter((other) => isResultOf(other, id, index)).length !== 1;
    });
    if (open >= 0) return `call ${id}:${open} has not one result`;
  }
  return undefined;
};

/** a call that may not be repeated had its effect once at most. */
const unsafeCallsHappenOnce: StateCheck = ({ effects }) => {
  const twice = [...effects.calls].find(
    ([key, count]) => count > 1 && !key.startsWith("lookup:") && !key.startsWith("job:"),
  );
  return twice && `${twice[0]} had its effect ${twice[1]} times`;
};

/** R-17, I-116: what a result says about the effect is true. */
const outcomesAreTrue: StateCheck = (stage) => {
  for (const { message, data, task, id } of stage.stored.entries) {
    if (message?.role !== "tool" || !UNSAFE.has(message.name) || task === undefined) continue;
    const { outcome } = data as unknown as ToolResultData;
    const count = effectsOf(stage, task);
    const isTrue = outcome === "ok" ? count === 1 : !HAS_NOT_RUN.has(outcome) || count === 0;
    if (!isTrue) return `result ${id} of task ${task} says ${outcome} after ${count} effects`;
  }
  return undefined;
};

/** Tools whose effects may not be repeated. */
const UNSAFE: ReadonlySet<string> = new Set(["send", "post"]);
const HAS_NOT_RUN: ReadonlySet<string> = new Set(["blocked", "stopped", "pending"]);

function effectsOf({ effects }: Stage, task: number): number {
  const found = [...effects.calls].filter(([key]) => key.endsWith(`/${task}`));
  return found.reduce((sum, [, count]) => sum + count, 0);
}

/** I-14: a conversation that is opened again is the one that it was. */
const reopeningChangesNothing: StateCheck = ({ world, stored }) => {
  const before = JSON.stringify({ ...stored.control, alarmAt: null });
  const { view, rev } = world.kernel.snapshot();
  world.crash();
  const kernel = world.start();
  const again = kernel.snapshot();
  if (JSON.stringify({ ...kernel.control, alarmAt: null }) !== before) return "the stored state was changed by opening";
  if (again.rev !== rev || JSON.stringify(again.view) !== JSON.stringify(view)) return "the view is not what it was";
  const unread = [...stored.receipts.keys()].find((task) => !kernel.receipt(task));
  return unread === undefined ? undefined : `receipt ${unread} cannot be read`;
};

export const REST_INVARIANTS: Invariants = {
  step: [unsafeCallsHappenOnce],
  rest: [restIsWhole, everyInputEnded, everyCallHasItsResult, outcomesAreTrue, reopeningChangesNothing],
};
