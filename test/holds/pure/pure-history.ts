import * as fc from "fast-check";
import { AuditTable } from "../../../src/holds/audit/audit-table.ts";
import { type Holds, type HoldsHost, installHolds, type KnownPerson, withdrawCalls } from "../../../src/holds/index.ts";
import type { CardPress } from "../../../src/holds/press/press.ts";
import type { HoldsState } from "../../../src/holds/record/hold-state.ts";
import { deriveMessages } from "../../../src/kernel/context/derive.ts";
import { type Namespace, Registry, type Tool } from "../../../src/kernel/index.ts";
import { ok } from "../../../src/lib/result.ts";
import type { Tier } from "../../../src/people/facts.ts";
import type { HoldCard, HoldsView } from "../../../src/protocol/cards.ts";
import type { Message } from "../../../src/protocol/message.ts";
import { Dead, PureKernel, rest } from "./pure-kernel.ts";
import { CONVERSATION, type PureInput, type PureKind, PureOracle, SCHEMA } from "./pure-oracle.ts";

const HOUR = 3_600_000;
export const ANNA = "p_anna";
export const BERT = "p_bert";
export const OLGA = "p_olga";
const PEOPLE = [ANNA, BERT, OLGA] as const;
const TIERS_AT_FIRST: Readonly<Record<string, Tier>> = { [ANNA]: "admin", [BERT]: "member", [OLGA]: "owner" };

const KINDS: Readonly<Record<string, PureKind | undefined>> = {
  plain: {},
  admins: { minTier: "admin" },
  named: { approvers: [BERT] },
  own: { approval: "speaker" },
  keyed: { supersede: "k" },
  filed: { files: ["f1"] },
  free: undefined,
};
const HELD = Object.keys(KINDS).filter((as) => as !== "free");

/** What changes while others wait. */
type Change =
  | { readonly kind: "tier"; readonly of: string; readonly tier: Tier }
  | { readonly kind: "presence"; readonly of: string }
  | { readonly kind: "stop" | "crash" | "deploy" | "deny" | "strict" | "file" | "rewrite" };

export type Op =
  | Change
  | { readonly kind: "say"; readonly by: string; readonly as: readonly string[]; readonly rest: boolean }
  | {
      readonly kind: "press";
      readonly by: string;
      readonly card: number;
      readonly approve: boolean;
      readonly edit: string | undefined;
      readonly stale: boolean;
      readonly rest: boolean;
    }
  | { readonly kind: "many"; readonly by: string; readonly approve: boolean; readonly rest: boolean }
  | { readonly kind: "extend" | "handOver" | "again"; readonly by: string; readonly card: number }
  | { readonly kind: "pass"; readonly ms: number }
  /** So many of those who wait go on. */
  | { readonly kind: "go"; readonly nths: readonly number[] }
  /** The same, once so many have gone on who wait now or later. */
  | { readonly kind: "soon"; readonly in: number; readonly what: Change }
  | { readonly kind: "die"; readonly in: number; readonly when: "before" | "after" }
  | { readonly kind: "withdraw" | "settle" };

const by = fc.constantFrom(...PEOPLE);
const often = fc.constantFrom(true, true, true, false);
const seldom = fc.constantFrom(...Array.from({ length: 9 }, () => false), true);
const card = fc.constantFrom(0, 0, 0, 1, 2, 5);
const as = fc.constantFrom("plain", "keyed", ...HELD, "free");

const change: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("tier"),
      of: by,
      tier: fc.constantFrom("guest", "member", "admin", "owner"),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("presence"), of: by }) },
  {
    weight: 7,
    arbitrary: fc.record({
      kind: fc.constantFrom("stop", "crash", "deploy", "deny", "strict", "file", "rewrite"),
    }),
  },
);

export const op: fc.Arbitrary<Op> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant("say"),
      by: fc.constantFrom(ANNA, ANNA, BERT),
      as: fc.array(as, { minLength: 1, maxLength: 2 }),
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
      edit: fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, fc.constantFrom(...HELD)),
      stale: seldom,
      rest: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("many"), by, approve: often, rest: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom("extend", "handOver", "again"), by, card }) },
  { weight: 9, arbitrary: change },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant("soon"), in: fc.nat({ max: 7 }), what: change }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("pass"), ms: fc.constantFrom(1_000, 3 * 60_000, 25 * HOUR) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("go"),
      nths: fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 4 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("die"),
      in: fc.nat({ max: 4 }),
      when: fc.constantFrom("before", "after"),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom("withdraw", "settle") }) },
);

