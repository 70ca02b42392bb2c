import { describe, expect, it } from "vitest";
import { showBefore } from "../../../src/holds/card/show-before.ts";

const show = (before: Parameters<typeof showBefore>[0], after: Parameters<typeof showBefore>[1]) =>
  showBefore(before, after, 4_096);

describe("what an edit replaced", () => {
  it("[H-64] is each argument that differs, whatever its name, and nothing else", () => {
    expect(show({ a: 1, b: { y: 1, x: 2 } }, { a: 1, b: { x: 2, y: 1 } })).toEqual([]);
    expect(show({ a: 1, b: 2 }, { a: 2, c: 3 })).toEqual([
      { name: "a", value: "1" },
      { name: "b", value: "2" },
      { name: "c", value: null },
    ]);
    const odd = JSON.parse('{"__proto__":1,"constructor":2}') as { [key: string]: number };
    expect(show({}, odd).map(({ name, value }) => [name, value])).toEqual([
      ["__proto__", null],
      ["constructor", null],
    ]);
    expect(show(odd, {}).map(({ name, value }) => [name, value])).toEqual([
      ["__proto__", "1"],
      ["constructor", "2"],
    ]);
  });

  it("[H-64] is the whole where one of both is no object", () => {
    expect(show("text", { a: 1 })).toEqual([{ name: "\\input", value: '"text"' }]);
    expect(show({ a: 1 }, [1])).toEqual([{ name: "a", value: "1" }]);
  });

  it("[H-64] is cut and named where it is long", () => {
    const [one] = show({ a: "x".repeat(9_000) }, {});
    expect(one?.cut?.length).toBe(9_002);
    expect(JSON.stringify(one).length).toBeLessThan(2_048);
  });
});
