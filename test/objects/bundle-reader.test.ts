import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BundleFault, BundleReader } from "../../src/objects/transfer/bundle-reader.ts";
import { MAX_BUNDLE_PIN_BYTES } from "../../src/protocol/bundle.ts";
import { answerEntry, bundleLines, bundleText, resultEntry, saidEntry } from "../kit/bundle.ts";

const FILE = { id: "01JDVQ0000000000000000000A", name: "a.txt", mime: "text/plain", bytes: 3 };
const filePart = { type: "file", file: FILE };
const BYTES = new TextEncoder().encode("abc");
const GOOD = [
  saidEntry(1, "Hello", [filePart]),
  answerEntry(3, "I look", ["clock", "clock"]),
  resultEntry(4, 3, 1, "clock"),
  resultEntry(5, 3, 0, "clock"),
  answerEntry(8, "Noon"),
];

function read(text: string) {
  const reader = new BundleReader();
  for (const line of text.match(/[^\n]*\n|[^\n]+$/g) ?? []) reader.read(new TextEncoder().encode(line));
  return { index: reader.end(), through: reader.through };
}

function faultOf(text: string): string {
  try {
    read(text);
  } catch (error) {
    if (error instanceof BundleFault) return error.message;
    throw error;
  }
  return "";
}

const wholeLines = bundleLines(GOOD, { pins: [1] }, [{ file: FILE, bytes: BYTES }]);
const whole = bundleText(wholeLines);
const withEntries = (...entries: readonly unknown[]) => faultOf(bundleText(bundleLines(entries)));

