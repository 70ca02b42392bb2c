import * as fc from "fast-check";
import { type Op, op, PureHistory } from "./pure-history.ts";
import { complaintsOfAll } from "./pure-wires.ts";

/** Plays a history and says what is wrong with it. */
export async function judgePure(visibility: "private" | "shared", ops: readonly Op[]): Promise<PureHistory> {
  const history = new PureHistory(visibility);
  await history.run(ops);
  const last = history.requests.at(-1);
  if (last) history.oracle.violations.push(...complaintsOfAll(last));
  return history;
}

/** Histories of a seed, until one breaks a promise; the shortest like it is told. */
export async function searchPure(seed: number, numRuns: number): Promise<fc.RunDetails<[Op[]]>> {
  const visibility = seed % 4 === 3 ? "private" : "shared";
  const property = fc.asyncProperty(fc.array(op, { minLength: 3, maxLength: 24 }), async (ops) => {
    const { violations } = (await judgePure(visibility, ops)).oracle;
    if (violations.length > 0) throw new Error(violations.join("; "));
  });
  return await fc.check(property, { seed, numRuns });
}
