import { expect, it } from "vitest";
import { deepFreeze } from "../../src/lib/deep-freeze.ts";

it("makes a value and everything in it unchangeable, and gives it back", () => {
  const value = { list: [{ n: 1 }], text: "x", none: null };
  expect(deepFreeze(value)).toBe(value);
  expect(() => value.list.push({ n: 2 })).toThrow(TypeError);
  expect(() => Object.assign(value.list[0] ?? {}, { n: 2 })).toThrow(TypeError);
  expect(() => Object.assign(value, { text: "y" })).toThrow(TypeError);
  expect(deepFreeze("text")).toBe("text");
  expect(deepFreeze(null)).toBeNull();
});
