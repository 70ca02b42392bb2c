import { strict as assert } from "node:assert";
import {
  type Kernel,
  KernelError,
  type ModelRequest,
  type Submission,
  type TurnSettings,
} from "../../src/kernel/index.ts";
import { KernelWorld, settle } from "../kit/kernel-world.ts";
import { NodeStorage } from "../kit/node-storage.ts";
import { EffectServer } from "../kit/scenarios.ts";
import type { ScriptedAnswer } from "../kit/scripted-model.ts";
import type { CommitFrame } from "../kit/world-client.ts";
import { ACTORS, type AnyStep } from "./actors/index.ts";
import { forkInvariants } from "./invariants/forks.ts";
import { coreInvariants } from "./invariants/index.ts";
import { type OldConversation, oldConversation } from "./origin.ts";
import { Outside } from "./outside.ts";
import type { DeliveryPlan, HookPlan, PagePlan, Script, StorageFault, ToolPlan } from "./script.ts";
import type { Code, Invariants, Part, Stage } from "./stage.ts";
import { type Stored, StoredReader } from "./stored.ts";
import { answerOf } from "./vendor.ts";
import { Violation, violationOf } from "./violation.ts";

/** Rounds of people's last words before a conversation counts as one that does not come to rest. */
const MAX_ROUNDS = 100;

/** What a script came to. */
export interface Outcome {
  readonly violation: Violation | undefined;
  readonly commits: readonly CommitFrame[];
  readonly lives: number;
}

/** Plays a script to its end, checking every invariant all the way; stops at the first that does not hold. */
export async function simulate(script: Script<AnyStep>): Promise<Outcome> {
  const old = script.fork === null ? undefined : await oldConversation();
  const simulation = new Simulation(script, old);
  const violation = await simulation.play();
  const { commits, crashes } = simulation.world;
  return { violation, commits, lives: crashes.life };
}

class StorageFailure extends Error {
  override readonly name = "StorageFailure";
}

class Simulation implements Stage {
  readonly world: KernelWorld;
  readonly effects = new EffectServer();
  readonly outside = new Outside(this);
  readonly said = new Map<string, Submission>();
  isCalm = false;
  missing: ReadonlySet<Code> = new Set();
  readonly #script: Script<AnyStep>;
  readonly #reader: StoredReader;
  readonly #parts: ReadonlyMap<string, Part<never>>;
  readonly #checks: readonly Invariants[];
  readonly #faults = new Map<number, StorageFault["when"]>();
  #violation: Violation | undefined;
  #transactions = 0;
  #executions = 0;
  #hooked = 0;
  #asked = 0;
  #paged = 0;
  #deliveries = 0;

