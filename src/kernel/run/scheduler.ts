import { cutText } from "../../lib/cut.ts";
import { isRevoked, KernelError } from "../errors.ts";
import { MAX_PARALLEL_TOOLS, MAX_REASON_UNITS } from "../limits.ts";
import type { TaskKind } from "../registry/task-kind.ts";
import { type Control, ownedBy, taskOf, tasksOf } from "../state/control.ts";
import { LINGER_MS, nextDue } from "../state/due.ts";
import { TOOL } from "../state/kinds.ts";
import { isRunnable, type Task } from "../state/task.ts";
import { Invocation } from "./invocation.ts";
import { OutboxDrain } from "./outbox-drain.ts";
import type { Services } from "./services.ts";

/** External calls of one event, after which the loop goes on in a fresh one (the platform's subrequest limit is 50). */
const MAX_CALLS_PER_EVENT = 40;

/**
 * The loop: starts handlers of runnable tasks, delivers the outbox, wakes what is due, and ends when nothing is due within
 * seconds. It holds no state that a crash would miss: everything it decides by is committed.
 */
export class Scheduler {
  readonly #services: Services;
  readonly #outbox: OutboxDrain;
  readonly #invocations = new Map<number, Invocation>();
  /** Parked tasks whose handlers run once more after an open: code and policy may have changed meanwhile. */
  readonly #recheck = new Set<number>();
  #running = false;
  #loop: Promise<void> = Promise.resolve();
  #poked = Promise.withResolvers<void>();
  #closed = false;
  #hasGivenUp = false;
  #holds = 0;

