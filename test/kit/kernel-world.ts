import { strict as assert } from "node:assert";
import {
  type ChildrenPort,
  type DeliveryOutcome,
  Kernel,
  type KernelHost,
  type KernelPorts,
  type MeterPort,
  type ModelPort,
  type OriginPort,
  type OutboxRow,
  Registry,
  type Tool,
} from "../../src/kernel/index.ts";
import type { Control } from "../../src/kernel/state/control.ts";
import { nextDue } from "../../src/kernel/state/due.ts";
import type { Json } from "../../src/lib/json.ts";
import type { ServerFrame } from "../../src/protocol/frames.ts";
import { CrashPoints } from "./crash.ts";
import { FakeAlarm } from "./fake-alarm.ts";
import { ScriptedModel } from "./scripted-model.ts";
import { TestKinds } from "./test-kinds.ts";
import { VirtualClock } from "./virtual-clock.ts";
import { type CommitFrame, WorldClient } from "./world-client.ts";
import type { WorldOptions } from "./world-options.ts";
import type { WorldStorage } from "./world-storage.ts";

/** From this repeat on an alarm backs off, by this much at most. */
const BACKS_OFF_FROM = 3;
const MAX_BACK_OFF_MS = 5 * 60_000;

type DeltaFrame = Extract<ServerFrame, { type: "delta" }>;

/**
 * One conversation over a storage, with a virtual clock, an alarm, a scripted model and a client that folds. Every commit
 * is checked: W-1 holds, no alarm is set in vain, revisions are contiguous, the folded replica equals a fresh snapshot.
 * The process can die at any commit or effect and be started again. What a check finds is thrown by `run` and `verify`.
 */
export class KernelWorld {
  readonly storage: WorldStorage;
  readonly clock = new VirtualClock();
  readonly alarm: FakeAlarm;
  readonly crashes: CrashPoints;
  readonly model: ScriptedModel;
  readonly commits: CommitFrame[] = [];
  readonly deltas: DeltaFrame[] = [];
  readonly reports: { event: string; facts: Record<string, unknown> }[] = [];
  readonly delivered: OutboxRow[] = [];
  /** What each commit wrote: rows, and changes of the alarm. */
  readonly costs: { rows: number; alarms: number }[] = [];
  readonly client = new WorldClient();
  /** Of the running process. */
  registry = new Registry();
  kinds = new TestKinds(this.registry);
  /** What creation stores; later ones must change nothing. */
  facts: Json;
  /** Set while work is meant to wake late, after crashes in a row. */
  mayWakeLate = false;
  /** How often the platform says that it has repeated the alarm that fires next. */
  nextRetryCount = 0;
  readonly #options: WorldOptions;
  readonly #violations: unknown[] = [];
  #kernel: Kernel | undefined;
  #alarmRun: Promise<void> | undefined;
  /** The alarm under way was repeated so often that it only arms a later one. */
  #isBackingOff = false;
  #ulids = 0;
  #isCommitting = false;

  constructor(storage: WorldStorage, options: WorldOptions = {}, alarm = new FakeAlarm()) {
    this.storage = storage;
    this.alarm = alarm;
    this.#options = options;
    this.facts = options.facts ?? { name: "test" };
    this.crashes = new CrashPoints(options.killAt);
    this.model = new ScriptedModel(options.script ?? (() => ({ text: "Hello." })));
  }