/** One conversation that a random history happens to. */
export class PureHistory {
  readonly kernel: PureKernel;
  readonly oracle: PureOracle;
  readonly visibility: "private" | "shared";
  readonly people = new Map<string, KnownPerson>();
  readonly outside = new Set<string>();
  /** What ran, by the word in its arguments. */
  readonly ran: string[] = [];
  /** What models are sent, at each point where they are asked. */
  readonly requests: (readonly Message[])[] = [];
  version = 1;
  sha256 = "a".repeat(64);
  isStrict = false;
  isDenied = false;
  /** Cards as people saw them, also those that are over. */
  readonly #seen = new Map<string, Pick<HoldCard, "hold" | "digest" | "deadline">>();
  readonly #pending = new Set<Promise<unknown>>();
  #holds: Holds | undefined;
  #namespace: Namespace | undefined;
  /** What the deny rule said at the last look at each call. */
  readonly #denied = new Map<number, boolean>();
  #soon: { in: number; readonly what: Op }[] = [];
  #ulids = 0;
  #n = 0;

  constructor(visibility: "private" | "shared") {
    this.visibility = visibility;
    this.oracle = new PureOracle(KINDS, visibility);
    for (const id of PEOPLE) this.people.set(id, { principalId: id, name: id, tier: TIERS_AT_FIRST[id] ?? "guest" });
    this.kernel = new PureKernel({
      register: (life) => this.#register(life),
      started: (start) => {
        this.ran.push((start.input as PureInput).as);
        this.oracle.started(start);
      },
      committed: (before, after) => this.oracle.committed(recordsOf(before), recordsOf(after)),
    });
    this.kernel.crash();
  }

  async run(ops: readonly Op[]): Promise<void> {
    for (const one of ops) await this.step(one);
    this.kernel.dies = undefined;
    this.#soon = [];
    await this.#settle();
    // Whatever nobody answered expires, in its turn and outside of it.
    for (let day = 0; day < 9; day++) await this.step({ kind: "pass", ms: 25 * HOUR });
    await this.#settle();
    await Promise.all(this.#pending);
    const { state } = this.kernel;
    if (Object.keys(state.tasks).length > 0 || state.turn) this.oracle.violations.push("it never comes to rest");
    this.oracle.audited(new AuditTable(this.kernel.storage).after(0, 10_000), CONVERSATION);
  }

  async step(one: Op): Promise<void> {
    await survive(() => this.#do(one));
    await rest();
    if ("rest" in one && one.rest) await this.#settle();
    this.#look();
  }

  #look(): void {
    const { state, failure } = this.kernel;
    if (failure) throw failure as Error;
    const cards = this.#cards();
    for (const { hold, digest, deadline } of cards) this.#seen.set(hold, { hold, digest, deadline });
    this.oracle.shown(cards, recordsOf(state), state.tasks);
    const messages = deriveMessages(state.entries);
    if (state.turn === null && messages.length > 0) this.requests.push(messages);
  }

  /** As clients see them. */
  #cards(): readonly HoldCard[] {
    const holds = this.#namespace;
    return (holds?.view?.(this.kernel.read.get(holds)) as unknown as HoldsView | undefined)?.cards ?? [];
  }

