import { describe, expect, it } from "vitest";
import type { HoldDescription } from "../../../src/holds/index.ts";
import type { Json } from "../../../src/lib/json.ts";
import { ANNA, HELD, HoldWorld } from "../../kit/hold-world.ts";

const BERT = { principalId: "p_bert", name: "Bert", tier: "owner" } as const;
const DONE = { ok: true, value: {} };
const EDITED = { ref: "release", dry: true };
const refused = (code: string, message = "") => ({
  ok: false,
  error: { code, message: expect.stringContaining(message) },
});

/** Describes each call by its arguments. */
function byInput(holds: HoldWorld, describeInput: (input: { readonly ref?: string }) => HoldDescription | undefined) {
  holds.describe = ({ input }) => describeInput(input as { readonly ref?: string });
}

const edits = (holds: HoldWorld) => holds.kernel.entriesAfter(0, 1_000).filter(({ kind }) => kind === "holds.edit");

describe("approving with other arguments", () => {
  it("[H-60] [H-63] runs the call once with exactly those, and the model is told who edited and what ran", async () => {
    const holds = new HoldWorld();
    await holds.toCard();
    expect(await holds.press("approve", { input: EDITED, note: "rather this" })).toEqual(DONE);
    await holds.world.run();
    expect(holds.inputs).toEqual([EDITED]);
    expect(holds.results).toHaveLength(1);
    expect(holds.results[0]?.text).toBe(
      '"Anna" approved this call and said "rather this".\nBefore that "Anna" edited its arguments. ' +
        'It ran with these: {"dry":true,"ref":"release"}\nsent',
    );
    expect(holds.cards).toEqual([]);
  });

  it("[H-63] gives the tool what its schema makes of them, read once", async () => {
    const holds = new HoldWorld();
    holds.readInput = (input) => {
      const { ref = "", read = 0 } = input as { readonly ref?: string; readonly read?: number };
      return { ref, read: read + 1 };
    };
    await holds.toCard();
    await holds.press("approve", { input: { ref: "release" } });
    await holds.world.run();
    expect(holds.inputs).toEqual([{ ref: "release", read: 1 }]);
  });

  it("[H-61] makes a card of its own in the commit that ends the first one: same task, same deadline, approved", async () => {
    const holds = new HoldWorld();
    const card = await holds.toCard();
    const commits = holds.world.commits.length;
    holds.beforeEffect = () => new Promise(() => undefined);
    await holds.press("approve", { input: EDITED });
    const after = holds.world.commits.slice(commits);
    expect(after).toHaveLength(1);
    const [first, second] = Object.values(holds.stored.records);
    expect(first).toMatchObject({ status: "cancelled", reason: "edited", successor: second?.id });
    expect(second).toMatchObject({
      status: "approved",
      task: card.task,
      deadline: card.deadline,
      askedAt: card.askedAt,
    });
    expect(second?.digest).not.toBe(card.digest);
    expect(holds.cards.map(({ hold, status }) => [hold, status])).toEqual([[second?.id, "approved"]]);
  });

  it("[H-63] keeps what was proposed and what was decided in the transcript, where no model reads the second", async () => {
    const holds = new HoldWorld();
    const card = await holds.toCard();
    await holds.press("approve", { input: EDITED });
    await holds.world.run();
    expect(edits(holds)).toMatchObject([{ data: { from: card.hold, by: ANNA, input: EDITED } }]);
    expect(edits(holds)[0]?.message).toBeUndefined();
    const [call] = holds.kernel.entriesAfter(0, 1_000).filter(({ kind }) => kind === "core.assistant");
    expect(call?.message).toMatchObject({ content: [{ args: '{"ref":"main"}' }] });
  });

  it("[H-64] shows what would run, and what it stands in place of", async () => {
    const holds = new HoldWorld({
      script: ({ messages }) =>
        messages.at(-1)?.role === "user"
          ? { calls: [{ name: "send", args: '{"ref":"main","force":true,"same":1}' }] }
          : { text: "Done." },
    });
    await holds.toCard();
    holds.beforeEffect = () => new Promise(() => undefined);
    await holds.press("approve", { input: { ref: "release", same: 1, dry: true } });
    expect(holds.card.args).toEqual([
      { name: "dry", value: "true" },
      { name: "ref", value: '"release"' },
      { name: "same", value: "1" },
    ]);
    expect(holds.card.edit).toEqual({
      by: "Anna",
      before: [
        { name: "force", value: "true" },
        { name: "ref", value: '"main"' },
        { name: "dry", value: null },
      ],
    });
  });

  it("[H-60] that are the same is approving, nothing else", async () => {
    const holds = new HoldWorld();
    await holds.toCard();
    expect(await holds.press("approve", { input: { ref: "main" } })).toEqual(DONE);
    await holds.world.run();
    expect(edits(holds)).toEqual([]);
    expect(holds.results[0]?.text).toBe('"Anna" approved this call.\nsent');
  });

  it("[H-60] that no rule would hold is for the same people to approve, and runs", async () => {
    const holds = new HoldWorld();
    byInput(holds, ({ ref }) => (ref === "main" ? HELD : undefined));
    await holds.toCard();
    expect(await holds.press("approve", { input: EDITED })).toEqual(DONE);
    await holds.world.run();
    expect(holds.inputs).toEqual([EDITED]);
  });
});

