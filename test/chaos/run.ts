import { parseArgs } from "node:util";
import { runChaos } from "./run-chaos.ts";

/** `npm run chaos -- --kills 100 [--seed 7] [--wrangler]`: kills the server at random moments while a client talks. */
const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "100" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    wrangler: { type: "boolean", default: false },
  },
});

const kills = Number(values.kills);
const seed = Number(values.seed);
const report = await runChaos({ kills, seed, wrangler: values.wrangler, say: (line) => console.log(line) });
console.log(JSON.stringify(report, undefined, 2));
console.log(`seed ${seed}: ${report.kills} kills, ${report.violations.length} violations`);
process.exit(report.violations.length > 0 ? 1 : 0);
