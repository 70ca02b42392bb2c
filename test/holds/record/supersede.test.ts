import { describe, expect, it } from "vitest";
import { withdrawCalls } from "../../../src/holds/index.ts";
import { HELD, HoldWorld } from "../../kit/hold-world.ts";

const keyed = (supersede: string) => {
  const holds = new HoldWorld();
  holds.describe = () => ({ ...HELD, supersede });
  return holds;
};

/** One card waits outside its turn, and a newer call of the same key comes to its card. */
async function twice(holds: HoldWorld) {
  const first = await holds.toCard();
  holds.say("go to release");
  await holds.world.run(() => holds.cards.some(({ hold, status }) => hold !== first.hold && status === "open"));
  const second = holds.cards.find(({ hold }) => hold !== first.hold);
  if (!second) throw new Error("there is no second card");
  return { first, second };
}

describe("a newer call under the same key", () => {
  it("[H-73] withdraws the older card in the commit that opens its own, also one that left its turn", async () => {
    const holds = keyed("deploy");
    const { first, second } = await twice(holds);
    expect(holds.stored.records[first.hold]).toMatchObject({ status: "cancelled", reason: "superseded" });
    const told = holds.audit.filter(({ event }) => event === "cancelled" || event === "opened");
    expect(told.map(({ event, hold, reason }) => [event, hold, reason])).toEqual([
      ["opened", first.hold, null],
      ["cancelled", first.hold, "superseded"],
      ["opened", second.hold, null],
    ]);
    const frames = holds.world.commits.filter(({ ops }) => JSON.stringify(ops).includes('"withdrawn":true'));
    expect(JSON.stringify(frames[0]?.ops)).toContain(second.hold);
    await holds.press("approve", { card: second });
    await holds.world.run();
    expect(holds.inputs).toEqual([{ ref: "release" }]);
    expect(
      holds.world.kernel
        .entriesAfter(0, 1_000)
        .map(({ message }) => JSON.stringify(message))
        .join(),
    ).toContain("was withdrawn by the tool itself while it waited for approval. It did not run.");
  });

  it("[H-73] withdraws one that waits in the same turn, whose call is told so", async () => {
    const calls = ["main", "release"].map((ref) => ({ name: "send", args: JSON.stringify({ ref }) }));
    const holds = new HoldWorld({
      script: ({ messages }) => (messages.at(-1)?.role === "user" ? { calls } : { text: "Done." }),
    });
    holds.describe = () => ({ ...HELD, supersede: "deploy" });
    await holds.toCard();
    await holds.settle();
    await holds.press("approve", { card: holds.cards.find(({ status }) => status === "open") ?? holds.card });
    await holds.world.run();
    expect(holds.totalEffects).toBe(1);
    expect(holds.results.map(({ code = "" }) => code).toSorted((a, b) => a.localeCompare(b))).toEqual([
      "",
      "cancelled",
    ]);
  });

  it("[H-73] another key, or none, withdraws nothing", async () => {
    const holds = new HoldWorld();
    holds.describe = ({ input }) => ({ ...HELD, supersede: (input as { ref: string }).ref });
    const { first, second } = await twice(holds);
    expect(holds.cards.map(({ hold, status }) => [hold, status])).toEqual([
      [first.hold, "open"],
      [second.hold, "open"],
    ]);
  });

  it("[H-74] never overrides an answer that came first, and an answer that comes after it is told so", async () => {
    const holds = keyed("deploy");
    const first = await holds.toCard();
    holds.say("never mind");
    await holds.world.run(() => holds.kernel.control.turn === null);
    let running = () => undefined as void;
    holds.beforeEffect = () => new Promise((resolve) => (running = resolve));
    expect(await holds.press("approve", { card: first })).toEqual({ ok: true, value: {} });
    holds.say("go to release");
    await holds.world.run(() => holds.cards.some(({ status }) => status === "open"));
    expect(holds.stored.records[first.hold]?.status).toBe("approved");
    running();
    holds.beforeEffect = () => Promise.resolve();
    await holds.world.run(() => holds.totalEffects === 1);

    const other = keyed("deploy");
    const { first: withdrawn } = await twice(other);
    const late = await other.press("approve", { card: withdrawn });
    expect(late).toMatchObject({
      ok: false,
      error: { code: "already_decided", message: expect.stringContaining("withdrawn") },
    });
  });
});

describe("a key", () => {
  it.each([
    [200, "POST JSON to the build server"],
    [201, "run send"],
  ])("[H-73] of %i units", async (units, action) => {
    const holds = keyed("k".repeat(units));
    await holds.toCard();
    expect(holds.card.action).toBe(action);
    const faults = holds.world.reports.filter(({ event }) => event === "hold_rule.failed");
    expect(faults.length > 0).toBe(units > 200);
  });
});

describe("a plugin that withdraws by key", () => {
  it("[H-75] ends what waits, with its own commit or not at all", async () => {
    const holds = keyed("deploy");
    const card = await holds.toCard();
    const failing = () =>
      holds.kernel.commit((tx) => {
        withdrawCalls(tx, { tool: "send", key: "deploy" });
        throw new Error("no");
      });
    expect(failing).toThrow("no");
    await holds.settle();
    expect(holds.card.status).toBe("open");
    holds.kernel.commit((tx) => withdrawCalls(tx, { tool: "send", key: "deploy" }));
    await holds.world.run();
    expect(holds.stored.records[card.hold]).toMatchObject({ status: "cancelled", reason: "superseded" });
    expect(holds.results).toMatchObject([{ outcome: "blocked", code: "cancelled" }]);
    expect(holds.totalEffects).toBe(0);
  });

  it("[H-75] does not reach what is held later, another key, or an answer given before", async () => {
    const holds = keyed("deploy");
    holds.world.start().resume();
    holds.kernel.commit((tx) => {
      withdrawCalls(tx, { tool: "send", key: "deploy" });
      withdrawCalls(tx, { tool: "send", key: "other" });
    });
    await holds.settle();
    holds.say("go");
    await holds.world.run(() => holds.cards.length > 0);
    const [row] = holds.world.delivered.filter(({ target }) => target === "withdrawals");
    if (!row) throw new Error("no row was delivered");
    holds.redeliver(row);
    expect(holds.card.status).toBe("open");
    await holds.press("approve");
    holds.kernel.commit((tx) => withdrawCalls(tx, { tool: "send", key: "deploy" }));
    await holds.world.run();
    expect(holds.totalEffects).toBe(1);
  });

  it("[H-75] is refused a key over the limit, by name", () => {
    const holds = keyed("deploy");
    holds.world.start();
    const withdraw = (units: number) => () =>
      holds.kernel.commit((tx) => withdrawCalls(tx, { tool: "send", key: "k".repeat(units) }));
    expect(withdraw(200)).not.toThrow();
    expect(withdraw(201)).toThrow(/key/);
  });
});
