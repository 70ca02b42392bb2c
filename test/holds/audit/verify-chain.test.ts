import { beforeAll, describe, expect, it } from "vitest";
import { hashLine, sealLine } from "../../../src/holds/audit/seal-line.ts";
import { verifyChain } from "../../../src/holds/audit/verify-chain.ts";
import type { AuditLine } from "../../../src/protocol/audit.ts";
import { HoldWorld } from "../../kit/hold-world.ts";

const KEY = "web:test";
let chain: readonly AuditLine[] = [];

/** A line as somebody would leave it who changes it and hashes it anew. */
const resealed = (line: AuditLine, change: object): AuditLine => {
  const changed = { ...line, ...change };
  return { ...changed, hash: hashLine(changed) };
};

const other = (value: string | number | null): unknown => {
  if (typeof value === "number") return value + 1;
  if (value === null) return "x";
  return /^[0-9a-f]{64}$/.test(value) ? "f".repeat(64) : `${value}x`;
};

const headOf = (lines: readonly AuditLine[]) => {
  const { seq, hash } = lines.at(-1) as AuditLine;
  return { seq, hash };
};

beforeAll(async () => {
  const holds = new HoldWorld();
  await holds.toCard();
  await holds.press("approve", { digest: "0".repeat(64) });
  await holds.press("approve", { note: "go" });
  await holds.world.run();
  holds.say("go again");
  await holds.world.run(() => holds.cards.some(({ status }) => status === "open"));
  await holds.press("decline");
  await holds.world.run();
  chain = holds.audit;
});

describe("verifyChain", () => {
  it("[H-92] finds nothing in a chain that is whole", () => {
    expect(chain.length).toBeGreaterThan(5);
    expect(chain.map(({ seq }) => seq)).toEqual(chain.map((_, i) => i + 1));
    expect(verifyChain(KEY, chain)).toBeUndefined();
    expect(verifyChain(KEY, chain, headOf(chain))).toBeUndefined();
    expect(verifyChain(KEY, [])).toBeUndefined();
  });

  it("[H-99] finds every field of every line changed, left out or added", () => {
    for (const [i, line] of chain.entries()) {
      for (const [key, value] of Object.entries(line)) {
        const where = `${key} of line ${line.seq}`;
        const { [key as keyof AuditLine]: _gone, ...without } = line;
        expect(verifyChain(KEY, chain.with(i, { ...line, [key]: other(value) })), where).toBeDefined();
        expect(verifyChain(KEY, [...chain.slice(0, i), without, ...chain.slice(i + 1)]), where).toBeDefined();
      }
      expect(verifyChain(KEY, [...chain.slice(0, i), { ...line, more: 1 }, ...chain.slice(i + 1)])).toBeDefined();
    }
  });

  it("[H-99] finds a changed line that was hashed anew: by the line after, the newest by the known head", () => {
    for (const [i, line] of chain.entries()) {
      const forged = chain.with(i, resealed(line, { at: line.at + 1 }));
      expect(verifyChain(KEY, forged, headOf(chain)), `line ${line.seq}`).toMatchObject(
        i + 1 < chain.length ? { kind: "changed", seq: line.seq + 1 } : { kind: "forked", seq: line.seq },
      );
    }
  });

  it("[H-99] names a missing line, two in another order, one that stands twice, a fork and a lost end", () => {
    const [first, second, third] = chain as [AuditLine, AuditLine, AuditLine];
    expect(verifyChain(KEY, chain.toSpliced(1, 1))).toMatchObject({ kind: "missing", seq: 2 });
    expect(verifyChain(KEY, chain.toSpliced(0, 1))).toMatchObject({ kind: "missing", seq: 1 });
    expect(verifyChain(KEY, [first, third, second])).toMatchObject({ kind: "reordered", seq: 2 });
    expect(verifyChain(KEY, chain.toSpliced(1, 0, second))).toMatchObject({ kind: "repeated", seq: 2 });
    const rival = sealLine(first, { ...second, by: "p_eve" });
    expect(verifyChain(KEY, [first, second, rival])).toMatchObject({ kind: "forked", seq: 2 });
    for (let kept = 0; kept < chain.length; kept++) {
      const cut = chain.slice(0, kept);
      expect(verifyChain(KEY, cut, headOf(chain))).toMatchObject({ kind: "truncated", seq: kept + 1 });
    }
    expect(verifyChain("web:other", chain)).toMatchObject({ kind: "changed", seq: 1 });
  });
});
