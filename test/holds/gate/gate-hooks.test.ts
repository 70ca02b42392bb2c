import { describe, expect, it } from "vitest";
import type { Tier } from "../../../src/people/facts.ts";
import { HOUR, HoldWorld } from "../../kit/hold-world.ts";

const parkedTasks = ({ kernel }: HoldWorld) =>
  Object.values(kernel.control.tasks).filter((task) => task.status === "parked");

it("[H-48] the card opens in the commit that parks its call, and the list is told with it", async () => {
  const holds = new HoldWorld();
  await holds.toCard();
  const opening = holds.world.commits.filter((frame) => JSON.stringify(frame.ops).includes('"cards"'));
  expect(opening).toHaveLength(1);
  expect(opening[0]?.events).toContainEqual({ type: "tool.waiting", task: holds.card.task, on: "holds" });
  expect(parkedTasks(holds).map(({ id }) => id)).toEqual([holds.card.task]);
  expect(holds.opened).toEqual([holds.card.askedAt]);
  expect(holds.world.delivered.map(({ key }) => key)).toEqual(["registry"]);
  expect(holds.totalEffects).toBe(0);
});

it("[H-103] [trap 13] cards stand in the order of their calls, whichever was described first", async () => {
  const first = Promise.withResolvers<void>();
  const holds = new HoldWorld({
    script: ({ messages }) =>
      messages.at(-1)?.role === "user"
        ? { calls: [1, 2].map((n) => ({ name: "send", args: JSON.stringify({ n }) })) }
        : { text: "Done." },
  });
  holds.describe = async ({ input }) => {
    const { n } = input as { readonly n: number };
    if (n === 1) await first.promise;
    return { text: `send ${n}` };
  };
  await holds.toCard();
  expect(holds.cards.map(({ action }) => action)).toEqual(["send 2"]);
  first.resolve();
  await holds.world.run(() => holds.cards.length === 2);
  expect(holds.cards.map(({ action }) => action)).toEqual(["send 1", "send 2"]);
});

describe("a parked call", () => {
  it("[H-23] [H-53] announces its card once, an hour before the deadline, without any restart", async () => {
    const holds = new HoldWorld();
    const { deadline, hold } = await holds.toCard();
    const reminders = () =>
      holds.world.commits.flatMap(({ events }) => events.filter(({ type }) => type === "plugin.holds.reminder"));
    await holds.world.run(() => false, deadline - HOUR - 1);
    expect(reminders()).toEqual([]);
    await holds.world.run(() => false, deadline - HOUR);
    expect(reminders()).toEqual([{ type: "plugin.holds.reminder", hold }]);
    await holds.restart();
    await holds.world.run(() => false, deadline - 1);
    expect(reminders()).toHaveLength(1);
    expect(holds.card.status).toBe("open");
  });

  it("[H-22] expires at its deadline by the alarm, and the model is told", async () => {
    const holds = new HoldWorld();
    const { deadline } = await holds.toCard();
    await holds.world.run(() => false, deadline - 1);
    expect(holds.results).toEqual([]);
    await holds.world.run();
    expect(holds.results).toMatchObject([{ outcome: "blocked", code: "expired" }]);
    expect(holds.results[0]?.text).toContain("expired and will not run");
    expect(holds.cards).toEqual([]);
    expect(holds.totalEffects).toBe(0);
  });

  it("[H-46] is looked at again after a restart: another version of its tool ends the card as changed", async () => {
    const holds = new HoldWorld();
    await holds.toCard();
    holds.version = "2";
    await holds.restart();
    await holds.world.run();
    expect(holds.results).toMatchObject([{ outcome: "blocked", code: "changed" }]);
    expect(holds.results[0]?.text).toContain("(version)");
    expect(holds.totalEffects).toBe(0);
  });

  it("[H-46] survives a restart that changes nothing, with the same card", async () => {
    const holds = new HoldWorld();
    const card = await holds.toCard();
    await holds.restart();
    await holds.settle();
    expect(holds.cards).toEqual([card]);
    expect(parkedTasks(holds)).toHaveLength(1);
  });

  it("[H-51] that is stopped takes its card along, and a press on it changes nothing", async () => {
    const holds = new HoldWorld();
    const card = await holds.toCard();
    holds.kernel.stop();
    await holds.settle();
    expect(holds.cards).toEqual([]);
    expect(holds.results).toMatchObject([{ outcome: "stopped" }]);
    const late = await holds.press("approve", { card });
    expect(late).toMatchObject({ ok: false, error: { code: "already_decided" } });
    await holds.world.run();
    expect(holds.totalEffects).toBe(0);
  });
});

