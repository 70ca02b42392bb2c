import { HISTORIES } from "../holds/pure/pure-histories.ts";
import { judgePure, searchPure } from "../holds/pure/pure-property.ts";

/**
 * A process of its own, in a copy with a mutant: plays what is known to run, then histories of seeds, until something is
 * wrong, and prints what.
 */
const [seeds = 0] = process.argv.slice(2).map(Number);
const RUNS = 50;

for (const [name, expected, ops] of HISTORIES) {
  const { ran, oracle } = await judgePure("shared", ops);
  if ([...ran].sort().join() !== [...expected].sort().join()) tell(0, `history ${name}`);
  if (oracle.violations.length > 0) tell(0, oracle.violations[0] ?? "");
}
for (let seed = 1; seed <= seeds; seed++) {
  process.stdout.write(`${JSON.stringify({ seed })}\n`);
  const found = await searchPure(seed, RUNS);
  if (found.failed) tell(seed, String(found.errorInstance).slice(0, 80));
}

function tell(seed: number, invariant: string): never {
  process.stdout.write(`${JSON.stringify({ seed, invariant })}\n`);
  process.exit(0);
}
