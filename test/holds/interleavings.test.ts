import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { POLICY } from "../../src/holds/index.ts";
import type { Tier } from "../../src/people/facts.ts";
import { checkMessages } from "../kit/check-messages.ts";
import { ANNA, HOUR, HoldWorld } from "../kit/hold-world.ts";
import { settle } from "../kit/kernel-world.ts";
import { type HeldAs, PressOracle, type SendInput } from "../kit/press-oracle.ts";
import type { Script } from "../kit/scripted-model.ts";

/** Runs of each property; more for a long search: `ALTHING_RUNS=200 npx vitest run test/holds/interleavings.test.ts`. */
const RUNS = Number(process.env["ALTHING_RUNS"] ?? 6);
const MS_PER_RUN = 2_000;

const BERT = "p_bert";
const OLGA = "p_olga";
const PEOPLE = [ANNA, BERT, OLGA] as const;
const TIERS_AT_FIRST: Readonly<Record<string, Tier>> = { [ANNA]: "member", [BERT]: "member", [OLGA]: "owner" };

/** How the tool's calls are held, by a word in their arguments. */
const KINDS: Readonly<Record<string, HeldAs | undefined>> = {
  plain: {},
  admins: { minTier: "admin" },
  named: { approvers: [BERT] },
  own: { approval: "speaker" },
  free: undefined,
};
const AS = Object.keys(KINDS);

type Op =
  | { readonly kind: "say"; readonly by: string; readonly as: string; readonly rest: boolean }
  | {
      readonly kind: "press";
      readonly by: string;
      readonly card: number;
      readonly approve: boolean;
      readonly stale: boolean;
      readonly edit: string | undefined;
      readonly always: boolean;
      readonly rest: boolean;
      /** The presser is made a guest while the directory is asked the next time. */
      readonly falls: boolean;
    }
  | { readonly kind: "many"; readonly by: string; readonly approve: boolean }
  | { readonly kind: "tier"; readonly of: string; readonly tier: Tier; readonly midway: boolean }
  | { readonly kind: "presence"; readonly of: string; readonly midway: boolean }
  | { readonly kind: "pass"; readonly ms: number }
  /** The process dies so many commits, questions and effects from now. */
  | { readonly kind: "die"; readonly ahead: number }
  | { readonly kind: "extend" | "handOver" | "askAgain"; readonly by: string; readonly card: number }
  | { readonly kind: "stop" | "restart" | "deploy" | "deny" | "away" | "constrain" | "revoke" | "settle" };

const by = fc.constantFrom(...PEOPLE);
const often = fc.constantFrom(true, true, true, false);
const seldom = fc.constantFrom(...Array.from({ length: 9 }, () => false), true);
const card = fc.constantFrom(0, 0, 1);
const op: fc.Arbitrary<Op> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant("say"),
      by: fc.constantFrom(ANNA, ANNA, BERT),
      as: fc.constantFrom("plain", "plain", ...AS),
      rest: often,
    }),
  },
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant("press"),
      by,
      card,
      approve: often,
      stale: seldom,
      edit: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, fc.constantFrom("plain", ...AS)),
      always: fc.boolean(),
      rest: often,
      falls: seldom,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("many"), by, approve: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("tier"),
      of: by,
      tier: fc.constantFrom("guest", "member", "admin", "owner"),
      midway: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("presence"), of: by, midway: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("pass"), ms: fc.constantFrom(1_000, 3 * 60_000, HOUR, 25 * HOUR) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom("extend", "handOver", "askAgain"), by, card }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("settle") }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("die"), ahead: fc.nat({ max: 8 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constantFrom("stop", "restart", "deploy", "deny", "away", "constrain", "revoke") }),
  },
);

/** One conversation that a random history happens to, judged from outside. */
class History {
  readonly holds: HoldWorld;
  readonly oracle: PressOracle;
  /** What somebody waits for: answers of presses under way. */
  readonly #pending = new Set<Promise<unknown>>();
  #isDenied = false;
  #n = 0;

