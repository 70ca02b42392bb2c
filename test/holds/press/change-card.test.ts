import { describe, expect, it } from "vitest";
import { extendHold, MAX_EXTENSION_MS } from "../../../src/holds/record/extend-hold.ts";
import { ANNA, HELD, HOUR, HoldWorld } from "../../kit/hold-world.ts";
import { makeApproved, makeHold, T0 } from "../make.ts";

const BERT = { principalId: "p_bert", name: "Bert", tier: "owner" } as const;
const CLEO = { principalId: "p_cleo", name: "Cleo", tier: "admin" } as const;
const DONE = { ok: true, value: {} };
const refused = (code: string) => ({ ok: false, error: { code } });
const reminders = (holds: HoldWorld) =>
  holds.world.commits.flatMap(({ events }) => events.filter(({ type }) => type === "plugin.holds.reminder"));

async function shared(): Promise<HoldWorld> {
  const holds = new HoldWorld();
  holds.visibility = "shared";
  holds.people.set(BERT.principalId, BERT).set(CLEO.principalId, CLEO);
  await holds.toCard();
  return holds;
}

describe("extending a hold", () => {
  it("[H-69] takes a later time, up to 7 days after it was asked and not a millisecond more", () => {
    const hold = { ...makeHold(), remindedAt: T0 + 1 };
    const latest = T0 + MAX_EXTENSION_MS;
    expect(extendHold(hold, latest, T0 + 2)).toEqual({
      ok: true,
      value: { ...hold, deadline: latest, remindedAt: null },
    });
    expect(extendHold(hold, latest + 1, T0 + 2)).toEqual({ ok: false, error: "too_far" });
    expect(extendHold(hold, hold.deadline - 1, T0 + 2)).toEqual({ ok: false, error: "not_later" });
    expect(extendHold(hold, hold.deadline, T0 + 2)).toEqual({ ok: true, value: hold });
  });

  it("[H-69] comes too late once it is decided or its deadline is there", () => {
    const hold = makeHold();
    expect(extendHold(makeApproved(), hold.deadline + 1, T0 + 2)).toEqual({ ok: false, error: "ended" });
    expect(extendHold(hold, hold.deadline + 1, hold.deadline)).toEqual({ ok: false, error: "ended" });
    expect(extendHold(hold, hold.deadline + 1, hold.deadline - 1)).toMatchObject({ ok: true });
  });
});

describe("a card that is extended", () => {
  it("[H-69] waits until the new time, reminds an hour before, and is answered as ever", async () => {
    for (const isAnswered of [true, false]) {
      const holds = new HoldWorld();
      const card = await holds.toCard();
      const until = card.deadline + 24 * HOUR;
      expect(await holds.change({ kind: "extend", until })).toEqual(DONE);
      expect(await holds.change({ kind: "extend", until })).toEqual(DONE);
      await holds.world.run(() => false, until - HOUR - 1);
      expect(holds.cards).toEqual([{ ...card, deadline: until }]);
      expect(reminders(holds)).toEqual([]);
      await holds.world.run(() => false, until - HOUR);
      expect(reminders(holds)).toHaveLength(1);
      if (isAnswered) expect(await holds.press("approve")).toEqual(DONE);
      await holds.world.run();
      expect(holds.totalEffects).toBe(isAnswered ? 1 : 0);
      expect(holds.results).toMatchObject([{ outcome: isAnswered ? "ok" : "blocked" }]);
    }
  });

  it("[H-69] reminds again when it had reminded", async () => {
    const holds = new HoldWorld();
    const { deadline } = await holds.toCard();
    await holds.world.run(() => false, deadline - HOUR / 2);
    expect(reminders(holds)).toHaveLength(1);
    await holds.change({ kind: "extend", until: deadline + 3 * HOUR });
    await holds.restart();
    await holds.world.run(() => false, deadline + 2 * HOUR - 1);
    expect(reminders(holds)).toHaveLength(1);
    await holds.world.run(() => false, deadline + 2 * HOUR);
    expect(reminders(holds)).toHaveLength(2);
  });

  it("[H-69] out of its turn, too; by another person or for too long, not at all", async () => {
    const holds = new HoldWorld();
    holds.people.set(BERT.principalId, BERT);
    const { deadline, askedAt } = await holds.toCard();
    holds.say("what is the time?");
    await holds.world.run(() => holds.kernel.control.turn === null, holds.world.clock.now());
    const extend = (until: number, by = ANNA) => holds.change({ kind: "extend", until }, { by });
    expect(await extend(deadline + 1, BERT.principalId)).toMatchObject(refused("forbidden"));
    expect(await extend(askedAt + MAX_EXTENSION_MS + 1)).toMatchObject(refused("bad_request"));
    expect(await extend(deadline - 1)).toMatchObject(refused("bad_request"));
    expect(holds.card.deadline).toBe(deadline);
    expect(await extend(deadline + HOUR)).toEqual(DONE);
    await holds.world.run(() => false, deadline + 1);
    expect(holds.card.status).toBe("open");
    await holds.press("decline");
    expect(await extend(deadline + 2 * HOUR)).toMatchObject(refused("already_decided"));
  });
});

describe("a card that is handed over", () => {
  it("[H-70] names the owner and is announced once; who may answer stays the same", async () => {
    const holds = await shared();
    const hand = () => holds.change({ kind: "hand_over", to: BERT.principalId });
    expect([await hand(), await hand()]).toEqual([DONE, DONE]);
    await holds.settle();
    const { hold } = holds.card;
    expect(holds.card.askedOf).toBe("Bert");
    const events = holds.world.commits.flatMap(({ events: all }) =>
      all.filter(({ type }) => type.includes("handed_over")),
    );
    expect(events).toEqual([{ type: "plugin.holds.handed_over", hold, to: BERT.principalId, by: ANNA }]);
    await holds.restart();
    await holds.settle();
    expect(holds.card.askedOf).toBe("Bert");
    expect(await holds.press("approve")).toEqual(DONE);
    await holds.world.run();
    expect(holds.totalEffects).toBe(1);
  });

  it("[H-70] widens nothing: to no member, by nobody who may not answer, of no card that is the speaker's alone", async () => {
    const holds = await shared();
    const hand = (to: string, by = ANNA) => holds.change({ kind: "hand_over", to }, { by });
    expect(await hand(CLEO.principalId)).toMatchObject(refused("bad_request"));
    expect(await hand("p_nobody")).toMatchObject(refused("bad_request"));
    expect(await hand(BERT.principalId, CLEO.principalId)).toMatchObject(refused("forbidden"));
    const alone = new HoldWorld();
    alone.visibility = "shared";
    alone.people.set(BERT.principalId, BERT);
    alone.describe = () => ({ ...HELD, approval: "speaker" });
    await alone.toCard();
    expect(await alone.change({ kind: "hand_over", to: BERT.principalId })).toMatchObject(refused("bad_request"));
    expect(await alone.press("approve", { by: BERT.principalId })).toMatchObject(refused("forbidden"));
    const own = new HoldWorld();
    own.people.set(BERT.principalId, BERT);
    await own.toCard();
    expect(await own.change({ kind: "hand_over", to: BERT.principalId })).toMatchObject(refused("bad_request"));
    expect([holds.card.askedOf, alone.card.askedOf, own.card.askedOf]).toEqual([undefined, undefined, undefined]);
  });
});
