import type { AnyStep } from "./actors/index.ts";
import type { Script } from "./script.ts";
import { shrink } from "./shrink.ts";
import { simulate } from "./simulation.ts";
import { scriptOf } from "./write-script.ts";

/** A seed that breaks an invariant. */
export interface Failure {
  readonly seed: number;
  readonly invariant: string;
  readonly message: string;
  /** As small as shrinking made it. */
  readonly script: Script<AnyStep>;
}

/** Plays a seed. Undefined: everything held. */
export async function trySeed(seed: number): Promise<Failure | undefined> {
  const script = scriptOf(seed);
  const { violation } = await simulate(script);
  if (!violation) return undefined;
  const { invariant } = violation;
  const smallest = await shrink(script, async (candidate) => {
    const outcome = await simulate(candidate);
    return outcome.violation?.invariant === invariant;
  });
  const { violation: shown = violation } = await simulate(smallest);
  return { seed, invariant, message: shown.message, script: smallest };
}
