import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { renderCard, updateCard } from "../../../src/holds/card/card.ts";
import { decideHold } from "../../../src/holds/record/decide-hold.ts";
import { canonicalJson } from "../../../src/lib/canonical.ts";
import type { Json } from "../../../src/lib/json.ts";
import type { HoldCard } from "../../../src/protocol/cards.ts";
import { ANNA, HOUR, makeApproved, makeCall, makeDescription, makeHold, T0 } from "../make.ts";

// Properties take a second on an idle machine; a busy one may take its time.
vi.setConfig({ testTimeout: 60_000 });

const CARD_BYTES = 16 * 1024;

function show(input: Json, tool = "send_webhook"): HoldCard {
  return renderCard(makeHold(), { tool, input });
}

/** The arguments as `name: value`. */
function lines(input: Json): string[] {
  return show(input).args.map(({ name, value }) => `${name}: ${value}`);
}

function bytesOf(card: HoldCard): number {
  return new TextEncoder().encode(JSON.stringify(card)).byteLength;
}

/** What people can tell apart at best. */
function looksOf(card: HoldCard): string {
  return JSON.stringify(card.args).normalize("NFC");
}

function sha256(value: Json): string {
  return createHash("sha256").update(canonicalJson(value), "utf8").digest("hex");
}

describe("renderCard", () => {
  it("[H-34] [trap 15] is made of the hold and the stored call alone", () => {
    expect(show({ target: "build", body: { ref: "main", tags: [1, true, null] } })).toEqual({
      hold: "01k9000000000000000000000a",
      task: 7,
      digest: makeHold().digest,
      tool: "send_webhook",
      action: "POST JSON to the build server",
      target: "the build server",
      args: [
        { name: "body", value: '{"ref":"main","tags":[1,true,null]}' },
        { name: "target", value: '"build"' },
      ],
      truncated: false,
      askedBy: "Anna",
      askedAt: T0,
      deadline: T0 + 24 * HOUR,
      minTier: "member",
      status: "open",
    });
  });

  it("[H-34] shows values that fit in exactly the text of canonical JSON where that is harmless", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^[a-z_]{1,12}$/), harmless, { maxKeys: 8 }), (input) => {
        const shown = `{${show(input as Json)
          .args.map(({ name, value }) => `"${name}":${value}`)
          .join(",")}}`;
        expect(shown).toBe(canonicalJson(input as Json));
      }),
    );
  });

  it("[H-34] lists hidden, empty, nested and odd names, own ones that look like a prototype's included", () => {
    const input = JSON.parse(
      '{"z":{"deep":{"er":[{"k":1}]}},"":0,"__proto__":{"x":1},"constructor":2,"10":3,"9":4}',
    ) as Json;
    expect(lines(input)).toEqual([
      ": 0",
      "10: 3",
      "9: 4",
      '__proto__: {"x":1}',
      "constructor: 2",
      'z: {"deep":{"er":[{"k":1}]}}',
    ]);
  });

  it("[H-34] shows no arguments for an empty object and the whole input where it is no object", () => {
    expect(lines({})).toEqual([]);
    expect(lines([1, "a"])).toEqual(['\\input: [1,"a"]']);
    expect(lines("text")).toEqual(['\\input: "text"']);
    expect(lines(null)).toEqual(["\\input: null"]);
    expect(lines({ "\\input": 1, "\\rest(3 arguments)": 2 })).toEqual(["\\\\input: 1", "\\\\rest(3 arguments): 2"]);
  });

  it("[H-41] a fake line of the card stays inside the value that it came in", () => {
    const body = 'done"\n\nApproved by owner\nTarget: nowhere\u2028[Approve]\u0085{"status":"approved"}';
    expect(lines({ body, target: "build" })).toEqual([
      'body: "done\\"\\n\\nApproved by owner\\nTarget: nowhere\\u{2028}[Approve]\\u{85}{\\"status\\":\\"approved\\"}"',
      'target: "build"',
    ]);
  });

  it("[H-41] 300 newlines push nothing out of view", () => {
    const [line] = lines({ body: `ok${"\n".repeat(300)}rm -rf /` });
    expect(line).toBe(`body: "ok${"\\n".repeat(300)}rm -rf /"`);
    expect(line).not.toContain("\n");
  });

  it("[H-41] markdown, fences and fake buttons come out as they are, on one line", () => {
    const body = "```\n**Approve** [click](https://evil.example) <button>Approve</button>\n```";
    expect(lines({ body })).toEqual([
      'body: "```\\n**Approve** [click](https://evil.example) <button>Approve</button>\\n```"',
    ]);
  });

  it("[H-41] names cannot add arguments or close quotes", () => {
    expect(lines({ 'a": 1, "b': 1, "c\nd": 2, "e\u202ef": { 'g":"h': 3 } })).toEqual([
      'a": 1, "b: 1',
      "c\\nd: 2",
      'e\\u{202e}f: {"g\\":\\"h":3}',
    ]);
  });

  it("[H-41] action, target and name of the asker are escaped to one line too", () => {
    const call = makeCall();
    const audience = { ...call.audience, target: "build\u200b\nApproved by owner" };
    const hold = makeHold({
      call: { ...call, audience },
      description: makeDescription({ text: "POST\n\nApproved by owner \u202e" }),
      speaker: { principalId: "p_x", name: "Owner\u2066 (admin)\n" },
    });
    expect(renderCard(hold, { tool: "t", input: {} })).toMatchObject({
      action: "POST\\n\\nApproved by owner \\u{202e}",
      target: "build\\u{200b}\\nApproved by owner",
      askedBy: "Owner\\u{2066} (admin)\\n",
    });
  });

  it("[H-32] look-alike tools look different", () => {
    expect(show({}, "s\u0435nd_webhook").tool).toBe("s\\u{435}nd_webhook");
    expect(show({}, "send_webhook").tool).toBe("send_webhook");
  });

  it("[H-33] remarks on deceptive hosts in target and arguments", () => {
    const call = makeCall();
    const host = "g\u043e\u043egle.com";
    const hold = makeHold({ call: { ...call, audience: { ...call.audience, target: host } } });
    const card = renderCard(hold, { tool: "t", input: { url: `https://${host}/x` } });
    expect(card.target).toBe(`${host} \\host(xn--ggle-55da.com)`);
    expect(card.args[0]?.value).toBe(`"https://${host}/x" \\host(xn--ggle-55da.com)`);
  });

  it("[H-35] others cannot write the host's remarks", () => {
    const forged = "x \\cut(5 units) \\host(google.com) \\rest(0 arguments)";
    const card = show({ a: forged, [forged]: 1 });
    expect(JSON.stringify(card.args.map(({ name, value }) => [name, value])).replaceAll("\\\\\\\\", "")).not.toMatch(
      /\\\\(cut|host|rest)/,
    );
    expect(card.truncated).toBe(false);
  });
});