describe("an edit that is refused decides nothing", () => {
  const cases: readonly (readonly [string, (holds: HoldWorld) => void, Json, string, string])[] = [
    ["does not fit the tool", () => undefined, { ref: 7 }, "bad_request", "do not fit"],
    [
      "is forbidden",
      (h) =>
        void (h.deny = ({ input }) => ((input as { ref?: string }).ref === "release" ? "never release" : undefined)),
      EDITED,
      "forbidden",
      "never release",
    ],
    [
      "could be approved by nobody here",
      (h) => byInput(h, ({ ref }) => ({ ...HELD, ...(ref === "release" && { minTier: "owner" as const }) })),
      EDITED,
      "forbidden",
      "nobody here may approve",
    ],
    ["is too long", () => undefined, { ref: "x".repeat(256 * 1024) }, "bad_request", "the limit is 262144"],
    [
      "has a description that does not fit",
      (h) => byInput(h, ({ ref }) => ({ ...HELD, ...(ref === "release" && { text: "x".repeat(4_000) }) })),
      EDITED,
      "bad_request",
      "the limit is 3072",
    ],
  ];

  it.each(cases)("[H-60] one that %s", async (_what, prepare, input, code, message) => {
    const holds = new HoldWorld();
    prepare(holds);
    const card = await holds.toCard();
    await holds.settle();
    const { rev } = holds.kernel.snapshot();
    expect(await holds.press("approve", { input })).toMatchObject(refused(code, message));
    await holds.settle();
    expect(holds.kernel.snapshot().rev).toBe(rev);
    expect(holds.cards).toEqual([card]);
    expect(await holds.press("approve")).toEqual(DONE);
    await holds.world.run();
    expect(holds.inputs).toEqual([{ ref: "main" }]);
  });

  it("[H-60] one that comes with a decline, by another person, of a stale card", async () => {
    const holds = new HoldWorld();
    holds.people.set(BERT.principalId, BERT);
    await holds.toCard();
    expect(await holds.press("decline", { input: EDITED })).toMatchObject(refused("bad_request"));
    expect(await holds.press("approve", { input: EDITED, by: BERT.principalId })).toMatchObject(refused("forbidden"));
    const stale = { input: EDITED, digest: "0".repeat(64) };
    expect(await holds.press("approve", stale)).toMatchObject(refused("changed"));
    expect(await holds.press("approve", { input: EDITED, note: "字".repeat(1_000) })).toMatchObject(
      refused("bad_request", "bytes too long"),
    );
    expect(edits(holds)).toEqual([]);
    expect(holds.card.status).toBe("open");
  });
});

