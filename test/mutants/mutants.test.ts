import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { HOLD_MUTANTS } from "./hold-mutants.ts";
import { MUTANTS } from "./mutants.ts";
import { HOLDS, mutate, tryMutant } from "./try-mutant.ts";

/** Caught within a seed or two; `npm run mutants` tries all of them. */
const CHEAP = ["request-without-commit", "memos-left-behind", "placed-twice"];

describe("mutants of the kernel", () => {
  it.each(MUTANTS)("[Z-6] the text of $name is in the kernel once", (mutant) => {
    const source = readFileSync(`src/kernel/${mutant.file}`, "utf8");
    expect(mutate(source, mutant)).not.toBe(source);
  });

  it("[Z-6] a text that is missing or there twice is refused", () => {
    const mutant = { name: "m", breaks: "", file: "f.ts", text: "x;", instead: "" };
    expect(() => mutate("a; b;", mutant)).toThrow("mutant m: its text is 0 times in f.ts, not once");
    expect(() => mutate("x; x;", mutant)).toThrow("mutant m: its text is 2 times in f.ts, not once");
    expect(mutate("a; x; b;", mutant)).toBe("a;  b;");
  });

  it("[Z-6] no two mutants have the same name", () => {
    const names = MUTANTS.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
  });

  it.each(CHEAP)(
    "[Z-7] %s is caught",
    async (name) => {
      const mutant = MUTANTS.find((one) => one.name === name);
      const caught = mutant && (await tryMutant(mutant, 20));
      expect(caught?.invariant).toMatch(/^\w+$/);
    },
    60_000,
  );
});

describe("mutants of the holds", () => {
  it.each(HOLD_MUTANTS)("[H-162] the text of $name is there once", (mutant) => {
    const source = readFileSync(`src/holds/${mutant.file}`, "utf8");
    expect(mutate(source, mutant)).not.toBe(source);
  });

  it("[H-162] no two of them have the same name", () => {
    const names = HOLD_MUTANTS.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
  });

  it.each(["approver-not-asked-again", "any-key-withdraws", "press-wakes-nobody"])(
    "[H-162] %s is caught",
    async (name) => {
      const mutant = HOLD_MUTANTS.find((one) => one.name === name);
      const caught = mutant && (await tryMutant(mutant, 5, HOLDS));
      expect(caught?.invariant).toBeDefined();
    },
    60_000,
  );
});