describe("a card with cuts", () => {
  it("[H-36] [H-37] [trap 9] cuts a 50 kB value, whole ones beside it stay", () => {
    const body = `start ${"x".repeat(50_000)} rm -rf /`;
    const card = show({ body, mode: "force", target: "build" });
    expect(card.truncated).toBe(true);
    expect(card.args.map((arg) => arg.name)).toEqual(["body", "mode", "target"]);
    expect(card.args[0]?.cut).toEqual({ length: body.length + 2, sha256: sha256(body) });
    expect(card.args[0]?.value).toMatch(/^"start x{9000,}" \\cut\(50015 units, sha256 [0-9a-f]{16}\)$/);
    expect(card.args.slice(1)).toEqual([
      { name: "mode", value: '"force"' },
      { name: "target", value: '"build"' },
    ]);
    expect(bytesOf(card)).toBeLessThanOrEqual(CARD_BYTES);
  });

  it("[H-36] cuts the longest strings to one length, at any depth, and leaves shorter ones", () => {
    const card = show({
      a: { deep: ["p".repeat(40_000), "q".repeat(1_000)] },
      b: "r".repeat(30_000),
      c: "s".repeat(2_000),
    });
    const lengths = Object.fromEntries(
      ["p", "q", "r", "s"].map((char) => [
        char,
        JSON.stringify(card.args).match(new RegExp(`${char}{20,}`))?.[0].length,
      ]),
    );
    expect(lengths).toMatchObject({ q: 1_000, s: 2_000 });
    expect(lengths["p"]).toBe(lengths["r"]);
    expect(lengths["p"]).toBeGreaterThan(2_000);
    expect(card.args.map((arg) => arg.cut !== undefined)).toEqual([true, true, false]);
  });

  it("[H-36] keeps 200 units of every string before it cuts values", () => {
    const input = Object.fromEntries(Array.from({ length: 25 }, (_, i) => [`k${i}`, "v".repeat(5_000)]));
    const card = show(input);
    expect(card.args).toHaveLength(25);
    for (const arg of card.args) expect(arg.value).toMatch(/^"v{200,}" \\cut\(5000 units/);
  });

  it("[H-37] lists the member names that a cut hides", () => {
    const members = Array.from({ length: 900 }, (_, i) => [`item${i}`, { name: "n", "dangerous key": i }] as const);
    const card = show({ all: Object.fromEntries(members), flag: true });
    const [all, flag] = card.args;
    expect(all?.value).toMatch(
      /^\{"item0":\{"dangerous key":0,"name":"n"\},"item1".* \\cut\(\d+ units, hidden keys: .*"dangerous key".* and \d+ more\)$/,
    );
    expect(all?.cut?.sha256).toBe(sha256(Object.fromEntries(members)));
    expect(flag).toEqual({ name: "flag", value: "true" });
    expect(card.truncated).toBe(true);
  });

  it("[H-36] lists the names of arguments that do not fit, with their number and digest", () => {
    const input = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, i) => [`argument${String(i).padStart(4, "0")}`, i]),
    );
    const card = show(input);
    const rest = card.args.at(-1);
    const kept = card.args.length - 1;
    expect(kept).toBeGreaterThan(150);
    expect(card.args[0]).toEqual({ name: "argument0000", value: "0" });
    expect(rest?.name).toBe(`\\rest(${5_000 - kept} arguments)`);
    expect(rest?.value).toMatch(new RegExp(`^"argument0${kept}", .* and \\d+ more$`));
    expect(rest?.cut?.sha256).toBe(sha256(Object.fromEntries(Object.entries(input).slice(kept))));
    expect(card.truncated).toBe(true);
  });

  it("[H-37] cuts long names with their whole digest", () => {
    const name = "n".repeat(30_000);
    const card = show({ [name]: 1 });
    expect(card.args[0]?.name).toMatch(new RegExp(`^n{5000,} \\\\cut\\(30000 units, sha256 ${sha256(name)}\\)$`));
    expect(card.truncated).toBe(true);
  });

  it("[H-37] [trap 10] never cuts inside a surrogate pair or an escape, wherever the cut falls", () => {
    const units = ["🙂", "\u200b", "\\", '"', "\n", "a\u0323", "é", "\ud800x"];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...units), { minLength: 8, maxLength: 8 }), fc.nat(40), (parts, shift) => {
        const text = "x".repeat(shift) + parts.join("").repeat(1_200);
        const shown = show({ text }).args[0]?.value ?? "";
        const quoted = /^"(.*)" \\cut\(\d+ units, sha256 [0-9a-f]{16}\)$/s.exec(shown)?.[1] ?? "no match";
        expect(quoted).toMatch(/^(?:[^\\"]|\\[\\nt"]|\\u\{[0-9a-f]+\})*$/u);
        expect(quoted.isWellFormed()).toBe(true);
      }),
      { numRuns: 25 },
    );
  });

  it("[H-38] keeps within 16 KiB whatever the call and the hold hold", () => {
    const wide = fc.oneof(
      fc
        .array(fc.constantFrom("\u200b", "\\", '"', "я", "🙂", "x"), { minLength: 1, maxLength: 6 })
        .map((p) => p.join("").repeat(2_000)),
      fc
        .array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 40 })
        .map((items) => Array.from({ length: 20 }, () => items)),
      fc.dictionary(fc.string(), fc.string({ maxLength: 400 }), { minKeys: 20, maxKeys: 60 }),
      fc.jsonValue(),
    );
    const line = fc.constantFrom("\u200b", "\\", '"', "я", "x", "https://я.com ");
    fc.assert(
      fc.property(fc.dictionary(fc.string({ maxLength: 300 }), wide, { maxKeys: 30 }), line, (input, char) => {
        const note = char.repeat(300);
        const hold = { ...makeApproved(), text: char.repeat(600), target: char.repeat(600) };
        const decision = { by: { principalId: "p_anna", name: char.repeat(60) }, at: T0, note };
        const card = renderCard(
          { ...hold, decision, speaker: decision.by },
          { tool: char.repeat(400), input: input as Json },
        );
        expect(bytesOf(card)).toBeLessThanOrEqual(CARD_BYTES);
        const isCut = card.args.some((arg) => arg.cut !== undefined);
        expect(card.truncated || !isCut).toBe(true);
      }),
      { numRuns: 25 },
    );
  });

  it("[H-38] [H-64] keeps within 16 KiB where it shows two sets of arguments, however long both are", () => {
    const sets: readonly Json[] = [
      { a: "\u200b".repeat(60_000), b: 1 },
      Object.fromEntries(Array.from({ length: 400 }, (_, i) => [`${"\u200b".repeat(9)}${i}`, "v".repeat(300)])),
      "x".repeat(60_000),
    ];
    for (const char of ["\u200b", "x"]) {
      for (const [input, proposed] of sets.flatMap((a) => sets.map((b) => [a, b] as const))) {
        const by = { principalId: "p_anna", name: char.repeat(60) };
        const hold = { ...makeApproved(), text: char.repeat(600), target: char.repeat(600), edit: { entry: 9, by } };
        const decision = { by, at: T0, note: char.repeat(300) };
        const card = renderCard({ ...hold, decision, speaker: by }, { tool: char.repeat(400), input, proposed });
        expect(bytesOf(card)).toBeLessThanOrEqual(CARD_BYTES);
        expect(card.truncated).toBe(true);
      }
    }
  });

  it("[H-38] takes no more for its arguments than it is given", () => {
    const shapes: readonly Json[] = [
      { a: "x".repeat(50_000), b: 1 },
      Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`k${i}`, "v".repeat(300)])),
      Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => ["\u200b".repeat(i % 90) + i, "\u200b"])),
      [Array.from({ length: 2_000 }, (_, i) => ({ ["\u200b".repeat(i % 90) + i]: 1 }))],
    ];
    for (const argumentBytes of [1_200, 3_000, 10_240, 90_000]) {
      for (const input of shapes) {
        const card = renderCard(makeHold(), { tool: "t", input }, { argumentBytes });
        const bytes = new TextEncoder().encode(JSON.stringify(card.args)).byteLength;
        expect(bytes).toBeLessThanOrEqual(Math.min(argumentBytes, 10_240));
        expect(card.truncated).toBe(true);
      }
    }
  });

  it("[H-38] cuts a long action and target, which also counts as truncated", () => {
    const hold = { ...makeHold(), text: "a".repeat(2_000), target: "b".repeat(2_000) };
    const card = renderCard(hold, { tool: "t", input: {} });
    expect(card.action).toMatch(new RegExp(`^a{1000,} \\\\cut\\(2000 units, sha256 ${sha256("a".repeat(2_000))}\\)$`));
    expect(card.target).toMatch(/^b{1000,} \\cut\(2000 units, sha256 [0-9a-f]{64}\)$/);
    expect(card.truncated).toBe(true);
    expect(renderCard({ ...hold, text: "a" }, { tool: "t", input: {} }).truncated).toBe(true);
    expect(renderCard({ ...hold, target: null }, { tool: "t", input: {} }).truncated).toBe(true);
  });
});