describe("an edit and other decisions", () => {
  it("[H-65] the same edit again, at once and later, is no conflict; another one is too late", async () => {
    const holds = new HoldWorld();
    const card = await holds.toCard();
    const again = () => holds.press("approve", { card, input: EDITED });
    expect(await Promise.all([again(), again()])).toEqual([DONE, DONE]);
    await holds.world.run();
    expect(await again()).toEqual(DONE);
    expect(await holds.press("approve", { card, input: { ref: "other" } })).toMatchObject(refused("already_decided"));
    expect(await holds.press("approve", { card })).toMatchObject(refused("already_decided", "Another card stands"));
    expect(holds.inputs).toEqual([EDITED]);
  });

  it("[H-65] an edit after a decision is too late", async () => {
    for (const decision of ["approve", "decline"] as const) {
      const holds = new HoldWorld();
      const card = await holds.toCard();
      await holds.press(decision, { card });
      expect(await holds.press("approve", { card, input: EDITED })).toMatchObject(refused("already_decided"));
      await holds.world.run();
      expect(holds.inputs).toEqual(decision === "approve" ? [{ ref: "main" }] : []);
    }
  });

  it("[H-13] [H-65] an edit of a card that no longer shows what would run ends it as changed", async () => {
    const holds = new HoldWorld();
    await holds.toCard();
    holds.describe = () => ({ ...HELD, target: "elsewhere" });
    expect(await holds.press("approve", { input: EDITED })).toMatchObject(refused("changed"));
    await holds.world.run();
    expect(holds.results).toMatchObject([{ code: "changed" }]);
    expect(holds.inputs).toEqual([]);
  });

  it("[H-13] what changes between the edit and the start makes it void: nothing runs, edited or not", async () => {
    const holds = new HoldWorld();
    await holds.toCard();
    const isApproved = () => holds.cards.some(({ status }) => status === "approved");
    holds.describe = () => (isApproved() ? undefined : HELD);
    expect(await holds.press("approve", { input: EDITED })).toEqual(DONE);
    await holds.world.run();
    expect(holds.results).toMatchObject([{ outcome: "blocked", code: "changed" }]);
    expect(holds.inputs).toEqual([]);
  });

  it("[H-13] a tool that would not take the edited arguments any more does not run", async () => {
    const holds = new HoldWorld();
    await holds.toCard();
    expect(await holds.press("approve", { input: EDITED })).toEqual(DONE);
    holds.isFitting = (input) => !("dry" in (input as object));
    await holds.restart();
    await holds.world.run();
    expect(holds.results).toMatchObject([{ outcome: "blocked", code: "changed" }]);
    expect(holds.inputs).toEqual([]);
  });
});

describe("an edit that asks for more than its editor has", () => {
  /** In a shared conversation anything but `main` is an owner's to approve. */
  async function toShared(): Promise<HoldWorld> {
    const holds = new HoldWorld();
    holds.visibility = "shared";
    holds.people.set(BERT.principalId, BERT);
    byInput(holds, ({ ref }) => ({ ...HELD, ...(ref !== "main" && { minTier: "owner" as const }) }));
    await holds.toCard();
    return holds;
  }

  it("[H-62] [H-65] leaves a new card open for those who may, and the old one is over", async () => {
    const holds = await toShared();
    const { card } = holds;
    const edit = () => holds.press("approve", { card, input: EDITED });
    expect(await edit()).toMatchObject(refused("changed", "needs somebody else"));
    await holds.settle();
    expect(holds.cards).toMatchObject([{ status: "open", minTier: "owner", edit: { by: "Anna" } }]);
    expect(holds.card.hold).not.toBe(card.hold);
    expect(await edit()).toMatchObject(refused("changed", "needs somebody else"));
    expect(await holds.press("approve", { card })).toMatchObject(refused("already_decided"));
    expect(await holds.press("approve")).toMatchObject(refused("forbidden"));
    expect(await holds.press("approve", { by: BERT.principalId })).toEqual(DONE);
    await holds.world.run();
    expect(holds.inputs).toEqual([EDITED]);
    expect(holds.results[0]?.text).toContain('"Bert" approved this call.\nBefore that "Anna" edited its arguments.');
  });

  it("[H-62] declined by those, it does not run, and neither does what was proposed", async () => {
    const holds = await toShared();
    await holds.press("approve", { input: EDITED });
    expect(await holds.press("decline", { by: BERT.principalId })).toEqual(DONE);
    await holds.world.run();
    expect(holds.results).toMatchObject([{ code: "declined" }]);
    expect(holds.inputs).toEqual([]);
  });

  it("[H-62] follows its call out of the turn, and survives a restart", async () => {
    const holds = await toShared();
    await holds.press("approve", { input: EDITED });
    await holds.restart();
    holds.say("what is the time?");
    await holds.world.run(() => holds.kernel.control.turn === null, holds.world.clock.now());
    expect(await holds.press("approve", { by: BERT.principalId })).toEqual(DONE);
    await holds.world.run();
    expect(holds.inputs).toEqual([EDITED]);
    expect(holds.notices[0]).toContain("edited its arguments");
  });
});