  async #do(one: Op): Promise<void> {
    const { kernel } = this;
    switch (one.kind) {
      case "say":
        return kernel.say({ actor: one.by, calls: one.as.map((word) => ({ as: word, n: ++this.#n })) });
      case "press":
        return this.#press(one);
      case "many":
        return this.#pressMany(one);
      case "extend":
      case "handOver":
      case "again":
        return this.#beside(one);
      case "pass":
        kernel.pass(one.ms);
        return await this.#settle();
      case "go":
        for (const nth of one.nths) await this.#go(nth);
        return;
      case "soon":
        this.#soon.push({ in: one.in, what: one.what });
        return;
      case "die":
        kernel.dies = { in: one.in, when: one.when };
        return;
      case "withdraw":
        kernel.commit(kernel.life, (tx) => withdrawCalls(tx, { tool: "send", key: "k" }));
        return this.#deliver();
      case "settle":
        return await this.#settle();
      default:
        return this.#change(one);
    }
  }

  #change(one: Change): void {
    const { kernel } = this;
    switch (one.kind) {
      case "tier": {
        const person = this.people.get(one.of);
        if (person) this.people.set(one.of, { ...person, tier: one.tier });
        return;
      }
      case "presence":
        return void (this.outside.delete(one.of) || this.outside.add(one.of));
      case "deploy":
        this.version++;
        return kernel.crash();
      case "crash":
        return kernel.crash();
      case "stop":
        return kernel.stop();
      case "deny":
        this.isDenied = !this.isDenied;
        return;
      case "strict":
        this.isStrict = !this.isStrict;
        return;
      case "file":
        this.sha256 = (this.sha256.startsWith("a") ? "b" : "a").repeat(64);
        return;
      case "rewrite": {
        const waits = Object.values(kernel.state.tasks).at(-1);
        if (waits) kernel.rewrite(waits.entry, (args) => args.replace(/"n":\d+/, () => `"n":${++this.#n}`));
        return;
      }
    }
  }

  /** Lets one through, and what was to come by then comes first. */
  async #go(nth: number): Promise<void> {
    const due = this.#soon.filter((one) => one.in-- <= 0);
    this.#soon = this.#soon.filter((one) => !due.includes(one));
    for (const { what } of due) await this.step(what);
    await this.kernel.go(nth);
  }

  /** Takes outbox rows to whom they are for; twice, when death falls between the effect and its receipt. */
  #deliver(): void {
    for (const row of this.kernel.state.outbox) {
      this.#holds?.deliver(row);
      this.kernel.state = {
        ...this.kernel.state,
        outbox: this.kernel.state.outbox.filter(({ key }) => key !== row.key),
      };
    }
  }

  async #settle(): Promise<void> {
    await rest();
    for (let steps = 0; this.kernel.waiting > 0; steps++) {
      if (steps > 5_000) throw new Error("it never rests");
      await this.#go(0);
    }
    await survive(() => this.#deliver());
  }

  /** Whoever presses comes by the entrance, and knows the cards that were ever shown. */
  #enters(id: string): KnownPerson | undefined {
    const person = this.people.get(id);
    return person && person.tier !== "guest" && !this.outside.has(id) ? person : undefined;
  }

  #card(index: number) {
    return [...this.#seen.values()].at(-1 - index);
  }