describe("the start of an approved call", () => {
  it("[H-12] [T-32] spends the approval in the very commit that starts it", async () => {
    const holds = new HoldWorld();
    const { hold } = await holds.toCard();
    let spentAt: unknown;
    holds.beforeEffect = async () => {
      const record = holds.stored.records[hold];
      spentAt = record?.status === "approved" ? record.spentAt : undefined;
    };
    await holds.press("approve");
    await holds.world.run();
    expect(spentAt).toBe(holds.world.clock.now());
    expect(holds.totalEffects).toBe(1);
  });

  it("[H-12] [T-32] is refused when another start has used the approval since it was checked", async () => {
    const holds = new HoldWorld();
    const card = await holds.toCard();
    const gate = Promise.withResolvers<void>();
    let answers = 0;
    // The press asks first, then the kernel's own check, which waits; ours overtakes it.
    holds.beforeAnswer = () => (++answers === 2 ? gate.promise : Promise.resolve());
    await holds.press("approve");
    await holds.settle();
    const decision = await holds.check(card);
    if (decision?.kind !== "allow") throw new Error(`the gate said ${decision?.kind}`);
    gate.resolve();
    await holds.world.run();
    expect(holds.totalEffects).toBe(1);
    const start = () => holds.kernel.commit((tx) => decision.onStarted(tx));
    expect(start).toThrow(expect.objectContaining({ name: "CallRefused" }));
  });
});

describe("the tier of the person whom the turn runs for", () => {
  const free = () => {
    const holds = new HoldWorld();
    holds.describe = () => undefined;
    holds.world.start().resume();
    return holds;
  };

  it("[H-117] counts at the start of a call that nothing holds", async () => {
    const holds = free();
    holds.toolTier = "admin";
    holds.say("go");
    await holds.world.run();
    expect(holds.results).toMatchObject([{ outcome: "blocked", code: "below_tier" }]);
    expect(holds.results[0]?.text).toContain("may not use send any more. It did not run.");
    expect(holds.totalEffects).toBe(0);
  });

  it("[H-117] that is high enough lets it start", async () => {
    const holds = free();
    holds.toolTier = "admin";
    holds.people.set("p_anna", { principalId: "p_anna", name: "Anna", tier: "admin" });
    holds.say("go");
    await holds.world.run();
    expect(holds.totalEffects).toBe(1);
  });

  it("[H-117] a person who may not act any more starts nothing", async () => {
    const holds = free();
    holds.people.delete("p_anna");
    holds.say("go");
    await holds.world.run();
    expect(holds.results).toMatchObject([{ code: "below_tier" }]);
    expect(holds.totalEffects).toBe(0);
  });

  it("[H-117] [S-11] that fell after the approval keeps the approved call from starting", async () => {
    const holds = new HoldWorld();
    holds.visibility = "shared";
    await holds.toCard();
    holds.people.set("p_olga", { principalId: "p_olga", name: "Olga", tier: "owner" });
    expect(await holds.press("approve", { by: "p_olga" })).toEqual({ ok: true, value: {} });
    holds.people.set("p_anna", { principalId: "p_anna", name: "Anna", tier: "guest" });
    await holds.world.run();
    expect(holds.results).toMatchObject([{ outcome: "blocked", code: "below_tier" }]);
    expect(holds.totalEffects).toBe(0);
  });

  it.each<[Tier, number]>([
    ["member", 0],
    ["admin", 1],
  ])("[H-117] for a tool of tier %s the directory is asked %i times", async (toolTier, questions) => {
    const holds = free();
    holds.toolTier = toolTier;
    holds.people.set("p_anna", { principalId: "p_anna", name: "Anna", tier: "admin" });
    let asked = 0;
    holds.beforeAnswer = async () => void asked++;
    holds.say("go");
    await holds.world.run();
    expect(asked).toBe(questions);
    expect(holds.totalEffects).toBe(1);
  });
});

