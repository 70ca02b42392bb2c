import * as fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { escapeName, escapeText, quoteText } from "../../../src/holds/card/escape.ts";

// All code points in each class: a second on an idle machine, more on a busy one.
vi.setConfig({ testTimeout: 60_000 });

const LAST = 0x10ffff;
/** The classes of the design, by Unicode property. */
const CLASSES: readonly (readonly [string, RegExp])[] = [
  ["control", /\p{Cc}/u],
  ["format", /\p{Cf}/u],
  ["surrogate", /\p{Cs}/u],
  ["private-use", /\p{Co}/u],
  ["unassigned", /\p{Cn}/u],
  ["bidi control", /\p{Bidi_Control}/u],
  ["default-ignorable", /\p{Default_Ignorable_Code_Point}/u],
  ["variation selector", /\p{Variation_Selector}/u],
  ["unusual space", /(?! )[\p{Z}\p{White_Space}]/u],
  ["enclosing mark", /\p{Me}/u],
];

const points: number[] = Array.from({ length: LAST + 1 }, (_, point) => point);
const spelled = (point: number) => ({ 9: "\\t", 10: "\\n", 92: "\\\\" })[point] ?? `\\u{${point.toString(16)}}`;

/** Text made of what attackers use and of ordinary letters. */
const nasty = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...Array.from('\\\n\t\r "{}u'),
        "\u202e",
        "\u200b",
        "\u00a0",
        "\u3000",
        "\ud800",
        "\udc00",
        "\u0301",
        "\u0338",
      ),
      fc.constantFrom(
        "\\u{200b}",
        "\\\\",
        "\\n",
        "e",
        "é",
        "\u212b",
        "Å",
        "A\u030a",
        "\u1100",
        "\u1161",
        "\u11a8",
        "가",
        "\ufe0f",
      ),
      fc.integer({ min: 0, max: LAST }).map((point) => String.fromCodePoint(point)),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(""));

