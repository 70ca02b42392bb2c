import { tasksOf } from "../../../src/kernel/state/control.ts";
import type { CommitCheck, Invariants } from "../stage.ts";

/** I-73: one generation lives at most, it is the turn's, and every task in the foreground belongs to it or to a live task. */
const oneLiveTurn: CommitCheck = ({ after: { control } }) => {
  const generations = tasksOf(control).filter(({ kind }) => kind === "core.generation");
  if (generations.length > 1) return `${generations.length} generations live`;
  if (generations[0]?.id !== control.turn?.task) return `generation ${generations[0]?.id}, turn ${control.turn?.task}`;
  const own = new Set([control.turn?.task, ...(control.turn?.tools ?? []).map(({ task }) => task)]);
  const isOwned = (owner?: number) => owner !== undefined && Object.hasOwn(control.tasks, String(owner));
  const stray = tasksOf(control).find(({ id, kind, background, owner, aborting }) => {
    return !background && !own.has(id) && !isOwned(owner) && !aborting && kind !== "core.compaction";
  });
  return stray && `task ${stray.id} (${stray.kind}) belongs to no turn`;
};

/** I-15: a finished task has a receipt, which never changes; no live task has one. */
const receiptsStand: CommitCheck = ({ before, after }) => {
  for (const [task, receipt] of before.receipts) {
    if (after.receipts.get(task) !== receipt) return `receipt ${task} was ${receipt}, is ${after.receipts.get(task)}`;
  }
  for (const id of Object.keys(before.control.tasks)) {
    if (!Object.hasOwn(after.control.tasks, id) && !after.receipts.has(Number(id))) return `task ${id} left no receipt`;
  }
  const both = Object.keys(after.control.tasks).find((id) => after.receipts.has(Number(id)));
  return both && `task ${both} lives and has a receipt`;
};

/** I-62, I-69: slots and memos live as long as their task. */
const slotsGoWithTheirTask: CommitCheck = ({ after }) => {
  const owners = [...after.slots, ...[...after.memos.keys()].map((key) => Number(key.split(" ")[0]))];
  const orphan = owners.find((task) => !Object.hasOwn(after.control.tasks, String(task)));
  return orphan === undefined ? undefined : `task ${orphan} is gone and left a slot or a memo`;
};

/** I-64, I-65, I-66: a memo is written once. */
const memosNeverChange: CommitCheck = ({ before, after }) => {
  for (const [key, value] of before.memos) {
    const now = after.memos.get(key);
    const isGone = now === undefined && !Object.hasOwn(after.control.tasks, String(key.split(" ")[0]));
    if (now !== value && !isGone) return `memo ${key} was ${value} and is ${now}`;
  }
  return undefined;
};

/** I-74, I-116: work that is marked to stop makes no step any more; it only ends. */
const marksAreFinal: CommitCheck = ({ before, after }) => {
  for (const task of tasksOf(before.control)) {
    const now = after.control.tasks[String(task.id)];
    if (!task.aborting || !now) continue;
    if (!now.aborting) return `task ${task.id} lost its mark`;
    if (JSON.stringify(now.checkpoint) !== JSON.stringify(task.checkpoint))
      return `task ${task.id} went on after its mark`;
  }
  return undefined;
};

/** I-124, K-23: the first commit of a process that finds work under way makes it pending and raises the epoch. */
function openingReconciles(): CommitCheck {
  let life = 1;
  const workIsPendingAfterOpening: CommitCheck = ({ before, after }, { world }) => {
    if (world.crashes.life === life) return undefined;
    life = world.crashes.life;
    const running = tasksOf(before.control).filter(({ status }) => status === "running");
    const wrong = running.find(({ id }) => after.control.tasks[String(id)]?.status !== "pending");
    if (wrong) return `task ${wrong.id} is ${JSON.stringify(after.control.tasks[String(wrong.id)])}`;
    const isRaised = after.control.epoch === before.control.epoch + 1;
    return running.length > 0 && !isRaised ? `the epoch stays ${after.control.epoch}` : undefined;
  };
  return workIsPendingAfterOpening;
}

/** I-56, I-77: who waits waits for live tasks only. */
const nobodyWaitsForTheDead: CommitCheck = ({ after: { control } }) => {
  const stuck = tasksOf(control).find(
    (task) => task.status === "waiting" && task.tasks.every((id) => !Object.hasOwn(control.tasks, String(id))),
  );
  return stuck && `task ${stuck.id} waits for tasks that are finished`;
};

/** I-78: sixteen calls of a step are started at most, the limit. */
const toolsKeepTheLimit: CommitCheck = ({ after: { control } }) => {
  const started = tasksOf(control).filter(
    ({ kind, checkpoint }) => kind === "core.tool" && checkpoint.phase === "started",
  );
  return started.length > 16 ? `${started.length} calls run at once` : undefined;
};

/** K-36: what the control row lists of the outbox is what is stored. */
const outboxIsWhole: CommitCheck = ({ after }) => {
  const listed = after.control.outbox.map(({ key }) => key).sort();
  return listed.join() === after.outbox.join() ? undefined : `listed ${listed.join()}, stored ${after.outbox.join()}`;
};

/** I-116: a call that went on alone tells its result as an input, in the commit that ends it. */
const letGoCallsTell: CommitCheck = ({ before, after }) => {
  for (const task of tasksOf(before.control)) {
    const hasEnded = task.kind === "core.call" && !Object.hasOwn(after.control.tasks, String(task.id));
    if (hasEnded && !after.inputs.has(`system:call:${task.id}`)) return `call ${task.id} ended and told nobody`;
  }
  return undefined;
};

export const taskInvariants = (): Invariants => ({
  commit: [
    openingReconciles(),
    oneLiveTurn,
    receiptsStand,
    slotsGoWithTheirTask,
    memosNeverChange,
    marksAreFinal,
    nobodyWaitsForTheDead,
    toolsKeepTheLimit,
    outboxIsWhole,
    letGoCallsTell,
  ],
});
