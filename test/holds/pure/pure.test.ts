import { describe, expect, it } from "vitest";
import { HISTORIES, press, say } from "./pure-histories.ts";
import { judgePure, searchPure } from "./pure-property.ts";

/** Histories of each seed; more for a long search: `ALTHING_RUNS=5000 npx vitest run test/holds/pure`. */
const RUNS = Number(process.env["ALTHING_RUNS"] ?? 125);
const MS_PER_RUN = 20;
const SEEDS = Array.from({ length: 16 }, (_, nth) => nth + 1);

describe("holds and transcript as a reducer", () => {
  it.each(SEEDS)(
    "[H-160] [H-161] keep every promise in whatever order (seed %i)",
    async (seed) => {
      const found = await searchPure(seed, RUNS);
      expect(found.failed ? `${String(found.errorInstance)} ${JSON.stringify(found.counterexample)}` : "").toBe("");
      expect(found.numRuns).toBe(RUNS);
    },
    Math.max(5_000, RUNS * MS_PER_RUN),
  );

  it.each(HISTORIES)("[H-160] what runs: %s", async (_name, ran, ops) => {
    const history = await judgePure("shared", ops);
    expect(history.oracle.violations).toEqual([]);
    expect([...history.ran].sort()).toEqual([...ran].sort());
  });

  it("[H-160] a failing history is told with the shortest one like it", async () => {
    const found = await searchPure(1, 0);
    expect(found.failed).toBe(false);
    const blind = await judgePure("shared", [say(["plain"]), press()]);
    blind.oracle.started({ task: 999, entry: 1, index: 0, input: { as: "plain", n: 1 } });
    expect(blind.oracle.violations).toEqual(["plain 1 started: nobody approved it"]);
  });
});