  constructor(visibility: HoldWorld["visibility"]) {
    this.holds = new HoldWorld({ script: this.#script });
    this.holds.visibility = visibility;
    for (const id of PEOPLE)
      this.holds.people.set(id, { principalId: id, name: id, tier: TIERS_AT_FIRST[id] ?? "guest" });
    this.oracle = new PressOracle(this.holds, KINDS);
    this.holds.describe = ({ input }) => {
      const { as } = input as SendInput;
      this.oracle.look(input as SendInput, this.#isDenied);
      const how = KINDS[as];
      return how && { text: `send as ${as}`, ...how };
    };
    this.holds.deny = () => (this.#isDenied ? "closed" : undefined);
    this.holds.world.start().resume();
  }

  async run(ops: readonly Op[]): Promise<void> {
    for (const one of ops) {
      await this.#alive(() => this.#do(one));
      if ("rest" in one && one.rest) await settle();
      else await Promise.resolve();
      this.oracle.noteCards();
    }
    this.holds.world.crashes.spare();
    this.holds.isDirectoryAway = false;
    this.holds.beforeAnswer = () => Promise.resolve();
    await Promise.all(this.#pending);
    await this.holds.world.run();
  }

  /** Does something to a process that lives; one that dies of it is another step. */
  async #alive(step: () => Promise<void>): Promise<void> {
    const { world } = this.holds;
    if (!world.crashes.isAlive) await world.run(() => true);
    await step().catch((error: unknown) => {
      if (world.crashes.isAlive) throw error;
    });
  }

  async #do(one: Op): Promise<void> {
    const { holds } = this;
    switch (one.kind) {
      case "say":
        return holds.say(`go ${one.as} ${++this.#n}`, "queue", one.by);
      case "press":
        return this.#press(one);
      case "many":
        return this.#pressMany(one);
      case "tier":
        return this.#change(one.midway, () => {
          const person = holds.people.get(one.of);
          if (person) holds.people.set(one.of, { ...person, tier: one.tier });
        });
      case "presence":
        return this.#change(one.midway, () => void (holds.outside.delete(one.of) || holds.outside.add(one.of)));
      case "pass":
        return holds.world.pass(one.ms);
      case "extend":
      case "handOver":
      case "askAgain":
        return this.#beside(one);
      case "die":
        holds.world.crashes.killIn(one.ahead);
        return;
      case "stop":
        return void holds.kernel.stop();
      case "restart":
        return holds.restart();
      case "deploy":
        holds.version = String(Number(holds.version) + 1);
        return holds.restart();
      case "deny":
        this.#isDenied = !this.#isDenied;
        return;
      case "away":
        holds.isDirectoryAway = !holds.isDirectoryAway;
        return;
      case "constrain":
        return holds.kernel.commit((tx) => {
          const wish = {
            id: "c",
            tools: ["send"],
            effect: "ask",
            text: "ask",
            by: { principalId: OLGA, name: OLGA },
            at: 0,
          } as const;
          tx.set(POLICY, { constraints: tx.get(POLICY).constraints.length > 0 ? [] : [wish] });
        });
      case "revoke":
        return holds.kernel.commit((tx) => tx.set(POLICY, { allow: [] }));
      case "settle":
        return settle();
    }
  }

  /** Whoever presses comes by the entrance: somebody who may not be here presses nothing. */
  #enters(id: string): boolean {
    const tier = this.holds.people.get(id)?.tier;
    return tier !== undefined && tier !== "guest" && !this.holds.outside.has(id);
  }

  #press({ by: id, card: index, approve, stale, edit, always, falls }: Extract<Op, { kind: "press" }>): void {
    const shown = this.holds.cards.at(index);
    const person = this.holds.people.get(id);
    if (!shown || !person || !this.#enters(id)) return;
    if (falls) this.#change(true, () => void this.holds.people.set(id, { ...person, tier: "guest" }));
    const input = approve && edit !== undefined ? { as: edit, n: 1_000 + ++this.#n } : undefined;
    const digest = stale ? "0".repeat(64) : shown.digest;
    if (approve) this.oracle.attempt({ hold: shown.hold, digest, by: person, input, always: always && !input });
    const wish = approve && always && !input ? { always: { any: ["n"], hours: 1 } } : {};
    this.#await(
      this.holds.press(approve ? "approve" : "decline", {
        card: shown,
        digest,
        by: id,
        ...(input && { input }),
        ...wish,
      }),
    );
  }

  #pressMany({ by: id, approve }: Extract<Op, { kind: "many" }>): void {
    const cards = this.holds.cards.map(({ hold, digest }) => ({ hold, digest }));
    const person = this.holds.people.get(id);
    if (cards.length === 0 || !person || !this.#enters(id)) return;
    if (approve) for (const one of cards) this.oracle.attempt({ ...one, by: person, input: undefined, always: false });
    this.#await(this.holds.pressMany(approve ? "approve" : "decline", cards, id));
  }

