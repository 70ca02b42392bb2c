import { describe, expect, it } from "vitest";
import type { KnownPerson } from "../../../src/holds/index.ts";
import { ANNA, HELD, HOUR, HoldWorld } from "../../kit/hold-world.ts";

const BERT: KnownPerson = { principalId: "p_bert", name: "Bert", tier: "owner" };
const DONE = { ok: true, value: {} };
const refused = (code: string) => ({ ok: false, error: { code } });

/** Everything that is stored and shown, but for the audit and the number that telling of it takes. */
function everything(holds: HoldWorld): string {
  const { storage, control } = holds.world;
  const tables = ["entries", "inputs", "namespaces", "outbox", "done"];
  const rows = tables.map((table) => storage.sql.exec(`SELECT * FROM ${table}`).toArray());
  return JSON.stringify([rows, { ...control, nextId: 0 }, holds.kernel.snapshot()]);
}

/** Presses, and says whether anything is different afterwards. */
async function pressAndCompare(holds: HoldWorld, press: () => ReturnType<HoldWorld["press"]>) {
  await holds.settle();
  const before = everything(holds);
  const answer = await press();
  await holds.settle();
  return { answer, isSame: everything(holds) === before };
}

describe("a press that changes nothing", () => {
  it("[H-11] names another digest", async () => {
    const holds = new HoldWorld();
    await holds.toCard();
    for (const decision of ["approve", "decline"] as const) {
      const { answer, isSame } = await pressAndCompare(holds, () => holds.press(decision, { digest: "0".repeat(64) }));
      expect(answer).toMatchObject(refused("changed"));
      expect(isSame).toBe(true);
    }
    expect(await holds.press("approve")).toEqual(DONE);
  });

  it("[W-23] names a card that there is not", async () => {
    const holds = new HoldWorld();
    const card = await holds.toCard();
    const names = ["", "other", "__proto__", "constructor", "hasOwnProperty", card.hold.toUpperCase()];
    for (const hold of names) {
      const press = () => holds.press("approve", { card: { ...card, hold } });
      const { answer, isSame } = await pressAndCompare(holds, press);
      expect(answer).toMatchObject(refused("unknown_hold"));
      expect(isSame).toBe(true);
    }
  });

  it("[H-26] [H-28] comes from another person, an owner of the deployment though they be", async () => {
    const holds = new HoldWorld();
    holds.people.set(BERT.principalId, BERT);
    await holds.toCard();
    for (const decision of ["approve", "decline"] as const) {
      const { answer, isSame } = await pressAndCompare(holds, () => holds.press(decision, { by: BERT.principalId }));
      expect(answer).toMatchObject(refused("forbidden"));
      expect(isSame).toBe(true);
    }
  });

  it("[H-25] [H-28] comes from a speaker who was demoted since", async () => {
    const holds = new HoldWorld();
    await holds.toCard();
    holds.people.set(ANNA, { principalId: ANNA, name: "Anna", tier: "guest" });
    const { answer, isSame } = await pressAndCompare(holds, () => holds.press("approve"));
    expect(answer).toMatchObject(refused("forbidden"));
    expect(isSame).toBe(true);
  });

  it("[W-19] finds the directory away, and counts when it is back", async () => {
    const holds = new HoldWorld();
    await holds.toCard();
    await holds.settle();
    const before = everything(holds);
    holds.isDirectoryAway = true;
    await expect(holds.press("approve")).rejects.toThrow("away");
    expect(everything(holds)).toBe(before);
    holds.isDirectoryAway = false;
    expect(await holds.press("approve")).toEqual(DONE);
    await holds.world.run();
    expect(holds.totalEffects).toBe(1);
  });

  it("[H-15] brings a note that does not fit, and counts with a shorter one", async () => {
    const holds = new HoldWorld();
    holds.describe = () => ({ text: "POST JSON".padEnd(1_200, "."), target: "x".repeat(200) });
    await holds.toCard();
    const long = () => holds.press("decline", { note: "字".repeat(1_000) });
    const { answer, isSame } = await pressAndCompare(holds, long);
    expect(answer).toMatchObject({
      ok: false,
      error: { code: "bad_request", message: expect.stringContaining("bytes too long") },
    });
    expect(isSame).toBe(true);
    expect(await holds.press("decline", { note: "字".repeat(50) })).toEqual(DONE);
  });
});