describe("escapeText", () => {
  it.each(CLASSES)("[H-29] spells out every %s character inside words", (_name, property) => {
    const members = points.filter((point) => property.test(String.fromCodePoint(point)));
    const shown = escapeText(members.map((point) => `${String.fromCodePoint(point)}z`).join("")).split("z");
    const wrong = members.filter((point, i) => shown[i] !== spelled(point)).map((point) => point.toString(16));
    expect(members.length).toBeGreaterThan(3);
    expect(shown).toHaveLength(members.length + 1);
    expect(wrong).toEqual([]);
  });

  it.each(CLASSES)("[H-29] spells out %s characters that stand alone or in a row", (_name, property) => {
    const members = points
      .filter((point) => point % 97 === 0 || point < 0x3000)
      .filter((point) => property.test(String.fromCodePoint(point)));
    for (const point of members) expect(escapeText(String.fromCodePoint(point))).toBe(spelled(point));
  });

  it.each([
    ["a\nb\tc", "a\\nb\\tc"],
    ["C:\\new", "C:\\\\new"],
    ["\r\n", "\\u{d}\\n"],
    ["pay \u202etxt.exe", "pay \\u{202e}txt.exe"],
    ["a\u00a0b\u3000c d", "a\\u{a0}b\\u{3000}c d"],
    ["x\ud800y", "x\\u{d800}y"],
    ["\udc00\ud800", "\\u{dc00}\\u{d800}"],
    ["\\u{202e}", "\\\\u{202e}"],
    ["\u{e0041}\u{f0000}", "\\u{e0041}\\u{f0000}"],
    ["ㅤᅠﾠ⠀", "\\u{3164}\\u{1160}\\u{ffa0}\\u{2800}"],
    ["d\u0336e\u0336l", "d\\u{336}e\\u{336}l"],
    ["", ""],
  ])("[H-29] shows %j as %j", (text, shown) => {
    expect(escapeText(text)).toBe(shown);
  });

  it.each([
    ["Ärger, naïve, Łódź, ﬁn"],
    ["Привет, мир"],
    ["Ελλάδα"],
    ["שָׁלוֹם"],
    ["مَرْحَبًا"],
    ["नमस्ते क्षत्रिय"],
    ["สวัสดีครับ น้ำ"],
    ["བོད་ཡིག"],
    ["こんにちは、世界。カタカナ"],
    ["안녕하세요"],
    ["ខ្មែរ"],
    ["emoji 🙂👍🏽 🇩🇪 ½ € — “quotes” «»"],
    ['~!@#$%^&*()_+{}|:<>?`-=[];\',./ and "quotes"'],
  ])("[H-30] keeps %s as it is", (text) => {
    const stored = text.normalize("NFC");
    expect(escapeText(stored)).toBe(stored);
  });

  it("[H-30] keeps every letter of every script that is its own normal form and renders", () => {
    const letters = points.map((point) => String.fromCodePoint(point)).filter((char) => /\p{L}|\p{N}/u.test(char));
    const lost = letters.filter((char) => escapeText(char) !== char);
    const excused = lost.filter(
      (char) => char.normalize("NFC") !== char || /\p{Default_Ignorable_Code_Point}/u.test(char),
    );
    expect(lost).toEqual(excused);
    expect(letters.length - lost.length).toBeGreaterThan(130_000);
  });

  it("[H-30] spells out marks on no letter and beyond eight on one", () => {
    expect(escapeText("\u0301a")).toBe("\\u{301}a");
    expect(escapeText('"\u0301')).toBe('"\\u{301}');
    expect(escapeText("=\u0338 1\u20e3")).toBe("=\\u{338} 1\\u{20e3}");
    expect(escapeText(`q${"\u0323".repeat(10)}`)).toBe(`q${"\u0323".repeat(8)}\\u{323}\\u{323}`);
  });

  it("[H-31] gives composed and decomposed spellings different looks", () => {
    expect(escapeText("é")).toBe("é");
    expect(escapeText("e\u0301")).toBe("e\\u{301}");
    expect(escapeText("\u212b")).toBe("\\u{212b}");
    expect(escapeText("\u1100\u1161")).toBe("\u1100\\u{1161}");
    expect(escapeText("\uf900")).toBe("\\u{f900}");
  });

  it("[H-31] can be read back, whatever the text", () => {
    fc.assert(
      fc.property(nasty, (text) => {
        expect(unescape(escapeText(text))).toBe(text);
        expect(unescape(quoteText(text).slice(1, -1))).toBe(text);
      }),
      { numRuns: 5_000 },
    );
  });

  it("[H-31] two different texts differ also after normalisation", () => {
    fc.assert(
      fc.property(nasty, nasty, (a, b) => {
        fc.pre(a !== b);
        expect(escapeText(a).normalize("NFC")).not.toBe(escapeText(b).normalize("NFC"));
      }),
      { numRuns: 5_000 },
    );
  });

  it("[H-31] what is shown is in normal form and holds nothing deceptive", () => {
    const deceptive = new RegExp(CLASSES.map(([, property]) => property.source).join("|"), "u");
    fc.assert(
      fc.property(nasty, (text) => {
        const shown = escapeText(text);
        expect(shown.normalize("NFC")).toBe(shown);
        expect(deceptive.test(shown)).toBe(false);
      }),
      { numRuns: 5_000 },
    );
  });

  it("[H-31] is done with 256 KiB of stacked marks in under five seconds", () => {
    const started = performance.now();
    escapeText(`a${"\u0323\u0301".repeat(64 * 1024)}`);
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});

describe("quoteText", () => {
  it("[H-41] cannot be left by a quote", () => {
    expect(quoteText('a","b')).toBe('"a\\",\\"b"');
    expect(quoteText('\\"')).toBe('"\\\\\\""');
  });
});

describe("escapeName", () => {
  it.each([
    ["send_webhook", "send_webhook"],
    ["s\u0435nd_webhook", "s\\u{435}nd_webhook"],
    ["send\u200b_webhook", "send\\u{200b}_webhook"],
    ["ѕend", "\\u{455}end"],
    ["a\\b", "a\\\\b"],
  ])("[H-32] shows %j as %j", (name, shown) => {
    expect(escapeName(name)).toBe(shown);
  });

  it("[H-32] is printable ASCII and can be read back", () => {
    fc.assert(
      fc.property(nasty, (name) => {
        expect(escapeName(name)).toMatch(/^[ -~]*$/);
        expect(unescape(escapeName(name))).toBe(name);
      }),
    );
  });
});

/** Reads what `escapeText` wrote. */
function unescape(shown: string): string {
  return shown.replace(/\\(?:u\{([0-9a-f]+)\}|(.))/gu, (_all, hex: string | undefined, char: string) =>
    hex === undefined ? ({ n: "\n", t: "\t" }[char] ?? char) : String.fromCodePoint(Number.parseInt(hex, 16)),
  );
}
