import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { attachmentNamed, sanitiseFileName } from "../../src/lib/file-name.ts";

describe("file names", () => {
  it.each([
    ["../../etc/passwd", ".._.._etc_passwd"],
    ["a\\b.txt", "a_b.txt"],
    ["line\nbreak\r.txt", "linebreak.txt"],
    ["sep\u2028para\u2029x", "sep para x"],
    ["evil\u202egnp.exe", "evilgnp.exe"],
    ["nul\0byte", "nulbyte"],
    ["zero\u200bwidth\ufeff", "zerowidth"],
    ["half\ud800pair", "halfpair"],
    ["  many   spaces ", "many spaces"],
    ["\u0001\u202e", "file"],
    ["..", "file"],
    ["///", "file"],
    ["Grüße 😀.txt", "Grüße 😀.txt"],
  ])("[V-16] %j is kept as %j", (name, kept) => {
    expect(sanitiseFileName(name)).toBe(kept);
  });

  it("[V-16] nothing that could mislead is left of any name, and something always is", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 255 }), (name) => {
        const kept = sanitiseFileName(name);
        expect(kept).not.toMatch(/[\p{C}/\\]|[^\P{Z} ]/u);
        expect(kept.length).toBeGreaterThan(0);
        expect(kept.length).toBeLessThanOrEqual(255);
        expect(sanitiseFileName(kept)).toBe(kept);
      }),
    );
  });

  it("[V-19] any name makes one header of printable ASCII that names an attachment", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 255 }), (name) => {
        const header = attachmentNamed(name);
        expect(header).toMatch(/^attachment; filename="[^"\\]*"; filename\*=UTF-8''[\w!#$&+.^`|~%-]*$/);
        expect(header).toMatch(/^[\x20-\x7e]*$/);
      }),
    );
  });
});