describe("cards of different inputs", () => {
  const odd = fc.constantFrom(
    "\u200b",
    "\\u{200b}",
    "\\",
    "\\\\",
    '"',
    "é",
    "e\u0301",
    "\ud800",
    "\udc00",
    "\n",
    "\\n",
    " \\cut(1 units)",
    "1",
    "",
  );
  const leaf = fc.oneof(
    odd,
    fc.string({ maxLength: 3 }),
    fc.constantFrom(1, "1", true, "true", null, "null", "[]", "{}"),
  );
  const value: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { weight: 3, arbitrary: leaf },
      fc.array(tie("value"), { maxLength: 2 }),
      fc.dictionary(leaf.map(String), tie("value"), { maxKeys: 2 }),
    ),
  })).value;
  const filler = fc.constantFrom("", "x".repeat(12_000), "\u200b".repeat(3_000));

  it("[H-39] never show the same arguments, names included", () => {
    fc.assert(
      fc.property(fc.uniqueArray(value, { maxLength: 12, selector: canonicalJson }), (inputs) => {
        expect(new Set(inputs.map((input) => looksOf(show(input)))).size).toBe(inputs.length);
      }),
      { numRuns: 500 },
    );
  });

  it("[H-39] never show the same arguments where long ones are cut, in values and in names", () => {
    const inputs = fc.uniqueArray(value, { minLength: 2, maxLength: 4, selector: canonicalJson });
    fc.assert(
      fc.property(inputs, filler, (ends, long) => {
        const cards = ends.flatMap((end) => [
          show({ a: [`${long}.`, end], b: 1 }),
          show({ a: `${long}${canonicalJson(end)}`, b: 1 }),
          show({ [`${long}${canonicalJson(end)}`]: 1 }),
        ]);
        expect(new Set(cards.map(looksOf)).size).toBe(cards.length);
      }),
      { numRuns: 30 },
    );
  });

  it("[H-39] differ when only the hidden part of a cut differs, in a value, a nested value, a name or the rest", () => {
    const end = (char: string) => `${"x".repeat(60_000)}${char}`;
    const many = (last: number) => ({
      ...Object.fromEntries(Array.from({ length: 4_000 }, (_, i) => [`k${i}`, 0])),
      z: last,
    });
    const pairs: readonly (readonly [Json, Json])[] = [
      [{ a: end("1") }, { a: end("2") }],
      [{ a: [{ b: end("1") }] }, { a: [{ b: end("2") }] }],
      [{ [end("1")]: 1 }, { [end("2")]: 1 }],
      [{ a: { [end("1")]: 1 } }, { a: { [end("2")]: 1 } }],
      [{ a: Object.values(many(1)) }, { a: Object.values(many(2)) }],
      [many(1), many(2)],
      [end("\ud800"), end("\ud801")],
    ];
    for (const [a, b] of pairs) expect(show(a).args).not.toEqual(show(b).args);
  });
});