  constructor(script: Script<AnyStep>, old: OldConversation | undefined) {
    this.#script = script;
    const storage = new NodeStorage();
    this.#reader = new StoredReader(storage.database);
    const fork = old?.ref(script.fork ?? 0);
    this.world = new KernelWorld(storage, {
      ...(old && fork && { fork, origin: old.port(() => this.#nextPage(), this) }),
      toolsAtStart: () => this.#registeredParts().flatMap((part) => part.tools?.() ?? []),
      register: (registry, kernel) => {
        for (const part of this.#registeredParts()) part.register?.(registry, kernel);
      },
      settings: () => this.#settings(),
      script: (request, nth) => this.#answer(request, nth),
      deliver: (row) => this.outside.deliver(row, this.#nextDelivery()),
      onTransaction: (when) => this.#onTransaction(when),
      onFrame: (frame) => this.#onFrame(frame),
    });
    this.#parts = new Map(ACTORS.map((actor) => [actor.name, actor.enter(this) as Part<never>]));
    const own = old && fork ? [forkInvariants(old, fork.at)] : [];
    this.#checks = [...coreInvariants(), ...own, ...this.#registeredParts().flatMap((part) => part.invariants ?? [])];
  }

  get stored(): Stored {
    return this.#reader.last;
  }

  async play(): Promise<Violation | undefined> {
    try {
      await this.run(() => true);
      for (const step of this.#script.steps) await this.#perform(step);
      await this.#bringToRest();
      return undefined;
    } catch (error) {
      return this.#violation ?? violationOf(error);
    } finally {
      this.world.crash();
    }
  }

  deploy(missing: readonly Code[]): void {
    this.world.crash();
    this.missing = new Set(missing);
    // Other code shows other things.
    this.world.client.forget();
  }

  findChangedEntry(): number | undefined {
    return this.#reader.findChangedEntry();
  }

  nextTool(): ToolPlan {
    return next(this.#script.tools, this.#executions++, this.isCalm) ?? { kind: "ok" };
  }

  nextHook(): HookPlan {
    return next(this.#script.hooks, this.#hooked++, this.isCalm) ?? { kind: "pass" };
  }

  async act<T>(action: (kernel: Kernel) => T): Promise<T> {
    for (;;) {
      this.#requireWhole();
      if (!this.#isUp()) await this.run(() => true);
      try {
        return action(this.world.kernel);
      } catch (error) {
        if (this.#isUp() && !isStorageFailure(error)) throw error;
      }
    }
  }

  async run(condition: () => boolean, untilMs?: number): Promise<void> {
    for (;;) {
      try {
        await this.world.run(() => this.#requireWhole() && this.#isUp() && condition(), untilMs);
        return;
      } catch (error) {
        if (!isStorageFailure(error)) throw error;
        this.world.crash();
      }
    }
  }

  async pass(ms: number): Promise<void> {
    const until = this.world.clock.now() + ms;
    await this.run(() => false, until);
    this.world.clock.advanceTo(until);
    await settle();
  }

  violated(invariant: string, what: string): void {
    this.#violation ??= new Violation(invariant, what);
  }

  /** A process that lost its storage is replaced, as the platform's object replaces its kernel. */
  #isUp(): boolean {
    if (!this.world.crashes.isAlive) return false;
    if (!this.world.kernel.isLost) return true;
    this.world.crash();
    return false;
  }

  #requireWhole(): true {
    if (this.#violation) throw this.#violation;
    this.world.verify();
    return true;
  }

  #registeredParts(): readonly Part<never>[] {
    return [...this.#parts.values()];
  }

  async #perform(step: AnyStep): Promise<void> {
    if (step.dies !== undefined) this.world.crashes.killIn(step.dies);
    if (step.fails) this.#faults.set(this.#transactions + step.fails.in, step.fails.when);
    const part: Part<AnyStep> | undefined = this.#parts.get(step.actor);
    assert.ok(part, `no actor is called ${step.actor}`);
    await part.perform?.(step);
    this.#checkState("step");
  }

  async #bringToRest(): Promise<void> {
    this.isCalm = true;
    this.world.crashes.spare();
    this.#faults.clear();
    this.deploy([]);
    for (let round = 0; round < MAX_ROUNDS; round++) {
      await this.run(() => true);
      for (const part of this.#registeredParts()) await part.calm?.();
      await this.run(() => false);
      const { turn, inbox, tasks, outbox } = this.stored.control;
      if (turn !== null || inbox.length + Object.keys(tasks).length + outbox.length > 0) continue;
      this.#checkState("step");
      this.#checkState("rest");
      return;
    }
    throw new Violation("comesToRest", JSON.stringify(this.stored.control).slice(0, 2_000));
  }

  #checkState(when: "step" | "rest"): void {
    for (const checks of this.#checks) {
      for (const check of checks[when] ?? []) this.#report(check.name, check(this));
    }
    this.#requireWhole();
  }

  #onTransaction(when: "before" | "after"): void {
    const nth = when === "before" ? this.#transactions++ : this.#transactions - 1;
    if (when === "after") this.#observe();
    if (this.#faults.get(nth) !== when) return;
    this.#faults.delete(nth);
    throw new StorageFailure(`the disk failed ${when} transaction ${nth}`);
  }

  #observe(): void {
    const change = this.#reader.read();
    if (!change) return;
    for (const checks of this.#checks) {
      for (const check of checks.commit ?? []) this.#report(check.name, check(change, this));
    }
  }

  #onFrame(frame: CommitFrame): void {
    for (const checks of this.#checks) {
      for (const check of checks.frame ?? []) this.#report(check.name, check(frame, this));
    }
  }

  #report(invariant: string, what: string | undefined): void {
    if (what !== undefined) this.violated(invariant, what);
  }

  #answer(request: ModelRequest, nth: number): ScriptedAnswer {
    for (const checks of this.#checks) {
      for (const check of checks.request ?? []) this.#report(check.name, check(request, this));
    }
    for (const part of this.#registeredParts()) {
      const answer = part.answer?.(request, nth);
      if (answer) return answer;
    }
    return answerOf(request, next(this.#script.answers, nth, this.isCalm) ?? { kind: "text" }, nth, this.world.clock);
  }

  #nextPage(): PagePlan {
    return next(this.#script.pages, this.#paged++, this.isCalm) ?? { kind: "ok" };
  }

  async #settings(): Promise<TurnSettings> {
    const { kind } = next(this.#script.hosts, this.#asked++, this.isCalm) ?? { kind: "ok" };
    const { window } = this.#script;
    if (kind === "throw") throw new Error("the host does not know now");
    if (kind === "hang") await new Promise<never>(() => undefined);
    const model = kind === "none" ? null : "test/model";
    return {
      model,
      thinking: "off",
      offers: () => true,
      ...(kind === "refuse" && { refusal: "You may not." }),
      ...(window !== null && { contextTokens: window }),
    };
  }

  #nextDelivery(): DeliveryPlan {
    return next(this.#script.deliveries, this.#deliveries++, this.isCalm) ?? { kind: "sent" };
  }
}

/** The plan whose turn it is, round and round; undefined: nothing special. */
function next<T>(plans: readonly T[], nth: number, isCalm: boolean): T | undefined {
  return isCalm || plans.length === 0 ? undefined : plans[nth % plans.length];
}

function isStorageFailure(error: unknown): boolean {
  if (error instanceof StorageFailure) return true;
  return error instanceof KernelError && error.code === "storage_failed";
}
