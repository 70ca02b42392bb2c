import * as fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { diffJson } from "../../src/kernel/commit/diff.ts";
import type { Json } from "../../src/lib/json.ts";
import { foldOps, type Op } from "../../src/protocol/ops.ts";

// Long histories on a busy machine.
vi.setConfig({ testTimeout: 30_000 });

const key = fc.oneof(
  fc.constantFrom("a", "b", "0", "", "__proto__", "constructor", "toString"),
  fc.string({ maxLength: 3 }),
);

/** Documents of few shapes, so that two of them have much in common. */
const anyJson: fc.Arbitrary<Json> = fc.letrec<{ value: Json; list: Json; object: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<Json>(null, true, 0, 1, -1.5, "", "x", "😀"),
    tie("list"),
    tie("object"),
  ),
  list: fc.array(tie("value"), { maxLength: 5 }),
  object: fc.dictionary(key, tie("value"), { maxKeys: 4 }) as fc.Arbitrary<Json>,
})).value;

/** A document and another that came of it by a change somewhere inside. */
const twoAlike = anyJson.chain((before) =>
  fc.tuple(fc.constant(before), fc.nat(), anyJson).map(([doc, at, value]) => [doc, changeAt(doc, at, value)] as const),
);

function changeAt(doc: Json, at: number, value: Json): Json {
  if (Array.isArray(doc) && doc.length > 0) {
    const index = at % doc.length;
    const kept = doc as readonly Json[];
    switch (at % 4) {
      case 0:
        return kept.toSpliced(index, 1);
      case 1:
        return kept.toSpliced(index, 0, value);
      default:
        return kept.with(index, changeAt(kept[index] ?? null, Math.floor(at / 4), value));
    }
  }
  if (typeof doc !== "object" || doc === null || Array.isArray(doc)) return value;
  const entries = Object.entries(doc as { [key: string]: Json });
  if (entries.length === 0) return value;
  const index = at % entries.length;
  return Object.fromEntries(
    entries.flatMap(([name, old], i) =>
      i !== index ? [[name, old]] : at % 3 === 0 ? [] : [[name, changeAt(old, Math.floor(at / 4), value)]],
    ),
  ) as Json;
}

const overTheWire = (ops: readonly Op[]) => JSON.parse(JSON.stringify(ops)) as readonly Op[];

describe("operations", () => {
  it.each([
    ["any two documents", fc.tuple(anyJson, anyJson)],
    ["a document and a changed one", twoAlike],
  ])("[K-9] [I-113] folding the difference of %s gives the second", (_name, pairs) => {
    fc.assert(
      fc.property(pairs, ([before, after]) => {
        const copies = structuredClone([before, after]);
        const ops = diffJson(before, after);
        expect(foldOps(before, overTheWire(ops))).toEqual(after);
        expect(JSON.stringify(foldOps(before, ops))).toHaveLength(JSON.stringify(after).length);
        expect([before, after], "neither is touched").toEqual(copies);
      }),
      { numRuns: 400 },
    );
  });

  it("[K-9] equal documents have no difference", () => {
    fc.assert(
      fc.property(anyJson, (doc) => {
        expect(diffJson(doc, structuredClone(doc))).toEqual([]);
      }),
    );
  });

  it("[K-9] [D-9] folding keeps the identity of what it does not touch", () => {
    const before = { list: [{ n: 1 }, { n: 2 }], other: { deep: [1] } };
    const after = foldOps(before, [["s", ["list", 1, "n"], 3]]) as typeof before;
    expect(after).toEqual({ list: [{ n: 1 }, { n: 3 }], other: { deep: [1] } });
    expect(after.other).toBe(before.other);
    expect(after.list[0]).toBe(before.list[0]);
  });

  it.each<readonly [string, Json, Json, readonly Op[]]>([
    ["an appended item", [1, 2], [1, 2, 3], [["p", [], 2, 0, 3]]],
    ["a removed item", { a: [1, 2, 3] }, { a: [1, 3] }, [["p", ["a"], 1, 1]]],
    ["a changed leaf", { a: { b: 1, c: 2 } }, { a: { b: 1, c: 3 } }, [["s", ["a", "c"], 3]]],
    ["a changed item", [{ n: 1 }, { n: 2 }], [{ n: 1 }, { n: 3 }], [["s", [1, "n"], 3]]],
    ["a key less", { a: 1, b: 2 }, { a: 1 }, [["d", ["b"]]]],
    ["another kind of root", [1], { a: 1 }, [["r", { a: 1 }]]],
  ])("[K-9] the difference of %s is as small as it can be", (_name, before, after, ops) => {
    expect(diffJson(before, after)).toEqual(ops);
  });

  it.each<readonly [string, Json, Op]>([
    ["a path through nothing", { a: 1 }, ["s", ["a", "b"], 1]],
    ["an item beyond the end", [1], ["s", [1], 2]],
    ["an item before the start", [1], ["s", [-1], 2]],
    ["a key into a list", [1], ["s", ["0"], 2]],
    ["a splice of no list", { a: 1 }, ["p", ["a"], 0, 0, 1]],
    ["a splice beyond the end", [1], ["p", [], 1, 1]],
    ["a splice before the start", [1], ["p", [], -1, 0]],
    ["deleting an item", [1], ["d", [0]]],
    ["deleting the root", { a: 1 }, ["d", []]],
  ])("[K-9] %s is an error of the replica, not a guess", (_name, doc, op) => {
    expect(() => foldOps(doc, [op])).toThrow(/^fold: /);
  });
});
