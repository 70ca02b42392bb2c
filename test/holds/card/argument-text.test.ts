import { describe, expect, it } from "vitest";
import { argumentText } from "../../../src/holds/card/argument-text.ts";
import { renderCard } from "../../../src/holds/card/card.ts";
import type { Json } from "../../../src/lib/json.ts";
import { makeHold } from "../make.ts";

const LIMIT = 256 * 1024;

function namesOf(input: Json, argumentBytes?: number): string[] {
  const budget = argumentBytes === undefined ? {} : { argumentBytes };
  return renderCard(makeHold(), { tool: "t", input }, budget).args.map((arg) => arg.name);
}

function jsonBytes(text: string): number {
  return new TextEncoder().encode(JSON.stringify(text)).byteLength - 2;
}

describe("argumentText", () => {
  it("[H-40] gives the whole value of an argument that the card cut", () => {
    const body = `${"x".repeat(50_000)}\u202eend`;
    expect(argumentText({ input: { body, other: 1 } }, "body")).toBe(`"${"x".repeat(50_000)}\\u{202e}end"`);
  });

  it("[H-40] finds each argument by the name that the card shows, odd and cut names included", () => {
    const input = { "a\nb": 1, "\u202e": 2, "\\n": 3, "": 4, ["n".repeat(30_000)]: 5, __proto__x: 6 };
    const values = namesOf(input).map((name) => argumentText({ input }, name));
    expect(new Set(values)).toEqual(new Set(["1", "2", "3", "4", "5", "6"]));
  });

  it("[H-40] gives nothing for a name that the card does not show", () => {
    for (const name of [
      "b",
      "a\nb",
      "toString",
      "__proto__",
      "\\input",
      "\\rest(0 arguments)",
      "\\rest(2 arguments)",
    ]) {
      expect(argumentText({ input: { "a\nb": 1 } }, name)).toBeUndefined();
    }
  });

  it("[H-40] gives all arguments that the card only listed", () => {
    const input = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`k${String(i).padStart(3, "0")}`, i]));
    const rest = namesOf(input).at(-1) ?? "";
    expect(rest).toMatch(/^\\rest/);
    expect(argumentText({ input }, rest)).toMatch(/^\{"k\d{3}":\d+,.*"k999":999\}$/);
  });

  it.each([1_200, 2_000, 10_240])("[H-40] finds every name that a card of %i bytes of arguments shows", (bytes) => {
    const many = Object.fromEntries(
      Array.from({ length: 100 }, (_, i) => [`k${i}${"n".repeat(500)}`, "v".repeat(500)]),
    );
    for (const input of [many, { a: 1, "b\n": "x".repeat(9_000) }, ["x".repeat(9_000)], { ["n".repeat(9_000)]: 1 }]) {
      const names = namesOf(input, bytes);
      expect(names.length).toBeGreaterThan(0);
      expect(names.filter((name) => argumentText({ input }, name) === undefined)).toEqual([]);
    }
  });

  it("[H-40] gives the whole input where it is no object", () => {
    expect(argumentText({ input: [1, 2] }, "\\input")).toBe("[1,2]");
  });

  it("[H-40] is whole at 256 KiB and cut, with length and digest named, one byte above", () => {
    const fits = "x".repeat(LIMIT - 4);
    expect(argumentText({ input: { a: fits } }, "a")).toBe(`"${fits}"`);
    const cut = argumentText({ input: { a: `${fits}x` } }, "a") ?? "";
    expect(cut).toMatch(/" \\cut\(262141 units, sha256 [0-9a-f]{16}\)$/);
    expect(jsonBytes(cut)).toBeLessThanOrEqual(LIMIT);
  });

  it("[H-40] stays within 256 KiB for a value that escaping makes eight times as long", () => {
    const text = argumentText({ input: { a: "\u200b".repeat(40_000) } }, "a") ?? "";
    expect(text).toMatch(/^"(?:\\u\{200b\})+" \\cut\(40000 units/);
    expect(jsonBytes(text)).toBeLessThanOrEqual(LIMIT);
    const keys = Object.fromEntries(Array.from({ length: 15_000 }, (_, i) => [`\u200b${i}`, 1]));
    expect(jsonBytes(argumentText({ input: { a: keys } }, "a") ?? "")).toBeLessThanOrEqual(LIMIT);
  });
});
