import { parseArgs } from "node:util";
import { runHunt } from "./authority/run-hunt.ts";
import { HOLD_MUTANTS } from "./hold-mutants.ts";
import { MUTANTS } from "./mutants.ts";
import { HOLDS, KERNEL, tryMutant } from "./try-mutant.ts";

/** Seeds within which each mutant must be caught. */
const SEEDS = 200;

/**
 * `npm run mutants -- [--only name]`: each mutant of the kernel must break an invariant of the simulation; with
 * `--holds`, one of the holds a promise of their random histories; with `--authority`, the crawl must fail without each check of who may do what.
 */
const { values } = parseArgs({
  options: { only: { type: "string" }, authority: { type: "boolean" }, holds: { type: "boolean" } },
});
if (values.authority) process.exit(runHunt(values.only === undefined ? [] : [values.only]).code);

const [all, ground] = values.holds ? [HOLD_MUTANTS, HOLDS] : [MUTANTS, KERNEL];
const chosen = all.filter(({ name }) => values.only === undefined || name === values.only);
if (chosen.length === 0) {
  console.error(`--only ${values.only}: no such mutant. There are: ${all.map(({ name }) => name).join(", ")}`);
  process.exit(2);
}

const survivors: string[] = [];
const waiting = [...chosen];
await Promise.all([work(), work()]);
console.log(`${chosen.length} mutants, ${chosen.length - survivors.length} caught within ${SEEDS} seeds`);
for (const name of survivors) console.error(`${name} survived`);
process.exit(survivors.length > 0 ? 1 : 0);

async function work(): Promise<void> {
  for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
    const { seeds, invariant } = await tryMutant(mutant, SEEDS, ground);
    if (invariant === undefined) survivors.push(mutant.name);
    console.log(`${mutant.name.padEnd(32)} ${String(seeds).padStart(4)}  ${invariant ?? "SURVIVED"}`);
  }
}
