import type { Json, JsonObject } from "../lib/json.ts";
import type { Result } from "../lib/result.ts";
import type { LiveText } from "../protocol/frames.ts";
import type { View, ViewEntry } from "../protocol/view.ts";
import { Children } from "./child/children.ts";
import type { CommitContext } from "./commit/prepare.ts";
import { Store } from "./commit/store.ts";
import type { Tx } from "./commit/tx.ts";
import { type CompactOutcome, compactNow } from "./compaction/begin.ts";
import { ActiveRange } from "./context/active-range.ts";
import { coreKinds } from "./core-kinds.ts";
import { KernelError } from "./errors.ts";
import { beginImport } from "./fork/import-kind.ts";
import { admitAfterRewind } from "./history/admit-after-rewind.ts";
import { endRestored } from "./history/end-restored.ts";
import { History } from "./history/history.ts";
import { Till } from "./meter/till.ts";
import { hostTx } from "./plugin/host-tx.ts";
import { pluginKind } from "./plugin/plugin-kind.ts";
import type { ForkRef } from "./ports/origin.ts";
import type { KernelPorts } from "./ports/ports.ts";
import type { HostRead, HostTx } from "./registry/host-tx.ts";
import type { Namespace } from "./registry/namespace.ts";
import type { Registry } from "./registry/registry.ts";
import { waitForTask } from "./run/finished-tasks.ts";
import { Kinds } from "./run/kinds.ts";
import { LiveTexts } from "./run/live-texts.ts";
import { Scheduler } from "./run/scheduler.ts";
import type { KernelHost, Services } from "./run/services.ts";
import { type Control, parseControl, tasksOf } from "./state/control.ts";
import type { Task } from "./state/task.ts";
import { readControl } from "./storage/control.ts";
import { type Receipt, readReceipt } from "./storage/done.ts";
import { type InputRecord, readInput } from "./storage/inputs.ts";
import { holdsConversation } from "./storage/migrations.ts";
import type { AdmissionReceipt, AdmissionRefusal, Submission } from "./turn/admit.ts";
import { beginNextTurn } from "./turn/place.ts";
import { markStopping, type WithdrawOutcome, withdrawInput } from "./turn/stop.ts";

/** How long an alarm stays with the loop before it re-arms and returns. */
const MAX_ALARM_MS = 10 * 60_000;
/** From this retry on, an alarm that dies each time backs off instead of trying at once. */
const BACK_OFF_FROM_RETRY = 3;
/** A kernel that gave up leaves its work to one that is opened anew, but not in a hot circle. */
const GIVEN_UP_PAUSE_MS = 60_000;

/**
 * A durable conversation. Everything it promises is in its storage: this object may die between any two lines, and another
 * one opened over the same storage goes on. Open, register nothing more that recovery needs, then `resume`.
 */
export class Kernel implements HostRead {
  readonly history: History;
  readonly children: Children;
  readonly #services: Services;
  readonly #scheduler: Scheduler;

