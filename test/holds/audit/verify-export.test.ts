import { describe, expect, it } from "vitest";
import { verifyExport } from "../../../src/holds/audit/verify-export.ts";
import { makeChain } from "../../kit/make-chain.ts";

const first = makeChain("web:a", [{ at: 1 }, { at: 2, event: "approved", by: "p_ada" }, { at: 3, event: "spent" }]);
const second = makeChain("web:b", [{ at: 1 }, { at: 5, event: "declined", by: "p_bob" }]);
const headOf = (chain: typeof first) => {
  const { conversation, seq, hash } = chain.at(-1) as (typeof first)[number];
  return JSON.stringify({ head: { conversation, seq, hash } });
};
const lines = [...first, ...second].map((line) => JSON.stringify(line));
const whole = [headOf(first), headOf(second), ...lines, JSON.stringify({ end: { lines: lines.length } }), ""];

describe("verifyExport", () => {
  it("[H-99] finds nothing in an export that is whole", () => {
    expect(verifyExport(whole)).toEqual({ chains: 2, lines: 5, faults: [], remarks: [] });
  });

  it("[H-99] says which chain is broken, and leaves the others be", () => {
    const forged = whole.map((text) => text.replace('"by":"p_ada"', '"by":"p_eve"'));
    expect(verifyExport(forged).faults).toMatchObject([{ conversation: "web:a", kind: "changed", seq: 2 }]);
  });

  it("[H-99] finds every single line left out, wherever it stands", () => {
    for (const [i, text] of whole.entries()) {
      if (text === "" || text.includes('"head"')) continue;
      const { faults, remarks } = verifyExport(whole.toSpliced(i, 1));
      expect(faults.length + remarks.length, text).toBeGreaterThan(0);
    }
  });

  it("[H-99] finds a whole chain left out, a file that was cut off, and a line that is none", () => {
    const without = whole.filter((text) => !text.includes('"v":1') || !text.includes("web:b"));
    expect(verifyExport(without).faults).toMatchObject([{ conversation: "web:b", kind: "truncated", seq: 1 }]);
    expect(verifyExport(whole.slice(0, -2)).remarks).toEqual(["the file has no end: it was cut off"]);
    const garbled = verifyExport(whole.toSpliced(3, 0, "{not json"));
    expect(garbled.remarks[0]).toBe("line 4 of the file is no line of an audit");
    expect(verifyExport([]).remarks).toHaveLength(1);
  });
});
