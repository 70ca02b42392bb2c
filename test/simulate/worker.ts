import { type Failure, trySeed } from "./try-seed.ts";

/** What a worker tells: the seed that it begins, a seed that failed, or that it is done. */
export type WorkerMessage =
  | { readonly type: "begins"; readonly seed: number }
  | { readonly type: "failed"; readonly failure: Failure }
  | { readonly type: "done" };

/** A process of its own: plays every `stride`-th seed from `first` below `end`, all given as arguments. */
const [first = 0, end = 0, stride = 1] = process.argv.slice(2).map(Number);
const tell = (message: WorkerMessage) => process.send?.(message);

for (let seed = first; seed < end; seed += stride) {
  tell({ type: "begins", seed });
  const failure = await trySeed(seed);
  if (failure) tell({ type: "failed", failure });
}
tell({ type: "done" });
process.disconnect?.();
