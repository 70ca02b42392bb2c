import { simulate } from "../simulate/simulation.ts";
import { scriptOf } from "../simulate/write-script.ts";

/** A process of its own, in a copy with a mutant: plays seeds until one breaks an invariant, and prints which. */
const [seeds = 0] = process.argv.slice(2).map(Number);
for (let seed = 1; seed <= seeds; seed++) {
  process.stdout.write(`${JSON.stringify({ seed })}\n`);
  const { violation } = await simulate(scriptOf(seed));
  if (!violation) continue;
  process.stdout.write(`${JSON.stringify({ seed, invariant: violation.invariant })}\n`);
  break;
}
