import fc from "fast-check";
import { expect, it } from "vitest";
import { copyJson } from "../../src/lib/copy-json.ts";
import type { Json } from "../../src/lib/json.ts";

it("gives an equal value that shares nothing, keys in their order", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const json = JSON.parse(JSON.stringify(value)) as Json;
      const copy = copyJson(json);
      expect(JSON.stringify(copy)).toBe(JSON.stringify(json));
      if (typeof json === "object" && json !== null) expect(copy).not.toBe(json);
    }),
  );
  const value = { list: [{ n: 1 }] };
  const copy = copyJson(value);
  copy.list.push({ n: 2 });
  expect(value).toEqual({ list: [{ n: 1 }] });
});

it("copies what is nested deeper than the stack reaches", () => {
  const deep = JSON.parse("[".repeat(200_000) + "]".repeat(200_000)) as Json;
  let depth = 0;
  for (let at: Json = copyJson(deep); Array.isArray(at); at = (at as readonly Json[])[0] ?? null) depth++;
  expect(depth).toBe(200_000);
});

it("copies a key named __proto__ as a key", () => {
  const copy = copyJson(JSON.parse('{"__proto__": {"x": 1}}') as Json);
  expect(Object.keys(copy as object)).toEqual(["__proto__"]);
  expect((copy as { x?: unknown }).x).toBeUndefined();
});