  constructor(services: Services) {
    this.#services = services;
    services.store.onCommit(() => this.#revokeStopped());
    this.#outbox = new OutboxDrain(services, {
      settled: () => this.poke(),
      failed: (error) => {
        services.ports.report.report("outbox.settle_failed", { error: String(error) });
        this.#abandon();
      },
    });
  }

  /** True when the state could not be changed any more: this kernel runs nothing until it is reopened. */
  get hasGivenUp(): boolean {
    return this.#hasGivenUp;
  }

  /** True once it was closed: nothing begins any more. */
  get isClosed(): boolean {
    return this.#closed;
  }

  /** True while no handler runs and nothing is being delivered. */
  get isIdle(): boolean {
    return this.#invocations.size === 0 && !this.#outbox.isActive;
  }

  /** Begins nothing until every hold is released. A release counts once. */
  hold(): () => void {
    this.#holds++;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#holds--;
      this.resume();
    };
  }

  /** Starts the loop, or makes the running one look again. */
  resume(): void {
    if (this.#closed) return;
    this.poke();
    if (this.#running) return;
    this.#running = true;
    this.#loop = this.#work().catch((error: unknown) => {
      this.#services.ports.report.report("loop.failed", { error: String(error) });
      this.#abandon();
      this.#end();
    });
  }

  poke(): void {
    this.#poked.resolve();
  }

  recheckParked(): void {
    for (const task of tasksOf(this.#services.store.control)) if (task.status === "parked") this.#recheck.add(task.id);
  }

  /** Resolves when the loop has nothing to do within seconds. */
  async rest(): Promise<void> {
    while (this.#running) await this.#loop;
  }

  /** Stops all handlers without any mark: tasks stay as they are for the next open. Resolves when they have returned. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#outbox.close();
    for (const invocation of this.#invocations.values()) invocation.revoke();
    this.poke();
    await this.rest();
  }

  /** Ends the old invocations of stopped tasks: they may not write any more. Their abort handlers begin when they returned. */
  #revokeStopped(): void {
    const { control } = this.#services.store;
    for (const [id, invocation] of this.#invocations) {
      if (!invocation.aborting && taskOf(control, id)?.aborting === true) invocation.revoke();
    }
  }

  async #work(): Promise<void> {
    for (;;) {
      this.#poked = Promise.withResolvers<void>();
      const mayBegin = !this.#closed && this.#holds === 0;
      if (mayBegin) this.#wakeDue();
      const begun = mayBegin ? this.#start() : 0;
      const due = this.#due();
      const isActive = this.#invocations.size > 0 || this.#outbox.isActive;
      if (!isActive && this.#isAtRest(due, begun)) return this.#end();
      await this.#wait();
    }
  }

  /** Nothing is under way: whether the loop ends here. */
  #isAtRest(due: number | null, begun: number): boolean {
    const { calls, ports } = this.#services;
    if (this.#closed || due === null) return true;
    if (this.#holds > 0) return false;
    if (calls.count >= MAX_CALLS_PER_EVENT) {
      this.#yieldEvent();
      return true;
    }
    const waitMs = due - ports.clock.now();
    if (waitMs > LINGER_MS) return true;
    if (waitMs > 0 || begun > 0) return false;
    ports.report.report("loop.stuck", { due });
    return true;
  }

  /** Synchronous with the decision to stop: whoever resumes from now on starts a new loop. */
  #end(): void {
    this.#running = false;
    this.#services.active.rest();
  }

  /** Waits until something happens or becomes due. */
  async #wait(): Promise<void> {
    const { clock } = this.#services.ports;
    const over = new AbortController();
    const later = this.#due(clock.now());
    await Promise.race([this.#poked.promise, ...(later === null ? [] : [clock.wait(later, over.signal)])]);
    over.abort();
  }

  #due(after?: number): number | null {
    const { store, kinds } = this.#services;
    return nextDue(store.control, (kind) => kinds.knows(kind), after);
  }

  #wakeDue(): void {
    const now = this.#services.ports.clock.now();
    const woken = tasksOf(this.#services.store.control).filter((task) => isDueToRun(task, now) && this.#hasCode(task));
    if (woken.length === 0) return;
    this.#services.store.commit((tx) => {
      for (const task of woken) tx.setStatus(task.id, { status: "running" });
    });
  }

  #start(): number {
    const { store, calls, ports } = this.#services;
    // Whoever runs already may still make its call: it keeps its place.
    const room = MAX_CALLS_PER_EVENT - calls.count - this.#invocations.size;
    let begun = this.#outbox.start(ports.clock.now(), room);
    for (const task of tasksOf(store.control)) {
      if (begun >= room) break;
      if (this.#canStart(task, store.control)) {
        begun++;
        this.#begin(task);
      }
    }
    return begun;
  }

  #canStart(task: Task, control: Control): boolean {
    if (this.#invocations.has(task.id)) return false;
    if (!isRunnable(task) && !this.#recheck.has(task.id)) return false;
    if (!this.#hasCode(task)) return false;
    if (task.kind === TOOL && this.#runningTools() >= MAX_PARALLEL_TOOLS) return false;
    return !(task.aborting && hasLiveWork(control, task));
  }

  /** Without its kind's code a task stays as it is; only a stop reaches it. */
  #hasCode(task: Task): boolean {
    return task.aborting || this.#services.kinds.knows(task.kind);
  }

  #runningTools(): number {
    const { control } = this.#services.store;
    return [...this.#invocations.keys()].filter((id) => taskOf(control, id)?.kind === TOOL).length;
  }

  #begin(task: Task): void {
    const isRecheck = this.#recheck.delete(task.id) && task.status === "parked";
    const invocation = new Invocation(this.#services.store, task);
    this.#invocations.set(task.id, invocation);
    void this.#invoke(invocation, task, isRecheck).finally(() => {
      this.#invocations.delete(task.id);
      this.poke();
    });
  }

  async #invoke(invocation: Invocation, task: Task, isRecheck: boolean): Promise<void> {
    const kind = this.#services.kinds.of(task.kind);
    try {
      if (!kind) return invocation.commit((tx) => tx.finish(task.id, "aborted"));
      await (task.aborting ? kind.abort(invocation) : phaseOf(kind, task)(invocation));
      invocation.finish();
      if (!isRecheck) this.#requireProgress(kind, task);
    } catch (error) {
      const isGone = invocation.isOver || taskOf(this.#services.store.control, task.id) === undefined;
      if (isGone && (isRevoked(error) || invocation.signal.aborted)) return;
      invocation.finish();
      this.#fault(kind, task, error);
    }
  }

  #requireProgress(kind: TaskKind, before: Task): void {
    const after = taskOf(this.#services.store.control, before.id);
    if (!after || after.aborting !== before.aborting) return;
    if (JSON.stringify(after) === JSON.stringify(before)) throw new Error(`${kind.kind} made no durable progress`);
    if (isRunnable(after) && kind.inFlight.includes(after.checkpoint.phase)) {
      throw new Error(`${kind.kind} returned in the phase ${after.checkpoint.phase}, which is in flight`);
    }
  }

  #fault(kind: TaskKind | undefined, task: Task, error: unknown): void {
    const { store, ports } = this.#services;
    const reason = cutText(error instanceof Error ? error.message : String(error), MAX_REASON_UNITS);
    ports.report.report("task.faulted", { task: task.id, kind: task.kind, error: reason });
    if (error instanceof KernelError && error.code === "storage_failed") return this.#abandon();
    try {
      store.commit((tx) => {
        const current = taskOf(tx.control, task.id);
        if (current) kind?.fault(tx, current, reason);
      });
      this.#services.live.drop(task.id);
    } catch (second) {
      ports.report.report("task.fault_failed", { task: task.id, kind: task.kind, error: String(second) });
      this.#abandon();
    }
  }

  /** The state cannot be changed from here: leave it as it is. Whoever holds this kernel reopens it, at the latest in the next alarm. */
  #abandon(): void {
    this.#closed = true;
    this.#hasGivenUp = true;
    this.#outbox.close();
    for (const invocation of this.#invocations.values()) invocation.revoke();
    this.poke();
  }

  /** The rest goes on in an event of its own: the alarm, due now. */
  #yieldEvent(): void {
    const { store } = this.#services;
    store.setAlarmCovering(false);
    store.commit(() => undefined);
  }
}

function isDueToRun(task: Task, now: number): boolean {
  switch (task.status) {
    case "pending":
      return true;
    case "sleeping":
      return task.until <= now;
    case "parked":
      return task.deadline !== null && task.deadline <= now;
    case "running":
    case "waiting":
      return false;
  }
}

/** Abort runs bottom-up: a task's handler waits for those of everything that it owns, a generation's for its tools'. */
function hasLiveWork(control: Control, task: Task): boolean {
  if (ownedBy(control, task.id).length > 0) return true;
  if (control.turn?.task !== task.id) return false;
  return control.turn.tools.some((tool) => taskOf(control, tool.task) !== undefined);
}

function phaseOf(kind: TaskKind, task: Task): TaskKind["abort"] {
  const { phase } = task.checkpoint;
  const handler = Object.hasOwn(kind.phases, phase) ? kind.phases[phase] : undefined;
  if (!handler) throw new Error(`${task.kind} has no phase ${JSON.stringify(phase)}`);
  return handler;
}
