import { expect } from "vitest";
import {
  type DeliveryOutcome,
  Kernel,
  type KernelHost,
  type KernelPorts,
  type ModelPort,
  type OutboxRow,
  Registry,
  type Tool,
} from "../../src/kernel/index.ts";
import type { Control } from "../../src/kernel/state/control.ts";
import { nextDue } from "../../src/kernel/state/due.ts";
import type { Json } from "../../src/lib/json.ts";
import type { ServerFrame } from "../../src/protocol/frames.ts";
import { foldOps } from "../../src/protocol/ops.ts";
import { CrashPoints } from "./crash.ts";
import { FakeAlarm } from "./fake-alarm.ts";
import { NodeStorage } from "./node-storage.ts";
import { ScriptedModel, type Script } from "./scripted-model.ts";
import { VirtualClock } from "./virtual-clock.ts";

type CommitFrame = Extract<ServerFrame, { type: "commit" }>;
type DeltaFrame = Extract<ServerFrame, { type: "delta" }>;

export interface WorldOptions {
  readonly script?: Script;
  readonly tools?: readonly Tool[];
  /** Registers what a plugin would, at each start of a process. */
  readonly register?: (registry: Registry, kernel: () => Kernel) => void;
  readonly settings?: KernelHost["settings"];
  readonly deliver?: (row: OutboxRow) => Promise<DeliveryOutcome>;
  readonly killAt?: readonly number[];
}

/**
 * One conversation on Node's SQLite with a virtual clock, an alarm, a scripted model and a client that folds. Every commit
 * is checked: W-1 holds, revisions are contiguous, the folded replica equals a fresh snapshot. The process can die at any
 * commit or effect and be started again.
 */
export class KernelWorld {
  readonly storage = new NodeStorage();
  readonly clock = new VirtualClock();
  readonly alarm = new FakeAlarm();
  readonly crashes: CrashPoints;
  readonly model: ScriptedModel;
  readonly commits: CommitFrame[] = [];
  readonly deltas: DeltaFrame[] = [];
  readonly reports: { event: string; facts: Record<string, unknown> }[] = [];
  readonly delivered: OutboxRow[] = [];
  readonly #options: WorldOptions;
  #kernel: Kernel | undefined;
  #replica: { rev: number; view: Json } = { rev: 0, view: null };
  #alarmRun: Promise<void> | undefined;
  #ulids = 0;

  constructor(options: WorldOptions = {}) {
    this.#options = options;
    this.crashes = new CrashPoints(options.killAt);
    this.model = new ScriptedModel(options.script ?? (() => ({ text: "Hello." })));
  }

  get kernel(): Kernel {
    if (!this.#kernel) throw new Error("the process is not running");
    return this.#kernel;
  }

  get control(): Control {
    const row = this.storage.database.prepare("SELECT body FROM control").get();
    return JSON.parse(String(row?.["body"])) as Control;
  }

  /** Starts a process over the stored state: opens, and does not resume. */
  start(): Kernel {
    const life = this.crashes.begin();
    const registry = new Registry();
    const holder: { kernel?: Kernel } = {};
    for (const tool of this.#options.tools ?? []) registry.registerTool(this.#guardTool(life, tool));
    this.#options.register?.(registry, () => holder.kernel ?? this.kernel);
    const ports = this.#ports(life);
    const kernel = Kernel.exists(ports)
      ? Kernel.open(ports, registry, this.#host())
      : Kernel.create(ports, registry, this.#host(), { name: "test" });
    holder.kernel = kernel;
    this.#kernel = kernel;
    const { rev, view } = kernel.snapshot();
    expect(rev, "a revision never goes back").toBeGreaterThanOrEqual(this.#replica.rev);
    this.#replica = { rev, view: structuredClone(view) as unknown as Json };
    return kernel;
  }

  /** The process dies at once, wherever it is. */
  crash(): void {
    this.crashes.kill();
    this.#buried();
  }

  /** Starts again after a death. True when there was one. */
  restartIfDead(): boolean {
    if (this.crashes.isAlive && this.#kernel) return false;
    this.#buried();
    this.start();
    return true;
  }

  /**
   * Lets everything run: handlers, timers, alarms, deaths and restarts, until nothing is left to do or the condition holds.
   * Virtual time jumps to whatever is due next, not beyond `untilMs`.
   */
  async run(condition: () => boolean = () => false, untilMs = Number.POSITIVE_INFINITY): Promise<void> {
    for (let turns = 0; turns < 10_000; turns++) {
      await settle();
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

  #tryRestart(): boolean {
    for (;;) {
      try {
        return this.restartIfDead();
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
    this.alarm.begin();
    this.#alarmRun = this.kernel.onAlarm(0).then(() => {
      if (life !== this.crashes.life || !this.crashes.isAlive) return;
      this.alarm.end();
      this.#alarmRun = undefined;
    });
  }

  #buried(): void {
    this.alarm.crash();
    this.clock.clear();
    this.#alarmRun = undefined;
    this.#kernel = undefined;
  }

  #host(): KernelHost {
    const settings = () => ({ model: "test/model", thinking: "off", offers: () => true }) as const;
    return { name: "test-conversation", settings: this.#options.settings ?? settings };
  }

  #ports(life: number): KernelPorts {
    const { crashes } = this;
    const model: ModelPort = { stream: (request, signal) => this.#stream(life, request, signal) };
    return {
      storage: {
        sql: this.storage.sql,
        transactionSync: (closure) => this.#transaction(life, closure),
      },
      alarm: this.alarm,
      clock: this.clock,
      random: { ulid: () => `ulid${++this.#ulids}`, unit: () => 0.5 },
      model,
      deliver: { deliver: (row) => this.#deliver(life, row) },
      publish: {
        commit: (frame) => this.#onCommit(frame),
        delta: (frame) => {
          crashes.requireAlive(life);
          this.deltas.push(frame);
        },
      },
      report: { report: (event, facts) => void this.reports.push({ event, facts }) },
    };
  }

  #transaction<T>(life: number, closure: () => T): T {
    const before = this.crashes.passed.length;
    this.crashes.point(life, "before commit");
    const changes = this.storage.counts.written;
    const rollback = this.alarm.checkpoint();
    let value: T;
    try {
      value = this.storage.transactionSync(closure);
    } catch (error) {
      rollback();
      throw error;
    }
    if (this.storage.counts.written === changes) {
      this.crashes.passed.length = before;
      return value;
    }
    this.#checkWakeUp();
    this.crashes.point(life, "after commit");
    return value;
  }

  #checkWakeUp(): void {
    const { control, clock, alarm } = this;
    const due = nextDue(control, () => true);
    if (due === null) return;
    expect(alarm.covers(Math.max(due, clock.now())), `W-1: due ${due}, now ${clock.now()}`).toBe(true);
  }

  #onCommit(frame: CommitFrame): void {
    this.commits.push(structuredClone(frame));
    expect(frame.rev, "revisions are contiguous").toBe(this.#replica.rev + 1);
    this.#replica = { rev: frame.rev, view: foldOps(this.#replica.view, structuredClone(frame.ops)) };
    const { rev, view } = this.kernel.snapshot();
    expect(rev).toBe(frame.rev);
    expect(this.#replica.view, "folding gives a fresh snapshot").toEqual(view);
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