describe("the first press that counts", () => {
  it("[H-12] [H-17] wins over one at the same instant, and the loser is told who and when", async () => {
    for (const order of [
      ["approve", "decline"],
      ["decline", "approve"],
    ] as const) {
      const holds = new HoldWorld();
      const card = await holds.toCard();
      const answers = await Promise.all(order.map((decision) => holds.press(decision, { card })));
      expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
      const lost = answers.find(({ ok }) => !ok);
      expect(lost).toMatchObject({
        error: {
          code: "already_decided",
          message: expect.stringMatching(/"Anna" (approved|declined) this already, at 20/),
        },
      });
      await holds.world.run();
      const wasApproved = holds.results[0]?.outcome === "ok";
      expect(holds.totalEffects).toBe(wasApproved ? 1 : 0);
      expect(holds.results).toHaveLength(1);
    }
  });

  it("[H-12] [H-18] pressed twice, at once and again later, the call runs once and nothing is wrong", async () => {
    const holds = new HoldWorld();
    const card = await holds.toCard();
    expect(await Promise.all([1, 2, 3].map(() => holds.press("approve", { card })))).toEqual([DONE, DONE, DONE]);
    await holds.world.run();
    expect(await holds.press("approve", { card })).toEqual(DONE);
    await holds.world.run();
    expect(holds.totalEffects).toBe(1);
    expect(holds.results).toHaveLength(1);
  });

  it("[H-43] [trap 23] its person and note are told to the model with the result", async () => {
    const holds = new HoldWorld();
    await holds.toCard();
    await holds.press("approve", { note: 'fine\n"go"' });
    await holds.world.run();
    expect(holds.results[0]?.text).toBe('"Anna" approved this call and said "fine\\n\\"go\\"".\nsent');
  });

  it("[H-22] comes a millisecond before the deadline; at the deadline the card has expired", async () => {
    for (const [late, code] of [
      [1, undefined],
      [0, "expired"],
    ] as const) {
      const holds = new HoldWorld();
      const card = await holds.toCard();
      await holds.world.run(() => false, card.deadline - 2);
      holds.world.clock.advanceTo(card.deadline - late);
      const answer = await holds.press("approve", { card });
      expect(answer).toMatchObject(code === undefined ? DONE : refused(code));
      await holds.world.run();
      expect(holds.totalEffects).toBe(code === undefined ? 1 : 0);
    }
  });

  it("[H-54] is still known when the call has its result, for the last ten calls", async () => {
    const holds = new HoldWorld();
    const cards = [await holds.toCard()];
    for (let n = 0; n < 10; n++) {
      await holds.press("decline");
      await holds.world.run(() => holds.kernel.control.turn === null);
      holds.say(`go ${n}`);
      await holds.world.run(() => holds.cards.some(({ status }) => status === "open"));
      cards.push(holds.card);
    }
    await holds.press("decline");
    await holds.world.run();
    const late = await Promise.all(cards.map((card) => holds.press("approve", { card })));
    const codes = late.map((answer) => (answer.ok ? "ok" : answer.error.code));
    expect(codes).toEqual(["unknown_hold", ...Array<string>(10).fill("already_decided")]);
    expect(holds.totalEffects).toBe(0);
  });
});