describe("a press while the call is being checked", () => {
  /** Restarts, and keeps the check that the restart brings waiting for the directory until `go` is called. */
  async function checking(holds: HoldWorld): Promise<{ readonly go: () => void }> {
    const gate = Promise.withResolvers<void>();
    let answers = 0;
    holds.beforeAnswer = () => (++answers === 1 ? gate.promise : Promise.resolve());
    await holds.restart();
    await holds.settle();
    expect(answers).toBe(1);
    return { go: gate.resolve };
  }

  it("[H-50] an approval counts, and the call runs once", async () => {
    const holds = new HoldWorld();
    await holds.toCard();
    const { go } = await checking(holds);
    expect(await holds.press("approve")).toEqual({ ok: true, value: {} });
    go();
    await holds.world.run();
    expect(holds.results).toMatchObject([{ outcome: "ok" }]);
    expect(holds.totalEffects).toBe(1);
  });

  it("[H-50] a decline counts", async () => {
    const holds = new HoldWorld();
    await holds.toCard();
    const { go } = await checking(holds);
    expect(await holds.press("decline", { note: "not today" })).toEqual({ ok: true, value: {} });
    go();
    await holds.world.run();
    expect(holds.results).toMatchObject([{ outcome: "blocked", code: "declined" }]);
    expect(holds.results[0]?.text).toContain('"not today"');
    expect(holds.totalEffects).toBe(0);
  });
});

describe("when the directory is away", () => {
  it("[H-52] an approved call waits, asks again less and less often, and runs once when it is back", async () => {
    const holds = new HoldWorld();
    await holds.toCard();
    expect(await holds.press("approve")).toEqual({ ok: true, value: {} });
    holds.isDirectoryAway = true;
    const { clock } = holds.world;
    await holds.world.run(() => false, clock.now() + 60_000);
    expect(holds.totalEffects).toBe(0);
    expect(holds.card.status).toBe("approved");
    const asked = holds.world.reports.filter(({ event }) => event === "holds.unchecked");
    expect(asked.length).toBeGreaterThan(3);
    expect(asked.length).toBeLessThan(8);
    holds.isDirectoryAway = false;
    await holds.world.run();
    expect(holds.results).toMatchObject([{ outcome: "ok" }]);
    expect(holds.totalEffects).toBe(1);
  });

  it("[H-52] a decline stands without it", async () => {
    const holds = new HoldWorld();
    await holds.toCard();
    await holds.press("decline");
    holds.isDirectoryAway = true;
    await holds.world.run();
    expect(holds.results).toMatchObject([{ outcome: "blocked", code: "declined" }]);
  });

  it("[H-52] [trap 64] a new call waits without a card, and comes to one when it is back", async () => {
    const holds = new HoldWorld();
    holds.isDirectoryAway = true;
    holds.world.start().resume();
    holds.say("go");
    await holds.world.run(() => false, holds.world.clock.now() + 60_000);
    expect(parkedTasks(holds)).toHaveLength(1);
    expect(holds.cards).toEqual([]);
    holds.isDirectoryAway = false;
    await holds.restart();
    await holds.world.run(() => holds.cards.length > 0);
    expect(holds.card.status).toBe("open");
    expect(holds.totalEffects).toBe(0);
  });

  it("[H-52] a call that nothing holds waits as well when it must be asked who its person is, and can be stopped", async () => {
    const holds = new HoldWorld();
    holds.describe = () => undefined;
    holds.toolTier = "admin";
    holds.people.set("p_anna", { principalId: "p_anna", name: "Anna", tier: "admin" });
    holds.isDirectoryAway = true;
    holds.world.start().resume();
    holds.say("go");
    await holds.world.run(() => false, holds.world.clock.now() + 60_000);
    expect(holds.totalEffects).toBe(0);
    holds.isDirectoryAway = false;
    await holds.world.run();
    expect(holds.totalEffects).toBe(1);
    holds.isDirectoryAway = true;
    holds.say("go again");
    await holds.world.run(() => parkedTasks(holds).length > 0);
    holds.kernel.stop();
    await holds.settle();
    expect(holds.results.at(-1)).toMatchObject({ outcome: "stopped" });
    expect(holds.totalEffects).toBe(1);
  });

  it("[H-22] [H-23] an open card needs nobody: it reminds and expires as ever", async () => {
    const holds = new HoldWorld();
    const { deadline } = await holds.toCard();
    holds.isDirectoryAway = true;
    await holds.restart();
    await holds.world.run(() => false, deadline - 1);
    expect(holds.world.commits.flatMap(({ events }) => events)).toContainEqual({
      type: "plugin.holds.reminder",
      hold: holds.card.hold,
    });
    await holds.world.run();
    expect(holds.results).toMatchObject([{ code: "expired" }]);
    expect(holds.world.clock.now()).toBe(deadline);
  });
});

