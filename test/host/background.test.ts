import { describe, expect, it } from "vitest";
import { backgroundFactsOf, backgroundMeta } from "../../src/host/background/background-facts.ts";
import { type BackgroundOrder, decideBackground, startBackground } from "../../src/host/index.ts";
import type { HostTx, TurnSettings } from "../../src/kernel/index.ts";
import { err, ok } from "../../src/lib/result.ts";
import { admitBackground, MAX_WAITING_BACKGROUND } from "../../src/objects/desk/background-desk.ts";
import { ANNA, BERT, lines, NOTES, send } from "../kernel/make.ts";
import { started } from "../kernel/started.ts";
import type { KernelWorld } from "../kit/kernel-world.ts";
import { stopOf } from "../kit/stop-of.ts";
import type { WorldOptions } from "../kit/world-options.ts";

const ORDER: BackgroundOrder = { target: "web", author: ANNA, tier: "member", prompt: "Look.", key: "k1" };
/** A place to wait at that opens at once, in virtual time. */
class Door {
  open: () => void = () => undefined;
  readonly opened = new Promise<void>((resolve) => {
    this.open = resolve;
  });
}

const settings = (more: Partial<TurnSettings> = {}) =>
  ({ model: "test/model", thinking: "off", offers: () => true, ...more }) as const;

describe("an order", () => {
  const sent: unknown[] = [];
  const tx = { send: (row: unknown) => sent.push(row) } as unknown as HostTx;
  const order = (changes: object) => startBackground(tx, { ...ORDER, ...changes });

  it("[X-30] at the limits is taken, beyond them refused with what is wrong", () => {
    order({});
    order({ prompt: "x".repeat(8_000), key: "k".repeat(128), conversation: "web:2" });
    expect(sent).toMatchObject([{ target: "background" }, { target: "background" }]);
    const bad = [
      { prompt: "x".repeat(8_001) },
      { prompt: "  " },
      { key: "k".repeat(129) },
      { key: "" },
      { key: "a b" },
      { tier: "boss" },
      { target: "" },
      { more: 1 },
      { author: "system" },
    ];
    for (const changes of bad) expect(stopOf(() => order(changes)).code).toBe("bad_order");
    expect(stopOf(() => order({ author: "system" })).message).toContain("the host's alone");
    expect(sent).toHaveLength(2);
  });

  it("[X-30] again it gives the first receipt, with another content it is a conflict", async () => {
    const world = started();
    const admit = (changes: Partial<BackgroundOrder> = {}) => admitBackground(world.kernel, { ...ORDER, ...changes });
    expect(admit()).toMatchObject({ ok: true, value: { status: "placed" } });
    await world.run();
    expect(admit()).toMatchObject({ ok: true, value: { status: "done" } });
    expect(admit({ prompt: "Other." })).toMatchObject({ error: { code: "conflict" } });
    expect(world.model.requests).toHaveLength(1);
  });

  it("[X-35] twenty wait, the next is put off until one has begun", async () => {
    const gate = new Door();
    const world = started({ script: () => ({ text: "Hello.", between: () => gate.opened }) });
    const admit = (key: string) => admitBackground(world.kernel, { ...ORDER, key }).ok;
    send(world, "one");
    for (let i = 0; i < MAX_WAITING_BACKGROUND; i++) expect(admit(`k${i}`)).toBe(true);
    expect(admitBackground(world.kernel, { ...ORDER, key: "more" })).toMatchObject({ error: { code: "rate_limited" } });
    expect(admit("k3")).toBe(true);
    gate.open();
    await world.run(() => world.kernel.control.inbox.length < MAX_WAITING_BACKGROUND);
    expect(admit("more")).toBe(true);
    await world.run();
    expect(world.model.requests).toHaveLength(MAX_WAITING_BACKGROUND + 2);
  });
});

