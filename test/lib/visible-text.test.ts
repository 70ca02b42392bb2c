import { describe, expect, it } from "vitest";
import { visibleText } from "../../src/lib/visible-text.ts";

describe("visibleText", () => {
  it.each([
    ["tags", "a\u{e0069}\u{e0067}b", "ab"],
    ["variation selectors beyond the first 16", "a\u{e0100}\u{e01ef}b", "ab"],
    ["direction overrides", "a\u202eb\u202cc\u2066d\u2069\u200e\u200f\u061c", "abcd"],
    ["zero-width spaces and marks", "a\u200bb\u2060c\ufeffd\u00ade\u180e", "abcde"],
    ["controls", "a\u0000b\u001b[31mc\u007f\u0085\u009bd", "ab[31mcd"],
    ["interlinear marks", "a\ufff9b\ufffa", "ab"],
  ])("[G-22] removes %s", (_what, text, expected) => {
    expect(visibleText(text)).toBe(expected);
  });

  it("[G-22] keeps what scripts and emoji need, tabs and lines", () => {
    const text = "a\tb\nc می\u200cخواهم 👩\u200d💻 ❤\ufe0f";
    expect(visibleText(text)).toBe(text);
  });

  it("[G-22] makes line ends one and replaces half characters", () => {
    expect(visibleText("a\r\nb\rc\n\ud83d!")).toBe("a\nb\nc\n\ufffd!");
  });
});
