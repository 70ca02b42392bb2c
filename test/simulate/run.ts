import { parseArgs } from "node:util";
import { printRegression } from "./print-script.ts";
import { runSeeds } from "./run-seeds.ts";
import type { Failure } from "./try-seed.ts";

/** `npm run simulate -- --seeds 2000 [--from 1] [--seed 7]`: plays seeds on all cores; a failing one is shrunk and printed. */
const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "2000" },
    from: { type: "string", default: "1" },
    seed: { type: "string" },
  },
});

const from = Number(values.seed ?? values.from);
const count = values.seed === undefined ? Number(values.seeds) : 1;
if (!Number.isSafeInteger(from) || !Number.isSafeInteger(count) || count < 1) {
  console.error(
    "--seeds, --from and --seed take whole numbers, and at least one seed: npm run simulate -- --seeds 2000",
  );
  process.exit(2);
}

const startedAt = performance.now();
const { failures, hung } = await runSeeds(from, count, printFailure);
for (const seed of hung) console.error(`seed ${seed} hangs`);
const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
console.log(`${count} seeds from ${from}: ${failures.length} failed, ${hung.length} hung, in ${seconds} s`);
process.exit(failures.length + hung.length > 0 ? 1 : 0);

function printFailure({ seed, invariant, message, script }: Failure): void {
  console.error(
    `seed ${seed} breaks ${invariant}\n${message}\nAs a regression test (test/simulate/regressions.test.ts):`,
  );
  console.error(printRegression(`seed ${seed}: ${invariant}`, script));
}