describe("its place in the line", () => {
  it("[X-32] joins no turn and is joined by none, not by its author's own messages either", async () => {
    const gates = [new Door(), undefined, new Door()];
    const world = started({
      script: (_request, nth) => ({ text: `Answer ${nth}.`, between: async () => await gates[nth]?.opened }),
    });
    send(world, "one");
    await world.run(() => world.model.requests.length === 1);
    send(world, "two");
    admitBackground(world.kernel, ORDER);
    gates[0]?.open();
    await world.run(() => world.model.requests.length === 3);
    expect(send(world, "three")).toMatchObject({ value: { status: "queued" } });
    gates[2]?.open();
    await world.run();
    const kinds = lines(world).map((line) => line.split("\n")[0]);
    expect(kinds).toEqual([
      "user: one",
      "assistant: Answer 0.",
      "user: two",
      "assistant: Answer 1.",
      "notice: [System] This turn was ordered in advance, and nobody waits for it now. What to do:",
      "assistant: Answer 2.",
      "user: three",
      "assistant: Answer 3.",
    ]);
  });

  it("[X-32] between two messages of its author it still has a turn of its own", async () => {
    const gate = new Door();
    const world = started({
      script: (_r, nth) => ({ text: "Hello.", ...(nth === 0 && { between: () => gate.opened }) }),
    });
    send(world, "one", { actor: BERT });
    send(world, "two");
    admitBackground(world.kernel, ORDER);
    send(world, "three");
    gate.open();
    await world.run();
    const turns = world.commits.flatMap(({ events }) => events.filter(({ type }) => type === "turn.started"));
    expect(turns.map(({ inputs }) => inputs)).toEqual([
      [`${BERT}:one`],
      [`${ANNA}:two`],
      ["system:background:k1"],
      [`${ANNA}:three`],
    ]);
  });

  it("[X-33] skipped, no model is asked, the reason is shown, and the line goes on", async () => {
    const gate = new Door();
    const world = started({
      script: () => ({ text: "Hello.", between: () => gate.opened }),
      settings: ({ meta }) => settings(backgroundFactsOf(meta) ? { skip: "Nobody is there." } : {}),
    });
    send(world, "one");
    admitBackground(world.kernel, ORDER);
    send(world, "two", { actor: BERT });
    gate.open();
    await world.run();
    expect(world.model.requests).toHaveLength(2);
    expect(world.kernel.input("system:background:k1")?.state).toMatchObject({
      status: "unanswered",
      reason: "skipped",
    });
    const shown = world.kernel
      .entriesAfter(0, 100)
      .flatMap(({ data }) => (data as { display?: object })?.display ?? []);
    expect(shown).toEqual([{ reason: "skipped", error: "Nobody is there." }]);
  });
});

describe("who may have it run", () => {
  const targets = [{ name: "web", label: "Web", surface: "web" }];
  const decide = (changes: Partial<Parameters<typeof decideBackground>[0]> = {}) =>
    decideBackground({
      facts: { target: "web", tier: "admin" },
      conversation: "web:1",
      targets,
      author: ok("owner"),
      ...changes,
    });

  it.each([
    ["admin", "owner", "admin"],
    ["owner", "admin", "admin"],
    ["member", "member", "member"],
  ] as const)("[X-33] [trap 60] stored %s, now %s: it runs as %s", (tier, now, expected) => {
    expect(decide({ facts: { target: "web", tier }, author: ok(now) })).toEqual(ok(expected));
  });

  it.each<[string, Partial<Parameters<typeof decideBackground>[0]>, string]>([
    ["[X-33] an author who is gone", { author: err("they are gone.") }, "they are gone."],
    ["[X-33] a guest", { author: ok("guest") }, "at the tier guest"],
    ["[X-33] an order at guest", { facts: { target: "web", tier: "guest" } }, "at the tier guest"],
    ["[X-34] [trap 65] an unknown target", { facts: { target: "wep", tier: "owner" } }, "Did you mean web?"],
    ["[X-34] [trap 62] no target at all", { targets: [] }, "nothing ran in its place"],
    ["[X-34] another surface", { conversation: "discord:1" }, "serves conversations of web"],
    ["[X-34] no channel", { conversation: "web" }, "serves conversations of web"],
  ])("%s is skipped", (_what, changes, reason) => {
    expect(decide(changes)).toEqual(err(expect.stringContaining(reason)));
  });

  it("[X-33] [trap 49] what is stored comes back, and what is damaged counts as guest", () => {
    expect(backgroundFactsOf(backgroundMeta(ORDER))).toEqual({ target: "web", tier: "member" });
    expect(backgroundFactsOf({ background: { target: "web", tier: "boss" } })).toMatchObject({ tier: "guest" });
    expect([backgroundFactsOf(null), backgroundFactsOf({ identity: "x:y" })]).toEqual([undefined, undefined]);
  });
});

describe("an order in a commit", { timeout: 60_000 }, () => {
  /** The end of the first turn orders a background turn; everything else ends as it would. */
  async function play(killAt: readonly number[]): Promise<{ world: KernelWorld; said: number }> {
    const options: WorldOptions = {
      killAt,
      register: (registry) => registry.hooks(NOTES, { turnEnded: (tx) => startBackground(tx, ORDER) }),
      deliver: async (row) => {
        admitBackground(world.kernel, JSON.parse(row.payload) as BackgroundOrder);
        return { status: "sent" };
      },
    };
    const world = started(options);
    const said = world.crashes.passed.length;
    for (let isSaid = false; !isSaid; ) {
      try {
        send(world, "one");
        isSaid = true;
      } catch {
        await world.run(() => world.crashes.isAlive);
      }
    }
    await world.run();
    return { world, said };
  }

  it("[X-31] starts its turn once, wherever the process dies, once or again in the recovery", async () => {
    const { world: whole, said } = await play([]);
    expect(lines(whole)).toHaveLength(4);
    const { length } = whole.crashes.passed;
    expect(length).toBeGreaterThan(10);
    for (let index = said; index < length; index++) {
      for (const deaths of [[index], [index, index + 2]]) {
        const { world: cut } = await play(deaths);
        expect(lines(cut), `killed at ${deaths.join()}`).toEqual(lines(whole));
        expect([cut.control.turn, cut.control.inbox, cut.control.outbox]).toEqual([null, [], []]);
      }
    }
  });
});