describe("what changed between the card and the press", () => {
  const changes: readonly (readonly [string, (holds: HoldWorld) => void, string])[] = [
    [
      "the rule's target",
      (h) => void (h.describe = () => ({ text: "POST JSON to the build server", target: "x" })),
      "target",
    ],
    ["the minimum tier", (h) => raise(h, "admin"), "minimum tier"],
    ["the rule, which is gone", (h) => void (h.describe = () => undefined), "rule"],
    ["a deny rule, which came", (h) => void (h.deny = () => "no more webhooks"), "deny rule"],
    ["the rule, which fails now", (h) => void (h.describe = () => Promise.reject(new Error("broken"))), "target"],
  ];
  function raise(holds: HoldWorld, minTier: "admin") {
    const target = "the build server";
    holds.describe = () => ({ text: "POST JSON to the build server", target, minTier });
  }

  it.each(changes)(
    "[H-13] %s: the approval ends the card as changed, and nothing runs",
    async (_what, change, part) => {
      const holds = new HoldWorld();
      const card = await holds.toCard();
      change(holds);
      const answer = await holds.press("approve");
      expect(answer).toMatchObject({ ok: false, error: { code: "changed", message: expect.stringContaining(part) } });
      await holds.world.run();
      expect(holds.results).toMatchObject([{ outcome: "blocked", code: "changed" }]);
      expect(holds.results[0]?.text).toContain("Ask again");
      expect(await holds.press("approve", { card })).toMatchObject(refused("already_decided"));
      expect(holds.totalEffects).toBe(0);
    },
  );

  it("[H-13] found by the gate while the press asks: the presser is told all the same", async () => {
    const holds = new HoldWorld();
    const card = await holds.toCard();
    const gate = Promise.withResolvers<void>();
    let answers = 0;
    holds.version = "2";
    holds.beforeAnswer = () => (++answers === 2 ? gate.promise : Promise.resolve());
    await holds.restart();
    const pressed = holds.press("approve", { card });
    await holds.world.run();
    gate.resolve();
    expect(await pressed).toMatchObject(refused("changed"));
    expect(holds.totalEffects).toBe(0);
  });

  it("[H-46] matters to no decline", async () => {
    const holds = new HoldWorld();
    await holds.toCard();
    holds.deny = () => "no more webhooks";
    expect(await holds.press("decline")).toEqual(DONE);
    await holds.world.run();
    expect(holds.results).toMatchObject([{ code: "declined" }]);
  });
});

describe("what changed between the press and the start", () => {
  const isApproved = (holds: HoldWorld) => holds.cards.some(({ status }) => status === "approved");
  const guest: KnownPerson = { principalId: ANNA, name: "Anna", tier: "guest" };
  /** Each takes effect in the commit of the decision, before the gate looks again. */
  const changes: readonly (readonly [string, (holds: HoldWorld) => void, string])[] = [
    ["the approver, disabled", (h) => afterDecision(h, () => h.people.delete(ANNA)), "approver"],
    ["the approver, demoted", (h) => afterDecision(h, () => h.people.set(ANNA, guest)), "approver"],
    ["the rule, gone", (h) => void (h.describe = () => (isApproved(h) ? undefined : HELD)), "rule"],
    ["a deny rule, come", (h) => void (h.deny = () => (isApproved(h) ? "no more webhooks" : undefined)), "deny rule"],
  ];
  function afterDecision(holds: HoldWorld, change: () => unknown): void {
    holds.beforeAnswer = async () => void (isApproved(holds) && change());
  }

  it.each(changes)("[H-13] [H-46] %s: the approval is void", async (_what, change, part) => {
    const holds = new HoldWorld();
    await holds.toCard();
    change(holds);
    expect(await holds.press("approve")).toEqual(DONE);
    await holds.world.run();
    expect(holds.results).toMatchObject([{ outcome: "blocked", code: "changed" }]);
    expect(holds.results[0]?.text).toContain(`(${part})`);
    expect(holds.totalEffects).toBe(0);
  });

  it("[H-13] the tool, by a deploy that falls in between", async () => {
    const holds = new HoldWorld();
    await holds.toCard();
    await holds.press("approve");
    holds.version = "2";
    await holds.restart();
    await holds.world.run();
    expect(holds.results).toMatchObject([{ outcome: "blocked", code: "changed" }]);
    expect(holds.totalEffects).toBe(0);
  });

  it("[H-12] nothing: the call runs once, though a deploy falls in between", async () => {
    const holds = new HoldWorld();
    await holds.toCard();
    await holds.press("approve");
    await holds.restart();
    await holds.world.run();
    expect(holds.results).toMatchObject([{ outcome: "ok" }]);
    expect(holds.totalEffects).toBe(1);
  });
});

