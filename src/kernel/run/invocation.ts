import type { Store } from "../commit/store.ts";
import { KernelError } from "../errors.ts";
import type { Run } from "../registry/task-kind.ts";
import { taskOf } from "../state/control.ts";
import type { Task } from "../state/task.ts";

/** One run of one handler. What it commits is refused once it was revoked, or when its task is not its own any more. */
export class Invocation implements Run {
  readonly id: number;
  /** Runs the abort handler: the only one that may write for a marked task. */
  readonly aborting: boolean;
  readonly #store: Store;
  readonly #controller = new AbortController();
  #over = false;

  constructor(store: Store, task: Task) {
    this.#store = store;
    this.id = task.id;
    this.aborting = task.aborting;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get isOver(): boolean {
    return this.#over;
  }

  task(): Task {
    const task = taskOf(this.#store.control, this.id);
    if (this.#over || !task) throw this.#revoked();
    return task;
  }

  commit<T>(builder: Parameters<typeof Store.prototype.commit<T>>[0]): T {
    if (this.#over) throw this.#revoked();
    return this.#store.commit((tx) => {
      if (tx.task(this.id).aborting !== this.aborting) throw this.#revoked();
      return builder(tx);
    });
  }

  /** Ends the invocation's right to write and tells its handler. */
  revoke(): void {
    this.#over = true;
    this.#controller.abort();
  }

  /** The handler returned. */
  finish(): void {
    this.#over = true;
  }

  #revoked(): KernelError {
    return new KernelError("revoked", `Task ${this.id} was stopped or taken over: this invocation may not write.`);
  }
}