  get kernel(): Kernel {
    if (!this.#kernel) throw new Error("the process is not running");
    return this.#kernel;
  }

  /** The control row as stored. */
  get control(): Control {
    const [row] = this.storage.sql.exec<{ body: string }>("SELECT body FROM control").toArray();
    if (!row) throw new Error("there is no conversation");
    return JSON.parse(row.body) as Control;
  }

  /** Starts a process over the stored state: opens, and does not resume. */
  start(): Kernel {
    const life = this.crashes.begin();
    const registry = new Registry();
    this.registry = registry;
    const kinds = new TestKinds(registry);
    this.kinds = kinds;
    for (const kind of this.#options.kinds ?? []) kinds.add(kind);
    const holder: { kernel?: Kernel } = {};
    const tools = [...(this.#options.tools ?? []), ...(this.#options.toolsAtStart?.() ?? [])];
    for (const tool of tools) registry.registerTool(this.#guardTool(life, tool));
    this.#options.register?.(registry, () => holder.kernel ?? this.kernel);
    const ports = this.#ports(life);
    const { fork } = this.#options;
    const kernel = fork
      ? Kernel.fork(ports, registry, this.#host(), { facts: this.facts, ref: fork }, kinds)
      : Kernel.create(ports, registry, this.#host(), this.facts, kinds);
    holder.kernel = kernel;
    this.#kernel = kernel;
    this.#watch(() => this.client.connect(kernel.snapshot()));
    return kernel;
  }

  /** The process dies at once, wherever it is. */
  crash(): void {
    this.crashes.kill();
    this.#bury();
  }

  /** @throws the first thing that a check found. */
  verify(): void {
    if (this.#violations.length > 0) throw this.#violations[0];
  }

  /**
   * Lets everything run: handlers, timers, alarms, deaths and restarts, until nothing is left to do or the condition holds.
   * Virtual time jumps to whatever is due next, not beyond `untilMs`.
   */
  async run(condition: () => boolean = () => false, untilMs = Number.POSITIVE_INFINITY): Promise<void> {
    for (let turns = 0; turns < 10_000; turns++) {
      await settle();
      this.verify();
      if (this.#tryRestart()) continue;
      if (condition()) return;
      if (!this.crashes.isAlive) continue;
      const next = this.#nextTime();
      if (next === undefined || next > untilMs) return;
      this.clock.advanceTo(next);
      this.#fireAlarm();
    }
    throw new Error("the world does not come to rest");
  }

  /** Lets `ms` pass and whatever happens meanwhile. */
  async pass(ms: number): Promise<void> {
    const until = this.clock.now() + ms;
    await this.run(() => false, until);
    this.clock.advanceTo(until);
    await settle();
    this.verify();
  }

  #tryRestart(): boolean {
    if (this.crashes.isAlive && this.#kernel) return false;
    for (;;) {
      try {
        this.#bury();
        this.start();
        return true;
      } catch (error) {
        if (this.crashes.isAlive) throw error;
      }
    }
  }

  #nextTime(): number | undefined {
    const alarm = this.#alarmRun ? null : this.alarm.armedFor;
    const timer = this.clock.nextTimer();
    if (alarm === null) return timer;
    return timer === undefined ? alarm : Math.min(alarm, timer);
  }

  #fireAlarm(): void {
    const at = this.alarm.armedFor;
    if (this.#alarmRun || at === null || at > this.clock.now()) return;
    const { life } = this.crashes;
    const retryCount = this.nextRetryCount;
    this.nextRetryCount = 0;
    this.#isBackingOff = retryCount >= BACKS_OFF_FROM;
    this.alarm.begin();
    this.#alarmRun = this.kernel.onAlarm(retryCount).then(() => {
      if (life !== this.crashes.life || !this.crashes.isAlive) return;
      this.alarm.end();
      this.#alarmRun = undefined;
      this.#isBackingOff = false;
    });
  }

  #bury(): void {
    this.client.disconnect();
    this.alarm.crash();
    this.clock.clear();
    this.#alarmRun = undefined;
    this.#isBackingOff = false;
    this.#kernel = undefined;
  }

  #watch(check: () => void): void {
    try {
      check();
    } catch (violation) {
      this.#violations.push(violation);
    }
  }

  #host(): KernelHost {
    const settings = () => ({ model: "test/model", thinking: "off", offers: () => true }) as const;
    return { name: "test-conversation", settings: this.#options.settings ?? settings };
  }

  #ports(life: number): KernelPorts {
    const model: ModelPort = { stream: (request, signal) => this.#stream(life, request, signal) };
    return {
      storage: {
        sql: this.storage.sql,
        transactionSync: (closure) => this.#transaction(life, closure),
      },
      alarm: { set: (at) => this.#setAlarm(at), delete: () => this.alarm.delete() },
      clock: this.clock,
      random: { ulid: () => `ulid${++this.#ulids}`, unit: () => 0.5 },
      model,
      deliver: { deliver: (row) => this.#deliver(life, row) },
      ...(this.#options.children && { children: this.#guardChildren(life, this.#options.children) }),
      ...(this.#options.origin && { origin: this.#guardOrigin(life, this.#options.origin) }),
      ...(this.#options.meter && { meter: this.#guardMeter(life, this.#options.meter) }),
      publish: {
        commit: (frame) => this.#onCommit(frame),
        delta: (frame) => {
          this.crashes.requireAlive(life);
          this.deltas.push(frame);
        },
      },
      report: { report: (event, facts) => void this.reports.push({ event, facts }) },
    };
  }

  #setAlarm(at: number): void {
    const { armedFor } = this.alarm;
    const isNeedless = armedFor !== null && armedFor > this.clock.now() && armedFor <= at;
    this.#watch(() => assert.ok(!isNeedless, `an alarm for ${at} was set while one for ${armedFor} was armed`));
    this.alarm.set(at);
  }

  #transaction<T>(life: number, closure: () => T): T {
    // A part of a commit that may fail alone: what is checked is the commit.
    if (this.#isCommitting) return this.storage.transactionSync(closure);
    this.#isCommitting = true;
    try {
      return this.#commit(life, closure);
    } finally {
      this.#isCommitting = false;
    }
  }

  #commit<T>(life: number, closure: () => T): T {
    const before = this.crashes.passed.length;
    this.crashes.point(life, "before commit");
    this.#options.onTransaction?.("before");
    const { written } = this.storage.counts;
    const alarms = this.alarm.sets + this.alarm.deletes;
    const value = this.alarm.within(this.storage, closure);
    const rows = this.storage.counts.written - written;
    if (rows === 0) {
      this.crashes.passed.length = before;
      return value;
    }
    this.costs.push({ rows, alarms: this.alarm.sets + this.alarm.deletes - alarms });
    this.#watch(() => this.#checkWakeUp());
    this.#options.onTransaction?.("after");
    this.crashes.point(life, "after commit");
    return value;
  }

  #checkWakeUp(): void {
    const { control, clock, alarm } = this;
    const due = nextDue(control, (kind) => this.kinds.knows(kind));
    if (due === null) {
      const { armedFor } = alarm;
      assert.ok(armedFor === null || armedFor <= clock.now(), `nothing is due, yet an alarm is armed for ${armedFor}`);
    } else if (!this.mayWakeLate) {
      const isLate = this.#isBackingOff || this.#kernel?.isLost === true;
      const latest = Math.max(due, clock.now() + (isLate ? MAX_BACK_OFF_MS : 0));
      assert.ok(alarm.covers(latest), `W-1: due ${due}, now ${clock.now()}`);
    }
  }

  #onCommit(frame: CommitFrame): void {
    this.commits.push(structuredClone(frame));
    if (this.#kernel) this.#watch(() => this.client.fold(frame, this.kernel.snapshot()));
    this.#options.onFrame?.(frame);
  }

  async *#stream(
    life: number,
    request: Parameters<ModelPort["stream"]>[0],
    signal: AbortSignal,
  ): ReturnType<ScriptedModel["stream"]> {
    this.crashes.point(life, "before model");
    for await (const frame of this.model.stream(request, signal)) {
      this.crashes.point(life, `model ${frame.type}`);
      yield frame;
    }
  }

  async #deliver(life: number, row: OutboxRow): Promise<DeliveryOutcome> {
    this.crashes.point(life, "before delivery");
    this.delivered.push(row);
    const outcome = (await this.#options.deliver?.(row)) ?? { status: "sent" as const };
    this.crashes.point(life, "after delivery");
    return outcome;
  }

  #guardOrigin(life: number, origin: OriginPort): OriginPort {
    return {
      ...origin,
      page: async (ref, after, signal) => {
        this.crashes.point(life, "before page");
        const answer = await origin.page(ref, after, signal);
        this.crashes.point(life, "after page");
        return answer;
      },
    };
  }

  #guardChildren(life: number, children: ChildrenPort): ChildrenPort {
    return {
      look: async (task, signal) => {
        this.crashes.point(life, "before look");
        const look = await children.look(task, signal);
        this.crashes.point(life, "after look");
        return look;
      },
    };
  }

  #guardMeter(life: number, meter: MeterPort): MeterPort {
    return {
      isFree: (model) => meter.isFree(model),
      price: (model, tokens) => meter.price(model, tokens),
      reserve: async (ask, debts) => {
        this.crashes.point(life, "before reserve");
        const answer = await meter.reserve(ask, debts);
        this.crashes.point(life, "after reserve");
        return answer;
      },
      settle: async (actor, debts) => {
        this.crashes.point(life, "before settle");
        await meter.settle(actor, debts);
        this.crashes.point(life, "after settle");
      },
    };
  }

  #guardTool(life: number, tool: Tool): Tool {
    return {
      ...tool,
      execute: async (input, context) => {
        this.crashes.point(life, `before ${tool.name}`);
        const result = await tool.execute(input, context);
        this.crashes.point(life, `after ${tool.name}`);
        return result;
      },
    };
  }
}

/** Lets every promise that can go on go on. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve));
}