describe("a call that left its turn", () => {
  /** Says something while the card is open: the turn goes on and ends without the call. */
  async function left(holds = new HoldWorld()) {
    const card = await holds.toCard();
    holds.say("what is the time?");
    await holds.world.run(() => holds.kernel.control.turn === null, holds.world.clock.now());
    return { holds, card };
  }

  it("[H-24] [T-33] keeps its card; the model was told that it waits", async () => {
    const { holds, card } = await left();
    expect(holds.results).toMatchObject([{ outcome: "pending", code: "pending" }]);
    expect(holds.cards).toEqual([{ ...card, task: holds.card.task }]);
    expect(holds.card.task).not.toBe(card.task);
  });

  it("[H-55] [T-34] [trap 17] runs once when approved, and the result comes as an input of the system", async () => {
    const { holds, card } = await left();
    await holds.world.pass(3 * HOUR);
    expect(await Promise.all([1, 2].map(() => holds.press("approve", { card })))).toEqual([DONE, DONE]);
    await holds.world.run();
    expect(holds.totalEffects).toBe(1);
    expect(holds.results).toHaveLength(1);
    expect(holds.notices).toHaveLength(1);
    expect(holds.notices[0]).toMatch(
      /\[System\] The call of send that was waiting has run. Decided by Anna\.[\s\S]*sent/,
    );
    expect(holds.cards).toEqual([]);
  });

  it("[H-55] declined late, the model is told so", async () => {
    const { holds, card } = await left();
    await holds.press("decline", { card });
    await holds.world.run();
    expect(holds.notices[0]).toMatch(/did not run. Decided by Anna\.[\s\S]*"Anna" declined this call of send/);
    expect(holds.totalEffects).toBe(0);
  });

  it("[H-55] never answered, it expires, and the model is told so", async () => {
    const { holds } = await left();
    await holds.world.run();
    expect(holds.notices[0]).toContain("expired and will not run");
    expect(holds.world.alarm.armedFor).toBeNull();
  });

  it("[H-51] [trap 18] is not stopped with the next turn", async () => {
    const { holds, card } = await left();
    holds.say("go on then");
    holds.kernel.stop();
    await holds.settle();
    expect(holds.cards.map(({ hold, status }) => [hold, status])).toContainEqual([card.hold, "open"]);
  });

  it("[H-55] [W-29] stopping the turn behind which its result waits does not lose the result", async () => {
    const gate = Promise.withResolvers<void>();
    const holds = new HoldWorld({
      script: ({ messages }) => {
        const last = JSON.stringify(messages.at(-1));
        if (last.includes("go")) return { calls: [{ name: "send", args: "{}" }] };
        return last.includes("slowly") ? { text: "Well…", between: () => gate.promise } : { text: "All done." };
      },
    });
    const { card } = await left(holds);
    holds.say("slowly now");
    await holds.settle();
    await holds.press("approve", { card });
    await holds.settle();
    expect(holds.totalEffects).toBe(1);
    expect(holds.notices).toEqual([]);
    holds.kernel.stop();
    gate.resolve();
    await holds.world.run();
    expect(holds.notices).toEqual([expect.stringContaining("has run")]);
    expect(holds.kernel.control.inbox).toEqual([]);
  });

  it("[H-22] too late to be let go: it expires and no new card is made", async () => {
    const holds = new HoldWorld();
    const { deadline } = await holds.toCard();
    await holds.world.run(() => false, deadline - 2);
    holds.world.clock.advanceTo(deadline);
    holds.say("what is the time?");
    await holds.world.run();
    expect(holds.opened).toHaveLength(1);
    expect(holds.cards).toEqual([]);
    expect([...holds.results.map(({ text }) => text), ...holds.notices].join()).toContain("expired");
    expect(holds.totalEffects).toBe(0);
  });
});

describe("a card's arguments", () => {
  it("[H-40] are served whole by the name that is shown, and nothing else is", async () => {
    const long = "long words ".repeat(2_000);
    const args = JSON.stringify({ ref: "main", log: long });
    const holds = new HoldWorld({
      script: ({ messages }) =>
        messages.at(-1)?.role === "user" ? { calls: [{ name: "send", args }] } : { text: "All done." },
    });
    const card = await holds.toCard();
    expect(card.truncated).toBe(true);
    expect(holds.argument(card, "log")).toBe(JSON.stringify(long));
    expect(holds.argument(card, "ref")).toBe('"main"');
    for (const name of ["other", "__proto__", ""]) expect(holds.argument(card, name)).toBeUndefined();
    expect(holds.argument({ ...card, hold: "other" }, "log")).toBeUndefined();
  });
});
