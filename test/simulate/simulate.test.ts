import { describe, expect, it } from "vitest";
import { simulate } from "./simulation.ts";
import { trySeed } from "./try-seed.ts";
import { scriptOf } from "./write-script.ts";

/** Seeds that CI plays; `npm run simulate` plays others. */
const SEEDS = 50;

describe("simulation", () => {
  it("[Z-2] [K-9] [K-30] [K-31] [T-9] [T-28] [E-4] [E-8] [E-9] fifty seeds keep every invariant", async () => {
    for (let seed = 1; seed <= SEEDS; seed++) expect(await trySeed(seed), `seed ${seed}`).toBeUndefined();
  }, 60_000);

  it("[Z-1] plays the same commits for the same seed, and others for another", async () => {
    const play = async (seed: number) => JSON.stringify((await simulate(scriptOf(seed))).commits);
    const first = await play(8);
    expect(await play(8)).toBe(first);
    expect(await play(9)).not.toBe(first);
  });
});