describe("arguments that cannot be hashed and shown", () => {
  const deep = (levels: number) => `{"a":${"[".repeat(levels)}${"]".repeat(levels)}}`;
  const script = (args: string) => new HoldWorld({ script: (r) => callOnce(r.messages.at(-1)?.role, args) });
  const callOnce = (role: string | undefined, args: string) =>
    role === "user" ? { calls: [{ name: "send", args }] } : { text: "All done." };

  it("[H-7] are refused unheld, naming the limit", async () => {
    for (const levels of [101, 20_000]) {
      const holds = script(deep(levels));
      holds.world.start().resume();
      holds.say("go");
      await holds.world.run();
      expect(holds.results).toMatchObject([{ outcome: "blocked", code: "unfit_arguments" }]);
      expect(holds.results[0]?.text).toContain("100 levels: flatten them. It did not run.");
      expect(holds.opened).toEqual([]);
    }
  });

  it("[H-7] at the limit they are held as any other", async () => {
    const holds = script(deep(100));
    await holds.toCard();
    await holds.press("approve");
    await holds.world.run();
    expect(holds.totalEffects).toBe(1);
  });
});

describe("declines", () => {
  const calls = (count: number) => Array.from({ length: count }, () => ({ name: "send", args: "{}" }));
  /** A call in each step until the third result, then a text. */
  const again = () =>
    new HoldWorld({
      script: ({ messages }) => {
        const results = messages.filter(({ role }) => role === "tool").length;
        return results < 3 ? { calls: calls(1) } : { text: "All done." };
      },
    });

  it("[H-44] after two of one tool in a turn its next call is refused without a card", async () => {
    const holds = again();
    await holds.toCard();
    for (let n = 0; n < 2; n++) {
      await holds.world.run(() => holds.cards.some(({ status }) => status === "open"));
      expect(await holds.press("decline")).toEqual({ ok: true, value: {} });
    }
    await holds.world.run();
    expect(holds.opened).toHaveLength(2);
    expect(holds.results.map(({ code }) => code)).toEqual(["declined", "declined", "declined_out"]);
  });

  it("[H-56] one of a call that has left its turn counts for no turn", async () => {
    const holds = new HoldWorld();
    const first = await holds.toCard();
    holds.say("never mind");
    await holds.world.run(() => holds.kernel.control.turn === null);
    holds.say("go again");
    await holds.world.run(() => holds.cards.length === 2);
    const [, second] = holds.cards;
    if (!second) throw new Error("there is no second card");
    await holds.press("decline", { card: first });
    await holds.settle();
    expect(holds.notices).toHaveLength(0);
    await holds.press("decline", { card: second });
    await holds.world.run();
    expect(holds.stored.declines?.byTool).toEqual({ send: 1 });
  });
});
