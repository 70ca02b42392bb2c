import { KernelError } from "../errors.ts";
import { hostTx } from "../plugin/host-tx.ts";
import type { ChildProgress, ChildReport, ChildRequest } from "../ports/children.ts";
import type { HostTx } from "../registry/host-tx.ts";
import { waitForTask } from "../run/finished-tasks.ts";
import type { Services } from "../run/services.ts";
import { taskOf, tasksOf } from "../state/control.ts";
import { CHILD } from "../state/kinds.ts";
import { type Receipt } from "../storage/done.ts";
import { readMemo } from "../storage/memos.ts";
import { type ChildResult, isChildWanted, settleChild } from "./settle.ts";
import { type ChildCheckpoint, spawnChild } from "./spawn.ts";

/** What code that waits in memory asks for. */
export interface ChildRun extends ChildRequest {
  /** The live task that owns it. */
  readonly task: number;
  /** Tells several of one task apart; absent: `run`. */
  readonly name?: string;
  readonly signal: AbortSignal;
  /** What an abort is said to be, where the signal's own reason should not be told. */
  readonly aborted?: string;
}

/** What the children need of the loop around them. */
interface Loop {
  readonly isClosed: boolean;
  resume(): void;
}

/** The owned conversations of this one: what their objects and the host's code do about them. */
export class Children {
  readonly #services: Services;
  readonly #loop: Loop;

  constructor(services: Services, loop: Loop) {
    this.#services = services;
    this.#loop = loop;
  }

  /** Tasks of all that live, those that are being stopped too. */
  all(): readonly number[] {
    return tasksOf(this.#services.store.control).flatMap(({ kind, id }) => (kind === CHILD ? [id] : []));
  }

  /** True when somebody still waits for the conversation of this task. */
  isWanted(task: number): boolean {
    return isChildWanted(this.#services.store.control, task);
  }

  /** Takes a report, once; `place` runs in the commit that takes it. False: nobody waits for it any more. */
  settle(task: number, report: ChildReport, place?: (tx: HostTx) => void): boolean {
    const taken = this.#services.store.commit((tx) => {
      if (!settleChild(tx, task, report)) return false;
      place?.(hostTx(tx));
      return true;
    });
    this.#loop.resume();
    return taken;
  }

  /** Notes where an owned conversation is, for whoever watches. */
  progress(task: number, progress: ChildProgress): void {
    this.#services.store.commit((tx) => {
      if (!isChildWanted(tx.control, task)) return;
      const checkpoint = tx.task(task).checkpoint as ChildCheckpoint;
      tx.checkpoint(task, { ...checkpoint, progress });
    });
  }

  /**
   * Runs a conversation of its own for a live task and resolves with the text of its answer. Asked again under the same
   * name, after a crash too, it is the same conversation. When the signal aborts, it is stopped.
   * @throws what became of it instead; what an abort is said to be.
   */
  async run({ task, name = "run", signal, aborted, ...request }: ChildRun): Promise<string> {
    const { store, ports } = this.#services;
    const child = this.#findOrSpawn(task, name, request);
    let receipt: Receipt;
    try {
      receipt = await waitForTask(store, ports.storage, child, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
      this.#stop(child);
      throw new Error(aborted ?? reasonOf(signal), { cause: error });
    }
    if (receipt.outcome === "completed") return (receipt.result as ChildResult).text;
    throw new Error(errorOf(receipt));
  }

  #findOrSpawn(task: number, name: string, request: ChildRequest): number {
    const { store, ports } = this.#services;
    const known = readMemo(ports.storage, task, CHILD, name)?.value;
    if (typeof known === "number") return known;
    const child = store.commit((tx) => {
      if (tx.task(task).aborting)
        throw new KernelError("revoked", `Task ${task} was stopped: it may begin nothing more.`);
      const id = spawnChild(tx, name, request, { task, speaker: null });
      tx.memoOnce(task, CHILD, name, id);
      return id;
    });
    this.#loop.resume();
    return child;
  }

  /** A process that ends stops nothing: what is under way goes on at the next open. */
  #stop(child: number): void {
    const { store } = this.#services;
    if (this.#loop.isClosed || taskOf(store.control, child)?.aborting !== false) return;
    store.commit((tx) => tx.markAborting(child));
    this.#loop.resume();
  }
}

function reasonOf(signal: AbortSignal): string {
  const reason: unknown = signal.reason;
  return reason instanceof Error && reason.name !== "AbortError" ? reason.message : "It ran out of time.";
}

/** Why an owned conversation gave no answer. */
export function errorOf({ outcome, result }: Receipt): string {
  const { error } = (result ?? {}) as { readonly error?: string };
  return error ?? (outcome === "aborted" ? "It was stopped." : `It ended as ${outcome}.`);
}
