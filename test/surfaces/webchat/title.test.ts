import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { forkTitle, titleFrom } from "../../../src/surfaces/webchat/title.ts";

describe("a title from the first message", () => {
  const table: readonly (readonly [string, string])[] = [
    ["Hello there", "Hello there"],
    ["\n  \n\t Plan   the\tweek \nand more", "Plan the week"],
    ["", ""],
    [" \n ", ""],
    ["x".repeat(80), "x".repeat(80)],
    ["x".repeat(81), `${"x".repeat(79)}…`],
    [`${"x".repeat(78)} yz`, `${"x".repeat(78)}…`],
    [`${"x".repeat(78)}😀yz`, `${"x".repeat(78)}…`],
  ];
  it.each(table)("[W-24] %j becomes %j", (text, title) => {
    expect(titleFrom(text)).toBe(title);
  });

  it("[W-24] has at most 80 units, one line and whole characters, whatever was said", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 200 }), (text) => {
        const title = titleFrom(text);
        return title.length <= 80 && !title.includes("\n") && title.isWellFormed();
      }),
    );
  });

  it("[F-17] a fork's is told apart, within the limit of a title, and only once", () => {
    expect(forkTitle("A day")).toBe("A day (fork)");
    expect(forkTitle("A day (fork)")).toBe("A day (fork)");
    expect(forkTitle("")).toBe("");
    expect(forkTitle("a".repeat(73))).toBe(`${"a".repeat(73)} (fork)`);
    expect(forkTitle("a".repeat(74))).toBe(`${"a".repeat(72)}… (fork)`);
  });
});
