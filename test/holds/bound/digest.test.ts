import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { BoundCall } from "../../../src/holds/bound/bound-call.ts";
import { BOUND_PARTS, type BoundPart, changedParts, sealCall } from "../../../src/holds/bound/call-seal.ts";
import { digestCall, hashSchema } from "../../../src/holds/bound/digest.ts";
import type { Json } from "../../../src/lib/json.ts";
import { makeCall } from "../make.ts";

const AUDIENCE = makeCall().audience;

/** One call that differs from the plain one in one part, for each part. */
const CHANGED: readonly (readonly [string, BoundPart, BoundCall])[] = [
  ["conversation", "conversation", makeCall({ conversation: "web:00000000-0000-4000-8000-000000000002" })],
  ["plugin", "provider", makeCall({ provider: { kind: "plugin", name: "other" } })],
  [
    "kind of provider",
    "provider",
    makeCall({ provider: { kind: "mcp", server: "webhook", url: "https://a.example" } }),
  ],
  ["tool", "tool", makeCall({ tool: "send_webhook2" })],
  ["version", "version", makeCall({ version: "2" })],
  ["schema", "schema", makeCall({ schemaHash: "b".repeat(64) })],
  ["a nested argument", "input", makeCall({ input: { target: "build", body: { ref: "main2" } } })],
  ["a missing argument", "input", makeCall({ input: { target: "build" } })],
  ["an argument's type", "input", makeCall({ input: { target: "build", body: { ref: ["main"] } } })],
  ["speaker", "speaker", makeCall({ speaker: "p_bert" })],
  ["no speaker", "speaker", makeCall({ speaker: null })],
  ["a file", "files", makeCall({ files: [{ id: "f1", sha256: "c".repeat(64) }] })],
  ["minTier", "minimum tier", makeCall({ audience: { ...AUDIENCE, minTier: "owner" } })],
  ["approvers", "approvers", makeCall({ audience: { ...AUDIENCE, approvers: ["p_bert"] } })],
  ["an empty list of approvers", "approvers", makeCall({ audience: { ...AUDIENCE, approvers: [] } })],
  ["approval", "approval", makeCall({ audience: { ...AUDIENCE, approval: "speaker" } })],
  ["rule", "rule", makeCall({ audience: { ...AUDIENCE, ruleId: "other" } })],
  ["target", "target", makeCall({ audience: { ...AUDIENCE, target: "another server" } })],
  ["no target", "target", makeCall({ audience: { ...AUDIENCE, target: null } })],
];

describe("digestCall", () => {
  it("[H-8] hashes exactly the tuple of the design, keys sorted at every level", () => {
    const call = makeCall({
      input: { b: [1, { z: null, a: "é" }], a: true },
      files: [{ id: "f1", sha256: "cc" }],
      audience: { minTier: "admin", approvers: ["p_b", "p_a"], approval: "speaker", ruleId: "r", target: "t" },
    });
    const text =
      '["althing.hold.v1","web:00000000-0000-4000-8000-000000000001",{"kind":"plugin","name":"webhook"},"send_webhook","1",' +
      `"${"a".repeat(64)}",{"a":true,"b":[1,{"a":"é","z":null}]},"p_anna",[{"id":"f1","sha256":"cc"}],` +
      '{"approval":"speaker","approvers":["p_a","p_b"],"minTier":"admin","ruleId":"r","target":"t"}]';
    expect(digestCall(call)).toBe(createHash("sha256").update(text, "utf8").digest("hex"));
  });

  it.each(CHANGED)("[H-9] [trap 4] differs when %s differs", (_what, _part, call) => {
    expect(digestCall(call)).not.toBe(digestCall(makeCall()));
  });

  it("[H-9] differs between the id and the URL of an MCP server", () => {
    const mcp = (server: string, url: string) => digestCall(makeCall({ provider: { kind: "mcp", server, url } }));
    expect(
      new Set([mcp("a", "https://x.example"), mcp("a", "https://y.example"), mcp("b", "https://x.example")]).size,
    ).toBe(3);
  });

  it("[H-9] is the same for other orders of approvers and files", () => {
    const files = [
      { id: "f1", sha256: "1" },
      { id: "f2", sha256: "2" },
    ];
    const one = makeCall({ files, audience: { ...AUDIENCE, approvers: ["p_a", "p_b"] } });
    const two = makeCall({ files: files.toReversed(), audience: { ...AUDIENCE, approvers: ["p_b", "p_a", "p_b"] } });
    expect(digestCall(one)).toBe(digestCall(two));
  });

  it("[H-9] is the same for any order of keys, at every level", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (input) => {
        expect(digestCall(makeCall({ input: reversed(input as Json) }))).toBe(
          digestCall(makeCall({ input: input as Json })),
        );
      }),
    );
  });

  it("[H-9] differs for any two inputs that differ as JSON, lone surrogates included", () => {
    const json = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom("\ud800", "\ud801", "\udc00", "\ufffd"));
    fc.assert(
      fc.property(json, json, (a, b) => {
        fc.pre(JSON.stringify(sorted(a as Json)) !== JSON.stringify(sorted(b as Json)));
        expect(digestCall(makeCall({ input: a as Json }))).not.toBe(digestCall(makeCall({ input: b as Json })));
      }),
    );
  });
});

describe("hashSchema", () => {
  it("[H-9] does not depend on the order of keys", () => {
    expect(hashSchema({ type: "object", required: ["a"] })).toBe(hashSchema({ required: ["a"], type: "object" }));
    expect(hashSchema({ type: "object" })).not.toBe(hashSchema({ type: "array" }));
  });
});

describe("changedParts", () => {
  it.each(CHANGED)("[H-10] names the part when %s differs", (_what, part, call) => {
    expect(changedParts(sealCall(makeCall()), sealCall(call))).toEqual([part]);
  });

  it("[H-10] names nothing for the same call and has a case for every part", () => {
    expect(changedParts(sealCall(makeCall()), sealCall(makeCall()))).toEqual([]);
    expect(new Set(CHANGED.map(([, part]) => part))).toEqual(new Set(BOUND_PARTS));
  });

  it("[H-10] never calls two digests the same, even where the fingerprints miss the change", () => {
    const seal = sealCall(makeCall());
    expect(changedParts(seal, { ...seal, digest: "0".repeat(64) })).toEqual(["input"]);
    expect(changedParts(seal, { ...seal, parts: sealCall(makeCall({ tool: "x" })).parts })).toEqual([]);
  });
});

/** The same value with the keys of every object in reverse order. */
function reversed(value: Json): Json {
  if (Array.isArray(value)) return value.map((item: Json) => reversed(item));
  if (value === null || typeof value !== "object") return value;
  const members = Object.entries(value as { [key: string]: Json }).toReversed();
  return Object.fromEntries(members.map(([key, inner]) => [key, reversed(inner)]));
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map((item: Json) => sorted(item));
  if (value === null || typeof value !== "object") return value;
  const members = Object.entries(value as { [key: string]: Json }).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([key, inner]) => [key, sorted(inner)]));
}
