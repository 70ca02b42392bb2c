import type { Json, JsonObject } from "../../lib/json.ts";
import type { View } from "../../protocol/view.ts";
import { KernelError } from "../errors.ts";
import type { HostRead } from "../registry/host-tx.ts";
import type { Namespace } from "../registry/namespace.ts";
import { type Control, initialControl, parseControl } from "../state/control.ts";
import { LINGER_MS } from "../state/due.ts";
import { insertControl, readControl } from "../storage/control.ts";
import { holdsConversation, migrate } from "../storage/migrations.ts";
import { pinsOf, resolveConfig } from "./documents.ts";
import { readSlices, requireLive, stateOf } from "./namespace-states.ts";
import { type CommitContext, type Committed, type Landing, prepareLanding, renderLiveView } from "./prepare.ts";
import { Tx } from "./tx.ts";
import { readWindow } from "./window.ts";

/** Told of each commit that stands: which entries came, and which became tombstones. */
type CommitListener = (landing: Pick<Landing, "appended" | "replaced">) => void;

/**
 * The committed state of one conversation and the only way to change it. One thread and `transactionSync` make the line:
 * a builder runs alone, and what it wrote becomes visible together with control row, revision and alarm, or not at all.
 */
export class Store implements HostRead {
  readonly #context: CommitContext;
  readonly #listeners = new Set<CommitListener>();
  #committed: Committed;
  #committing = false;
  /** A commit was tried inside the running one: neither may stand, even when the builder hides the refusal. */
  #isNested = false;
  #failure: unknown;

  private constructor(context: CommitContext) {
    this.#context = context;
    this.#committed = load(context);
  }

  /**
   * Opens what is stored. Reads the control row, the namespaces and the window: nothing that grows with history.
   * @throws KernelError `no_conversation`, with nothing written, when the storage holds none.
   */
  static open(context: CommitContext): Store {
    const { storage } = context.ports;
    if (!holdsConversation(storage)) {
      throw new KernelError("no_conversation", "This storage holds no conversation: create one first.");
    }
    storage.transactionSync(() => migrate(storage));
    return new Store(context);
  }

  /** Creates the conversation with these facts, in one transaction. */
  static create(context: CommitContext, facts: Json): Store {
    const { storage, clock } = context.ports;
    storage.transactionSync(() => {
      migrate(storage);
      insertControl(storage, JSON.stringify(initialControl(facts, clock.now())));
    });
    return new Store(context);
  }

  /** True when storage failed: nothing more can be committed until the conversation is reopened. */
  get hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  get control(): Control {
    return this.#committed.control;
  }

  get facts(): Json {
    return this.#committed.control.facts;
  }

  get<T extends JsonObject>(namespace: Namespace<T>): T {
    requireLive(this.#context.registry, namespace);
    return structuredClone(stateOf(namespace, this.#committed.slices));
  }

  config(key: string): Json | undefined {
    const config = resolveConfig(this.#context.registry.configDefaults(), this.#committed.slices);
    return Object.hasOwn(config, key) ? config[key] : undefined;
  }

  /** Ids of the entries that every request carries. */
  get pins(): readonly number[] {
    return pinsOf(this.#committed.slices);
  }

  snapshot(): { readonly rev: number; readonly view: View } {
    const { control, window, live } = this.#committed;
    return { rev: control.rev, view: { entries: window.map((item) => item.entry), ...live } };
  }

  /** The listener runs after each commit, before it is published, until it is taken back. */
  onCommit(listener: CommitListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * An alarm handler has begun (the stored alarm is spent, and comes back if the process dies) or has ended. One that was
   * armed for later since, by opening, stands; clocks may differ by a little.
   */
  setAlarmCovering(covering: boolean): void {
    const { at } = this.#committed.alarm;
    const isSpent = covering && at !== null && at <= this.#context.ports.clock.now() + LINGER_MS;
    this.#committed = { ...this.#committed, alarm: { at: isSpent ? null : at, covering } };
  }

  /**
   * Runs a builder as one commit.
   * @throws what the builder threw, with nothing written; KernelError for wrong use; `storage_failed` when the storage
   * itself failed: then this store is done for and the conversation must be reopened.
   */
  commit<T>(builder: (tx: Tx) => T): T {
    this.#requireUsable();
    this.#committing = true;
    this.#isNested = false;
    let built: { readonly value: T; readonly landing: Landing };
    try {
      built = this.#transact(builder);
    } finally {
      this.#committing = false;
    }
    this.#land(built.landing);
    return built.value;
  }

  #transact<T>(builder: (tx: Tx) => T): { readonly value: T; readonly landing: Landing } {
    const { storage, clock } = this.#context.ports;
    const before = this.#committed;
    let builderFailed = false;
    try {
      return storage.transactionSync(() => {
        const tx = new Tx(storage, parseControl(before.text), before.slices, this.#context.registry, clock.now());
        try {
          const value = refusePromise(builder(tx));
          if (this.#isNested) throw nestedCommit();
          return { value, landing: prepareLanding(before, tx, this.#context) };
        } catch (error) {
          builderFailed = true;
          throw error;
        } finally {
          tx.close();
        }
      });
    } catch (error) {
      if (builderFailed) throw error;
      this.#failure = error;
      throw new KernelError("storage_failed", `Storage failed, the conversation must be reopened: ${String(error)}`);
    }
  }

  #land(landing: Landing): void {
    this.#committed = landing.committed;
    for (const listener of this.#listeners) listener(landing);
    for (const { event, facts } of landing.faults) this.#context.ports.report.report(event, facts);
    if (!landing.frame) return;
    try {
      this.#context.ports.publish.commit(landing.frame);
    } catch (error) {
      this.#context.ports.report.report("publish.failed", { error: String(error) });
    }
  }

  #requireUsable(): void {
    if (this.#failure !== undefined) {
      throw new KernelError("storage_failed", "Storage failed earlier, the conversation must be reopened.");
    }
    if (!this.#committing) return;
    this.#isNested = true;
    throw nestedCommit();
  }
}

function nestedCommit(): KernelError {
  return new KernelError("nested_commit", "A commit cannot be made inside another commit.");
}

function load(context: CommitContext): Committed {
  const { storage, clock } = context.ports;
  const text = readControl(storage);
  const control = parseControl(text);
  const slices = readSlices(storage);
  // An armed time that has passed has fired, or fires as we open: it covers nothing that begins now.
  const at = control.alarmAt !== null && control.alarmAt > clock.now() ? control.alarmAt : null;
  return {
    control,
    text,
    slices,
    window: readWindow(storage, control),
    live: renderLiveView(control, slices, context),
    alarm: { at, covering: false },
  };
}

function refusePromise<T>(value: T): T {
  if (value instanceof Promise) {
    value.catch(() => undefined);
    throw new KernelError("async_commit", "A commit's builder must be synchronous: await before it, not in it.");
  }
  return value;
}