  private constructor(store: Store, context: CommitContext, host: KernelHost) {
    const { ports, registry, kinds } = context;
    const [live, active] = [new LiveTexts(ports), new ActiveRange(ports.storage, store)];
    const calls = { count: 0 };
    const till = ports.meter && new Till(ports.meter, { ports, store, calls });
    const services = { ports, registry, kinds, host, store, active, live, calls, lateUsage: new Map(), till };
    this.#services = services;
    kinds.install(coreKinds(services), (definition) => pluginKind(services, definition));
    this.#scheduler = new Scheduler(services);
    this.history = new History(services);
    this.children = new Children(services, this.#scheduler);
  }

  /** True when this storage holds a conversation. Reads only, writes nothing. */
  static exists(ports: Pick<KernelPorts, "storage">): boolean {
    return holdsConversation(ports.storage);
  }

  /** The facts that creation stored. Only where {@link Kernel.exists}. */
  static factsOf(ports: Pick<KernelPorts, "storage">): Json {
    return parseControl(readControl(ports.storage)).facts;
  }

  /** Creates the conversation, unless there is one: then opens that, whose facts stand. */
  static create(
    ports: KernelPorts,
    registry: Registry,
    host: KernelHost,
    facts: Json,
    kinds = new Kinds(registry),
  ): Kernel {
    if (Kernel.exists(ports)) return Kernel.open(ports, registry, host, kinds);
    const context = { ports, registry, kinds };
    return new Kernel(Store.create(context, facts), context, host);
  }

  /** As {@link Kernel.create}, and begins to copy what another conversation held, in the same transaction. */
  static fork(
    ports: KernelPorts,
    registry: Registry,
    host: KernelHost,
    seed: { readonly facts: Json; readonly ref: ForkRef },
    kinds = new Kinds(registry),
  ): Kernel {
    if (Kernel.exists(ports)) return Kernel.open(ports, registry, host, kinds);
    return ports.storage.transactionSync(() => {
      const kernel = Kernel.create(ports, registry, host, seed.facts, kinds);
      kernel.#services.store.commit((tx) => beginImport(tx, seed.ref));
      return kernel;
    });
  }

  /** Opens what is stored and puts right what a crash left under way. Starts nothing. */
  static open(ports: KernelPorts, registry: Registry, host: KernelHost, kinds = new Kinds(registry)): Kernel {
    const context = { ports, registry, kinds };
    const kernel = new Kernel(Store.open(context), context, host);
    kernel.#reconcile();
    return kernel;
  }

  get facts(): Json {
    return this.#services.store.facts;
  }

  get<T extends JsonObject>(namespace: Namespace<T>): T {
    return this.#services.store.get(namespace);
  }

  config(key: string): Json | undefined {
    return this.#services.store.config(key);
  }

  /** The committed state, for reading. */
  get control(): Readonly<Control> {
    return this.#services.store.control;
  }

  /** When the newest entry was appended, but not before the conversation was created; ms. */
  lastActivity(): number {
    const { view } = this.#services.store.snapshot();
    return Math.max(this.control.createdAt, view.entries.at(-1)?.at ?? 0);
  }

  /**
   * True when storage failed or the state could not be changed any more: this kernel does nothing further and must be
   * replaced by one that is opened anew.
   */
  get isLost(): boolean {
    return this.#services.store.hasFailed || this.#scheduler.hasGivenUp;
  }

  /** Starts the loop. May be called at any time, again and again. What a backup held under way is ended before. */
  resume(): void {
    endRestored(this.#services);
    this.#scheduler.resume();
  }

  /** Admits an input and returns after its commit; the model is never waited for. `also`: in that commit, before a new one. */
  submit(submission: Submission, also?: (tx: HostTx) => void): Result<AdmissionReceipt, AdmissionRefusal> {
    const { registry, ports } = this.#services;
    return this.#commit((tx) => admitAfterRewind(tx, submission, registry.snapshot(), ports.storage, also));
  }

  withdraw(key: string): WithdrawOutcome {
    return this.#services.store.commit((tx) => withdrawInput(tx, key));
  }

  /** Stops the running turn. False: nothing ran, or it is stopping already. */
  stop(): boolean {
    return this.#commit((tx) => markStopping(tx)).length > 0;
  }

  /** Starts a turn for inputs that stayed queued after a failed one. False: none, or a turn runs. */
  resumeQueue(): boolean {
    return this.#commit((tx) => beginNextTurn(tx));
  }

  /** Asks for a summary of older messages; a running turn goes on meanwhile. */
  compact(): CompactOutcome {
    return this.#commit((tx) => compactNow(this.#services, tx));
  }

  /** A commit of the host. What it wakes goes on at once. */
  commit<T>(builder: (tx: HostTx) => T): T {
    return this.#commit((tx) => builder(hostTx(tx)));
  }

  snapshot(): { readonly rev: number; readonly view: View; readonly live: readonly LiveText[] } {
    return { ...this.#services.store.snapshot(), live: this.#services.live.all() };
  }

  /** Entries after an id, as shown, tool outputs whole. */
  entriesAfter(after: number, limit: number): readonly ViewEntry[] {
    return this.history.entriesAfter(after, limit);
  }

  input(key: string): InputRecord | undefined {
    return readInput(this.#services.ports.storage, key);
  }

  /** The receipt of a finished task. */
  receipt(task: number): Receipt | undefined {
    return readReceipt(this.#services.ports.storage, task);
  }

  /** Resolves with a task's receipt once it is finished. @throws as {@link waitForTask}. */
  waitForTask(task: number, signal: AbortSignal): Promise<Receipt> {
    return waitForTask(this.#services.store, this.#services.ports.storage, task, signal);
  }

  /**
   * True when nothing of this kernel's code is under way or will go on by itself: no handler runs, nothing is being
   * delivered, nothing sleeps, no call waits. Only then its registry may be exchanged under it, see {@link hold}.
   */
  get isQuiescent(): boolean {
    return this.#scheduler.isIdle && tasksOf(this.control).every(isUnderNobody);
  }

  /**
   * Lets nothing begin until it is released; commits and reads go on.
   * @throws KernelError `not_quiescent`: close this kernel and open another one instead.
   */
  hold(): () => void {
    if (this.isQuiescent) return this.#scheduler.hold();
    throw new KernelError("not_quiescent", "Something is under way: close this kernel and open the conversation anew.");
  }

  /**
   * The alarm's handler: joins the loop, starting it where a crash ended it, and stays until nothing is due within
   * seconds. Never throws. @param retryCount how often the platform repeats this alarm after the process died in it.
   */
  async onAlarm(retryCount: number): Promise<void> {
    const { store, ports, calls } = this.#services;
    const over = new AbortController();
    try {
      store.setAlarmCovering(true);
      if (retryCount >= BACK_OFF_FROM_RETRY) return;
      calls.count = 0;
      this.resume();
      await Promise.race([this.#scheduler.rest(), ports.clock.wait(ports.clock.now() + MAX_ALARM_MS, over.signal)]);
    } catch (error) {
      ports.report.report("alarm.failed", { error: String(error) });
    } finally {
      over.abort();
      this.#rearm(this.#pauseMs(retryCount));
    }
  }

  /** Resolves when nothing is due within seconds. */
  async rest(): Promise<void> {
    await this.#scheduler.rest();
  }

  /** Ends this kernel's life without any mark: what is under way goes on at the next open. */
  async close(): Promise<void> {
    await this.#scheduler.close();
  }

  /** A commit whose work goes on at once. */
  #commit<T>(builder: (tx: Tx) => T): T {
    endRestored(this.#services);
    const value = this.#services.store.commit(builder);
    this.resume();
    return value;
  }

  /** After an open: what ran is pending again, what was parked is checked again, and the alarm is true. */
  #reconcile(): void {
    const { store } = this.#services;
    const interrupted = tasksOf(store.control).filter((task) => task.status === "running");
    store.commit((tx) => {
      for (const task of interrupted) tx.setStatus(task.id, { status: "pending" });
      if (interrupted.length > 0) tx.control.epoch++;
      // Nobody worked while nothing ran: the work clock starts anew.
      if (tx.control.turn?.workingSince) tx.control.turn = { ...tx.control.turn, workingSince: tx.now };
    });
    this.#scheduler.recheckParked();
  }

  /** How long work that is left waits for the next alarm: not at all, except after failures in a row. */
  #pauseMs(retryCount: number): number {
    if (this.#scheduler.hasGivenUp) return GIVEN_UP_PAUSE_MS;
    return retryCount < BACK_OFF_FROM_RETRY ? 0 : Math.min(5 * 60_000, 5_000 * 2 ** retryCount);
  }

  /** The handler is over: work that is left is the alarm's again. */
  #rearm(pauseMs: number): void {
    const { store, ports } = this.#services;
    try {
      store.setAlarmCovering(false);
      store.commit((tx) => {
        if (pauseMs > 0) tx.alarmNotBefore = tx.now + pauseMs;
      });
    } catch (error) {
      // What was deleted meanwhile needs no alarm.
      if (Kernel.exists(ports)) ports.report.report("alarm.rearm_failed", { error: String(error) });
    }
  }
}

/** A task that needs nobody's code until something else happens. */
function isUnderNobody({ status }: Task): boolean {
  return status === "pending" || status === "waiting";
}
