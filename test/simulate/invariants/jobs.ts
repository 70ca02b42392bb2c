import { tasksOf } from "../../../src/kernel/state/control.ts";
import { JOB, type JobInput } from "../job-kind.ts";
import type { CommitCheck, Invariants } from "../stage.ts";

/** K-52, I-61: a step of a job and what it writes are one commit, made once. */
const jobStepsHappenOnce: CommitCheck = ({ before, appended }) => {
  for (const { kind, data } of appended) {
    if (kind !== "sim.mark") continue;
    const name = JSON.stringify(data);
    if (before.entries.some((other) => other.kind === kind && JSON.stringify(other.data) === name))
      return `twice: ${name}`;
  }
  return undefined;
};

/** I-122, K-57: what a finished task owned is being stopped. */
const ownedGoWithTheirOwner: CommitCheck = ({ after: { control } }) => {
  const stray = tasksOf(control).find(({ owner, aborting }) => {
    return owner !== undefined && !aborting && !Object.hasOwn(control.tasks, String(owner));
  });
  return stray && `task ${stray.id} goes on without its owner ${stray.owner}`;
};

/** I-123, K-56: a task that is stopped ends after everything that it owns. */
const stopsRunFromTheLeavesUp: CommitCheck = ({ before, after }) => {
  for (const { id, aborting } of tasksOf(before.control)) {
    if (!aborting || Object.hasOwn(after.control.tasks, String(id))) continue;
    const left = tasksOf(after.control).find(({ owner, background }) => owner === id && !background);
    if (left) return `task ${id} was stopped and left ${left.id}`;
  }
  return undefined;
};

/** I-77, K-55: a job ends as its moves say, or as stopped. */
const jobsEndAsTheyShould: CommitCheck = ({ before, after }) => {
  for (const { id, kind, input, aborting } of tasksOf(before.control)) {
    const receipt = after.receipts.get(id);
    if (kind !== JOB || receipt === undefined) continue;
    const { moves } = input as JobInput;
    const last = moves.at(-1);
    const expected = aborting ? "aborted" : last === "throw" ? "faulted" : last === "fail" ? "failed" : "completed";
    if (receipt !== `${JOB} ${expected}`) return `job ${id} of ${moves.join()} ended as ${receipt}, not ${expected}`;
  }
  return undefined;
};

export const JOB_INVARIANTS: Invariants = {
  commit: [jobStepsHappenOnce, ownedGoWithTheirOwner, stopsRunFromTheLeavesUp, jobsEndAsTheyShould],
};
