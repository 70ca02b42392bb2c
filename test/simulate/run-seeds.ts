import { type ChildProcess, fork } from "node:child_process";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { Failure } from "./try-seed.ts";
import type { WorkerMessage } from "./worker.ts";

/** A seed takes some tens of milliseconds, shrinking one some seconds: whoever says nothing for longer hangs. */
const SILENCE_MS = 120_000;

/** What many seeds came to. */
export interface Report {
  readonly failures: readonly Failure[];
  /** Seeds whose run never ended; their process was ended. */
  readonly hung: readonly number[];
}

/** Plays `count` seeds from `from` on all cores. */
export async function runSeeds(from: number, count: number, say: (failure: Failure) => void): Promise<Report> {
  const stride = Math.min(count, availableParallelism());
  const failures: Failure[] = [];
  const hung: number[] = [];
  const note = (failure: Failure) => {
    failures.push(failure);
    say(failure);
  };
  const workers = Array.from({ length: stride }, (_, nth) => runWorker(from + nth, from + count, stride, note));
  for (const stuck of await Promise.all(workers)) hung.push(...stuck);
  return { failures, hung };
}

/** Plays a worker's seeds; where one hangs, its process is ended and the next goes on behind it. */
async function runWorker(
  first: number,
  end: number,
  stride: number,
  note: (failure: Failure) => void,
): Promise<readonly number[]> {
  const hung: number[] = [];
  for (let next = first; next < end; ) {
    const stuck = await playUntilStuck([next, end, stride], note);
    if (stuck === undefined) break;
    hung.push(stuck);
    next = stuck + stride;
  }
  return hung;
}

/** The seed at which the process fell silent; undefined: it played all. */
function playUntilStuck(range: readonly number[], note: (failure: Failure) => void): Promise<number | undefined> {
  const worker: ChildProcess = fork(join(import.meta.dirname, "worker.ts"), range.map(String));
  let current = range[0];
  let isDone = false;
  let timer: NodeJS.Timeout | undefined;
  const watch = () => {
    clearTimeout(timer);
    timer = setTimeout(() => worker.kill("SIGKILL"), SILENCE_MS);
  };
  watch();
  worker.on("message", (message: WorkerMessage) => {
    watch();
    if (message.type === "begins") current = message.seed;
    else if (message.type === "failed") note(message.failure);
    else isDone = true;
  });
  return new Promise((resolve) => {
    worker.on("exit", () => {
      clearTimeout(timer);
      resolve(isDone ? undefined : current);
    });
  });
}
