import { parseArgs } from "node:util";
import { runChaos, runPeopleChaos } from "./run-chaos.ts";

/**
 * `npm run chaos -- --kills 100 [--seed 7] [--wrangler | --people 2]`: kills the server at random moments while a client
 * talks, or while two people decide about each other's calls.
 */
const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "100" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    wrangler: { type: "boolean", default: false },
    people: { type: "string", default: "1" },
  },
});

const kills = Number(values.kills);
const seed = Number(values.seed);
const { wrangler, people } = values;
if (people !== "1" && people !== "2") throw new Error(`--people ${people}: there are runs with 1 and with 2`);
if (wrangler && people === "2")
  throw new Error("--wrangler goes with one person: with two, the disk is read afterwards");
const say = (line: string) => console.log(line);
const report = await (people === "2" ? runPeopleChaos({ kills, seed, say }) : runChaos({ kills, seed, wrangler, say }));
console.log(JSON.stringify(report, undefined, 2));
console.log(`seed ${seed}: ${report.kills} kills, ${report.violations.length} violations`);
process.exit(report.violations.length > 0 ? 1 : 0);
