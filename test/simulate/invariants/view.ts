import { WINDOW_MAX_ENTRIES } from "../../../src/kernel/limits.ts";
import type { RewindData } from "../../../src/protocol/view.ts";
import type { FrameCheck, Invariants, StateCheck } from "../stage.ts";

/** I-68, I-111: memos, native blocks and what a namespace does not show reach no client. */
const framesKeepSecrets: FrameCheck = (frame) => findSecret(JSON.stringify(frame));

/** I-68, I-111: nor does a snapshot tell them. */
const snapshotsKeepSecrets: StateCheck = ({ world }) => {
  return world.crashes.isAlive ? findSecret(JSON.stringify(world.client.view)) : undefined;
};

/** I-54: the window of the view is bounded. */
const windowIsBounded: StateCheck = ({ world }) => {
  const { entries = [] } = (world.client.view ?? {}) as { readonly entries?: readonly unknown[] };
  return entries.length > WINDOW_MAX_ENTRIES ? `the view shows ${entries.length} entries` : undefined;
};

/** I-34, K-61: the view ends with the newest entries, in order, without what rewinds left behind. */
const viewShowsWhatStands: StateCheck = ({ world, stored }) => {
  if (!world.crashes.isAlive || world.kernel.isLost) return undefined;
  const { entries = [] } = (world.client.view ?? {}) as { readonly entries?: readonly { readonly id: number }[] };
  const left = stored.entries.flatMap(({ kind, data }) => {
    return kind === "core.rewind" ? [(data as unknown as RewindData).left] : [];
  });
  const standing = stored.entries.filter(({ id }) => !left.some(([from, to]) => from <= id && id <= to));
  const expected = standing.slice(standing.length - entries.length).map(({ id }) => id);
  const shown = entries.map(({ id }) => id);
  const isRight = shown.join() === expected.join() && (shown.length > 0 || standing.length === 0);
  return isRight ? undefined : `it shows ${shown.join()}, not ${expected.join()}`;
};

/** I-107: streamed text joins by offset, per task, request and channel. */
const deltasJoin: StateCheck = ({ world }) => {
  const known = new Map<string, number>();
  for (const { task, attempt, channel, offset, text } of world.deltas) {
    if (channel === "progress") continue;
    const key = `${task}:${attempt}:${channel}`;
    if (offset !== (known.get(key) ?? 0)) return `text of ${key} goes on at ${offset}, not ${known.get(key) ?? 0}`;
    known.set(key, offset + text.length);
  }
  return undefined;
};

/** I-10, and the rule that nothing fails unseen: the kernel reports no fault that nobody caused. */
const nothingFaults: StateCheck = ({ world }) => {
  const fault = world.reports.find(({ event, facts }) => FAULTS.has(event) && !CAUSED.test(String(facts["error"])));
  return fault && `${fault.event}: ${JSON.stringify(fault.facts)}`;
};

const FAULTS = new Set([
  "task.faulted",
  "task.fault_failed",
  "loop.failed",
  "loop.stuck",
  "alarm.failed",
  "alarm.rearm_failed",
  "outbox.settle_failed",
  "publish.failed",
  "view.projection_failed",
]);
/** What dies or loses its disk may say so. */
const CAUSED = /this process is dead|died at|storage failed|the disk failed|a job that/i;

function findSecret(text: string): string | undefined {
  const at = text.indexOf("-secret");
  return at < 0 ? undefined : text.slice(Math.max(0, at - 100), at + 100);
}

export const VIEW_INVARIANTS: Invariants = {
  frame: [framesKeepSecrets],
  step: [viewShowsWhatStands, snapshotsKeepSecrets, windowIsBounded, deltasJoin, nothingFaults],
};