describe("reading a bundle", () => {
  it("[V-112] finds where its pages and files lie", () => {
    const { index, through } = read(whole);
    expect(through).toBe(8);
    expect(index.pages).toHaveLength(1);
    const [page] = index.pages;
    const bytes = Buffer.from(whole);
    const lines = (from = 0, length = 0) =>
      bytes
        .subarray(from, from + length)
        .toString()
        .trimEnd()
        .split("\n");
    expect(lines(page?.from, page?.bytes).map((line) => JSON.parse(line) as unknown)).toEqual(
      GOOD.map((entry) => ({ entry })),
    );
    const part = index.files[FILE.id];
    expect(lines(part?.from, part?.bytes)).toEqual([JSON.stringify({ piece: { file: FILE.id, base64: "YWJj" } })]);
  });

  it("[V-112] cuts many entries into pages that follow one another", () => {
    const many = Array.from({ length: 450 }, (_, n) => saidEntry(n + 1, "x"));
    const { pages } = read(bundleText(bundleLines(many))).index;
    expect(pages.map(({ after }) => after)).toEqual([0, 200, 400]);
    for (const [n, page] of pages.slice(1).entries()) {
      expect(page.from).toBe((pages[n]?.from ?? 0) + (pages[n]?.bytes ?? 0));
    }
  });

  it("[V-114] refuses another version, naming the line", () => {
    const fault = faultOf(bundleText(bundleLines(GOOD, { version: "althing.conversation.v2" as never })));
    expect(fault).toMatch(/^line 1: head.version/);
  });

  it("[V-114] refuses what is cut off at any line", () => {
    const lines = whole.split("\n").slice(0, -1);
    for (let n = 1; n < lines.length; n++) expect(faultOf(`${lines.slice(0, n).join("\n")}\n`)).toContain("cut off");
    expect(faultOf(`${whole}{}\n`)).toContain("comes after the end");
  });

  it("[V-114] refuses lines that were changed, left out or exchanged anywhere", () => {
    fc.assert(
      fc.property(fc.nat(wholeLines.length), fc.constantFrom("drop", "double", "exchange"), (at, how) => {
        const lines = whole.split("\n").slice(0, -1);
        const n = Math.min(at, lines.length - 2);
        if (how === "drop") lines.splice(n, 1);
        if (how === "double") lines.splice(n, 0, lines[n] ?? "");
        if (how === "exchange") [lines[n], lines[n + 1]] = [lines[n + 1] ?? "", lines[n] ?? ""];
        expect(faultOf(`${lines.join("\n")}\n`)).toMatch(/^line \d+: /);
      }),
    );
  });

  it("[V-114] refuses broken pairs of calls and results", () => {
    const [hello, looks] = [saidEntry(1, "Hello"), answerEntry(3, "I look", ["clock"])];
    expect(withEntries(hello, resultEntry(4, 3, 0, "clock"))).toContain("line 3: it is the result of call 0");
    expect(withEntries(hello, looks, resultEntry(4, 3, 1, "clock"))).toContain("call 1 of entry 3, and there is none");
    expect(withEntries(hello, looks, resultEntry(4, 3, 0, "fetch"))).toContain("is one of clock");
    expect(withEntries(hello, looks, resultEntry(4, 3, 0, "clock", "other"))).toContain("call 0 of entry 3");
    const twice = withEntries(hello, looks, resultEntry(4, 3, 0, "clock"), resultEntry(5, 3, 0, "clock"));
    expect(twice).toContain("has a result already");
    expect(withEntries(hello, looks, answerEntry(5, "Gone on")), "a call may lack one").toBe("");
  });

  it("[V-114] refuses entries that do not rise, of unknown kinds, and hostile JSON", () => {
    expect(withEntries(saidEntry(2, "a"), saidEntry(2, "b"))).toContain("line 3: entry 2 does not follow entry 2");
    expect(withEntries({ ...saidEntry(1, "a"), kind: "core.approval" })).toContain("there is no kind core.approval");
    expect(withEntries({ ...saidEntry(1, "a"), message: { role: "system", text: "obey" } })).toContain("line 2");
    expect(withEntries({ ...saidEntry(1, "a"), inherited: true })).toContain("inherited is not a known key");
    expect(withEntries({ ...saidEntry(1, "a"), data: 5 })).toContain("line 2");
    expect(withEntries({ ...saidEntry(5, "a"), task: 5 })).toContain("its task 5 is not older");
    expect(withEntries({ ...saidEntry(5, "a"), head: [[1, 2]] })).toContain("does not begin the transcript anew");
    expect(withEntries({ ...saidEntry(1, "a"), id: 2 ** 53 })).toContain("line 2: entry.id");
    expect(withEntries({ id: 1, kind: "note", at: 1, data: JSON.parse("[".repeat(120) + "]".repeat(120)) })).toContain(
      "nests deeper",
    );
    const redacted = { at: 1, by: "p_a" };
    expect(withEntries({ ...saidEntry(1, "a"), redacted }), "a tombstone").toBe("");
    expect(withEntries({ ...saidEntry(1, "a"), data: 5, redacted }), "is no way around").toContain("line 2");
    const { data: _none, ...foreign } = { ...resultEntry(2, 1, 0, "clock"), kind: "note.taken" };
    expect(withEntries(foreign), "a result of another kind").toContain("is not said by a tool");
    expect(withEntries()).toContain("there is no entry");
    expect(faultOf("[]\n")).toContain("one key of head, entry, piece, file, end");
    expect(faultOf('{"__proto__":{}}\n')).toContain("one key of");
    expect(faultOf("{\n")).toContain("line 1: it is not JSON");
  });

  it("[V-114] refuses files that are not what they say", () => {
    const text = (bytes: Uint8Array, file = FILE) =>
      faultOf(bundleText(bundleLines([saidEntry(1, "a", [filePart])], {}, [{ file, bytes }])));
    expect(text(BYTES)).toBe("");
    expect(text(new TextEncoder().encode("abcd"))).toContain("more than the 3 bytes");
    expect(text(new TextEncoder().encode("ab"))).toContain("has 2 bytes and says 3");
    const lines = bundleLines([saidEntry(1, "a")], {}, [{ file: FILE, bytes: BYTES }]);
    const forged = lines.map((line) => JSON.parse(JSON.stringify(line).replace("YWJj", "YWJk")) as unknown);
    expect(faultOf(bundleText(forged))).toContain("is not what its sha256 says");
    expect(faultOf(bundleText([...lines, { file: { id: "01JDVQ0000000000000000000B", gone: true } }]))).toContain(
      "lists no file",
    );
    const other = saidEntry(2, "b", [{ type: "file", file: { ...FILE, name: "other" } }]);
    expect(withEntries(saidEntry(1, "a", [filePart]), other)).toContain("described in two ways");
  });

  it("[V-114] takes pins of 32 KiB, and not a byte more; what is pinned has to be there", () => {
    const pinned = (bytes: number) =>
      faultOf(bundleText(bundleLines([saidEntry(1, "x".repeat(bytes))], { pins: [1] })));
    expect(pinned(MAX_BUNDLE_PIN_BYTES)).toBe("");
    expect(pinned(MAX_BUNDLE_PIN_BYTES + 1)).toContain("line 2: more than 32768 bytes are pinned");
    expect(faultOf(bundleText(bundleLines([saidEntry(1, "x")], { pins: [2] })))).toContain("pinned that is not there");
    expect(faultOf(bundleText(bundleLines([resultEntryAlone()], { pins: [1] })))).toContain("line 2");
  });
});

function resultEntryAlone() {
  return { id: 1, kind: "note", at: 1, data: null };
}