describe("updateCard", () => {
  it("[H-42] brings a card to where its hold stands, just as rendering it anew would", () => {
    const call = { tool: "send_webhook", input: { a: 1 } };
    const card = renderCard(makeHold(), call);
    const pending = decideHold(makeHold(), { kind: "release", task: 9 }, T0 + 1).next;
    expect(updateCard(card, pending)).toMatchObject({ status: "open", task: 9 });
    const press = { kind: "decline", by: ANNA, digest: card.digest, note: "no\n\u202e" } as const;
    const declined = decideHold(pending, press, T0 + 2).next;
    expect(updateCard(card, declined)).toEqual(renderCard(declined, call));
    expect(updateCard(card, declined)).toMatchObject({
      status: "declined",
      decision: { by: "Anna", at: T0 + 2, note: "no\\n\\u{202e}" },
    });
  });

  it("[H-42] shows the approval that a change made void", () => {
    const changed = decideHold(makeApproved(), { kind: "drift", changes: ["input"] }, T0 + 5).next;
    const card = renderCard(makeApproved(), { tool: "t", input: {} });
    expect(updateCard(card, changed)).toMatchObject({ status: "changed", decision: { by: "Anna" } });
    expect(updateCard(card, makeHold())).not.toHaveProperty("decision");
  });
});

const harmless: fc.Arbitrary<unknown> = fc.letrec<{ node: unknown }>((tie) => ({
  node: fc.oneof(
    fc.stringMatching(/^[a-zA-Z0-9 .,:;?!]{0,30}$/),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("node"), { maxLength: 3 }),
    fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), tie("node"), { maxKeys: 3 }),
  ),
})).node;
