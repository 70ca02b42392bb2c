import { describe, expect, it } from "vitest";
import { findInputFault, MAX_INPUT_BYTES } from "../../../src/holds/bound/input-fault.ts";
import { MAX_INPUT_DEPTH } from "../../../src/protocol/limits.ts";

describe("findInputFault", () => {
  it("[H-7] takes JSON at the limits of depth and size", () => {
    expect(findInputFault(nested(MAX_INPUT_DEPTH))).toBeUndefined();
    expect(findInputFault({ a: "x".repeat(MAX_INPUT_BYTES - '{"a":""}'.length) })).toBeUndefined();
  });

  it("[H-7] refuses one level and one byte more, naming the limit", () => {
    expect(findInputFault(nested(MAX_INPUT_DEPTH + 1))).toMatch(/deeper than 100 levels: flatten/);
    const fault = findInputFault({ a: "x".repeat(MAX_INPUT_BYTES - '{"a":""}'.length + 1) });
    expect(fault).toMatch(/have 262145 bytes, the limit is 262144: put long content into a file/);
  });

  it("[H-7] refuses hostile nesting without overflowing the stack", () => {
    expect(findInputFault(JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`))).toMatch(/deeper than 100/);
  });

  it.each([
    ["a date", { when: new Date(0) }, "$.when: an instance of Date"],
    ["undefined", { a: [undefined] }, "$.a[0]: undefined"],
    ["NaN", { a: Number.NaN }, "$.a: NaN"],
  ])("[H-7] refuses %s, naming its path", (_what, input, part) => {
    expect(findInputFault(input)).toContain(part);
  });

  it("[H-7] refuses a value that contains itself", () => {
    const loop: { left?: unknown; right?: unknown } = {};
    loop.left = loop;
    loop.right = [loop, loop];
    expect(findInputFault(loop)).toMatch(/deeper than 100/);
  });
});

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let i = 0; i < levels; i++) value = [value];
  return value;
}