  #press({ by: id, card: index, approve, edit, stale }: Extract<Op, { kind: "press" }>): void {
    const shown = this.#card(index);
    const presser = this.#enters(id);
    if (!shown || !presser || !this.#holds) return;
    const digest = stale ? "0".repeat(64) : shown.digest;
    const input = edit === undefined || !approve ? undefined : { as: edit, n: ++this.#n };
    const press: CardPress = { hold: shown.hold, digest, decision: approve ? "approve" : "decline", presser };
    if (approve) this.oracle.attempt({ hold: shown.hold, digest, by: presser, input });
    this.#await(this.#holds.press({ ...press, ...(input && { input }) }));
  }

  #pressMany({ by: id, approve }: Extract<Op, { kind: "many" }>): void {
    const cards = [...this.#seen.values()].slice(-3);
    const presser = this.#enters(id);
    if (!presser || !this.#holds || cards.length === 0) return;
    if (approve) for (const one of cards) this.oracle.attempt({ ...one, by: presser, input: undefined });
    const decision = approve ? "approve" : "decline";
    const away = (error: unknown): never => {
      throw error;
    };
    this.#await(this.#holds.pressMany({ cards, decision, presser }, away));
  }

  #beside({ kind, by: id, card: index }: Extract<Op, { kind: "extend" | "handOver" | "again" }>): void {
    const shown = this.#card(index);
    const presser = this.#enters(id);
    if (!shown || !presser || !this.#holds) return;
    const { hold, deadline } = shown;
    if (kind === "again") return this.#await(this.#holds.askAgain({ hold, presser }));
    const change =
      kind === "extend" ? ({ kind, until: deadline + HOUR } as const) : ({ kind: "hand_over", to: OLGA } as const);
    this.#await(this.#holds.change({ hold, change, presser }));
  }

  /** Of a process that died nobody hears an answer any more. */
  #await(answer: Promise<unknown>): void {
    const { life } = this.kernel;
    const waiting: Promise<unknown> = answer
      .catch((error: unknown) => {
        if (!(error instanceof Dead)) this.kernel.failure ??= error;
      })
      .finally(() => this.#pending.delete(waiting));
    if (life === this.kernel.life) this.#pending.add(waiting);
    const forget = () => {
      if (life !== this.kernel.life) this.#pending.delete(waiting);
    };
    void rest().then(forget);
  }

  #register(life: number): { readonly registry: Registry; readonly tool: () => Tool } {
    this.#pending.clear();
    const registry = new Registry();
    const version = String(this.version);
    const tool: Tool = {
      ...{ name: "send", description: "Sends.", parameters: SCHEMA, replay: "unsafe", version, timeoutMs: 1 },
      validate: ok,
      execute: () => Promise.resolve({ text: "sent" }),
    };
    registry.registerTool(tool);
    this.#holds = installHolds(registry, this.#host(life, registry));
    this.#namespace = registry.namespaces().find(({ name }) => name === "holds");
    return { registry, tool: () => tool };
  }

  #host(life: number, registry: Registry): HoldsHost {
    const kernel = () => this.kernel;
    const pause = () => kernel().pause(life);
    return {
      conversation: CONVERSATION,
      visibility: this.visibility,
      rules: {
        deny: [{ id: "deny", deny: ({ input }) => this.#deny(input as PureInput) }],
        hold: [
          { id: "test.0", approvalTier: "member", describe: (call) => this.#describe(call.input as PureInput, pause) },
        ],
      },
      clock: { now: () => kernel().now, wait: () => new Promise(() => undefined) },
      ulid: () => `hold${String(++this.#ulids).padStart(22, "0")}`,
      providerOf: () => ({ kind: "plugin", name: "test" }),
      tierOf: () => "member",
      tool: (name) => registry.snapshot().tools.get(name),
      person: async (id) => {
        await pause();
        const person = this.#present(id);
        this.oracle.answer(id, person);
        return person;
      },
      isHere: (person) => !this.outside.has(person.principalId),
      isMember: (id) => !this.outside.has(id),
      speaker: ({ actor }) => Promise.resolve(this.#present(actor)),
      file: async (id) => {
        await pause();
        this.oracle.file(this.sha256);
        return { id, name: id, bytes: 1, sha256: this.sha256 };
      },
      read: () => kernel().read,
      commit: (builder) => kernel().commit(life, builder),
      entry: (id) => kernel().entry(id),
      storage: kernel().storage,
      changed: () => undefined,
      turn: () => kernel().state.turn?.id ?? 0,
      report: () => undefined,
    };
  }

  #deny({ n }: PureInput): string | undefined {
    this.#denied.set(n, this.isDenied);
    return this.isDenied ? "closed" : undefined;
  }

  async #describe({ as: word, n }: PureInput, pause: () => Promise<void>) {
    await pause();
    const { isStrict, version } = this;
    this.oracle.look(n, { version: String(version), isStrict, isDenied: this.#denied.get(n) ?? false });
    const kind = KINDS[word];
    if (!kind) return undefined;
    return { text: `send as ${word}`, ...kind, ...(isStrict && { minTier: "admin" as const }) };
  }

  #present(id: string): KnownPerson | undefined {
    const person = this.people.get(id);
    return this.outside.has(id) || person?.tier === "guest" ? undefined : person;
  }
}

/** Does something that the process may die of. */
async function survive(act: () => void | Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof Dead)) throw error;
  }
}

function recordsOf({ namespaces }: { readonly namespaces: Readonly<Record<string, unknown>> }): HoldsState["records"] {
  return (namespaces["holds"] as HoldsState | undefined)?.records ?? {};
}
