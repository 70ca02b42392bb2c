import { describe, expect, it } from "vitest";
import {
  afterRoom,
  beginJob,
  type ErasureJob,
  lookAgain,
  MAX_WAITING,
  nextRoom,
  restAfter,
} from "../../src/objects/erasure/erasure-job.ts";
import type { Forgotten } from "../../src/objects/erasure/erasure-rpc.ts";
import { afterFailure } from "../../src/objects/principal/durable-job.ts";

const ORDER = { id: "e_1", person: "p_anna", by: "p_olga", tier: "owner", found: [] } as const;
const SHARED: ErasureJob = { ...beginJob(ORDER, 0), phase: "shared" };
const clean = (entries: number, left = 0): Forgotten => ({ state: "clean", entries, files: 0, left });
const waitingFor = (count: number) => Array.from({ length: count }, (_, n) => ({ key: `w${n}`, isCounted: false }));

describe("shared conversations one after the other", () => {
  it("[J-59] one that has to wait lets the others go first, and is asked again until nothing is left", () => {
    const first = afterRoom(SHARED, "a", clean(3, 1));
    expect(nextRoom(first, ["b"])).toBe("b");
    const second = afterRoom(first, "b", { state: "busy" });
    expect(nextRoom(second, [])).toBe("a");
    const third = afterRoom(second, "a", clean(3, 1));
    expect(nextRoom(third, [])).toBe("b");
    const fourth = afterRoom(afterRoom(third, "b", clean(2)), "a", clean(3));
    expect(nextRoom(fourth, [])).toBeUndefined();
    expect(fourth).toMatchObject({ entries: 5, rooms: 2, after: "b", waiting: [] });
  });

  it("[J-55] a long one goes on where it was, whatever else has come, and counts each entry once", () => {
    const walk = { after: 200, theirs: false, touched: true };
    const first = afterRoom(SHARED, "b", { state: "more", walk, entries: 4, files: 1 });
    expect(nextRoom(first, ["a", "b"])).toBe("b");
    expect(first.at).toEqual({ key: "b", walk, entries: 4 });
    const second = afterRoom(first, "b", clean(2));
    expect(second).toMatchObject({ at: null, entries: 6, files: 1, rooms: 1, after: "b" });
  });

  it(`[J-59] when ${MAX_WAITING} wait, those are asked before any other`, () => {
    expect(nextRoom({ ...SHARED, waiting: waitingFor(MAX_WAITING - 1) }, ["z"])).toBe("z");
    expect(nextRoom({ ...SHARED, waiting: waitingFor(MAX_WAITING) }, ["z"])).toBe("w0");
  });

  it("[J-59] whoever has to wait is asked after a while, whoever has not ended a turn soon", () => {
    expect(restAfter(clean(1))).toBe(0);
    expect(restAfter({ state: "busy" })).toBeLessThan(restAfter(clean(1, 1)));
  });

  it("[J-56] the second look counts what is theirs anew", () => {
    const again = lookAgain(afterRoom(SHARED, "a", { state: "clean", entries: 3, files: 2, left: 0 }));
    expect(again).toMatchObject({ phase: "private", round: 2, after: "", entries: 0, rooms: 0, files: 2 });
  });

  it("[J-55] a step that fails is due again later and later, ten minutes at most", () => {
    const due: number[] = [];
    for (let job = SHARED, n = 0; n < 12; n++) {
      job = afterFailure(job, 0);
      due.push(job.due);
    }
    expect(due.slice(0, 3)).toEqual([2_000, 4_000, 8_000]);
    expect(due.at(-1)).toBe(600_000);
  });
});