  #beside({ kind, by: id, card: index }: Extract<Op, { kind: "extend" | "handOver" | "askAgain" }>): void {
    if (!this.#enters(id)) return;
    const shown = this.holds.cards.at(index);
    const ended = this.holds.again.at(index);
    if (kind === "askAgain" && ended) this.#await(this.holds.askAgain(ended.hold, id));
    if (kind === "extend" && shown)
      this.#await(this.holds.change({ kind: "extend", until: shown.deadline + HOUR }, { hold: shown.hold, by: id }));
    if (kind === "handOver" && shown)
      this.#await(this.holds.change({ kind: "hand_over", to: OLGA }, { hold: shown.hold, by: id }));
  }

  /** At once, or while the directory is asked the next time. */
  #change(midway: boolean, change: () => void): void {
    if (!midway) return change();
    this.holds.beforeAnswer = () => {
      this.holds.beforeAnswer = () => Promise.resolve();
      change();
      return Promise.resolve();
    };
  }

  /** The presser's process may die before the answer, or the directory may be away: neither is a fault. */
  #await(answer: Promise<unknown>): void {
    const waiting: Promise<unknown> = answer
      .catch((error: unknown) => {
        if (!/directory is away|process is dead|died at|Storage failed earlier/.test(String(error))) throw error;
      })
      .finally(() => this.#pending.delete(waiting));
    this.#pending.add(waiting);
  }

  readonly #script: Script = ({ messages }) => {
    const last = messages.at(-1);
    const said = last?.role === "user" && last.content[0]?.type === "text" ? last.content[0].text : "";
    const [, as, n] = /^go (\w+) (\d+)$/.exec(said) ?? [];
    return as ? { calls: [{ name: "send", args: JSON.stringify({ as, n: Number(n) }) }] } : { text: "All done." };
  };
}

async function judge(visibility: HoldWorld["visibility"], ops: readonly Op[]): Promise<History> {
  const history = new History(visibility);
  await history.run(ops);
  const { holds, oracle } = history;
  expect(oracle.violations).toEqual([]);
  expect(Math.max(0, ...holds.effects.values())).toBeLessThanOrEqual(1);
  for (const { messages } of holds.world.model.requests) expect(checkMessages(messages)).toEqual([]);
  return history;
}

describe("whatever people, directory and deploys do meanwhile", () => {
  const SEEDS = Array.from({ length: 10 }, (_, seed) => [seed % 3 === 0 ? "private" : "shared", seed] as const);

  it.each(SEEDS)(
    "[H-153] [H-154] in a %s conversation nothing runs that no eligible person approved as it ran (seed %i)",
    async (visibility, seed) => {
      const property = fc.asyncProperty(fc.array(op, { minLength: 5, maxLength: 40 }), async (ops) => {
        await judge(visibility, ops);
      });
      await fc.assert(property, { numRuns: RUNS, seed });
    },
    Math.max(5_000, RUNS * MS_PER_RUN),
  );

  const say = (as: string): Op => ({ kind: "say", by: ANNA, as, rest: true });
  const press = (how: Partial<Extract<Op, { kind: "press" }>> = {}): Op => ({
    ...{
      kind: "press",
      by: ANNA,
      card: 0,
      approve: true,
      stale: false,
      edit: undefined,
      always: false,
      rest: true,
      falls: false,
    },
    ...how,
  });
  it("[H-153] a call does not run whose approver falls while it is checked", async () => {
    expect((await judge("shared", [say("plain"), press({ by: OLGA, falls: true })])).oracle.runs).toEqual([]);
  });

  const HISTORIES = [
    ["pressed", ["pressed"], [say("plain"), press()]],
    ["edited", ["edited"], [say("plain"), press({ edit: "free" })]],
    ["edited to what an owner approves", ["edited"], [say("plain"), press({ edit: "admins" }), press({ by: OLGA })]],
    ["by rule", ["pressed", "by rule"], [say("plain"), press({ always: true }), say("plain")]],
    ["unheld", ["unheld"], [say("free")]],
  ] as const satisfies readonly (readonly [string, readonly string[], readonly Op[]])[];

  it.each(HISTORIES)("[H-153] a call does run: %s", async (_name, runs, ops) => {
    expect((await judge("shared", ops)).oracle.runs).toEqual(runs);
  });

  it.each(HISTORIES.slice(0, 4))(
    "[H-153] and is found out where nobody was seen to approve it: %s",
    async (_name, _runs, ops) => {
      const history = new History("shared");
      history.oracle.attempt = () => undefined;
      await history.run(ops);
      expect(history.oracle.violations.join()).toMatch(/no eligible person approved it|nobody eligible saved the rule/);
    },
  );
});
