import type { AlarmPort, StoragePort } from "../../src/kernel/index.ts";

/**
 * The one alarm of an object, behaving like the platform's: a set replaces; while its handler runs the stored alarm is
 * kept, so that a process that dies in it finds it again; a set during the handler replaces what is kept.
 */
export class FakeAlarm implements AlarmPort {
  /** The stored time, also while the handler of that alarm runs. */
  #stored: number | null = null;
  #handling = false;
  /** Changes that stand. */
  sets = 0;
  deletes = 0;

  set(atMs: number): void {
    this.#stored = atMs;
    this.#handling = false;
    this.sets++;
  }

  delete(): void {
    this.#stored = null;
    this.#handling = false;
    this.deletes++;
  }

  /** When it fires next by itself; null: never, or its handler is running. */
  get armedFor(): number | null {
    return this.#handling ? null : this.#stored;
  }

  /** Whether something fires at or before a time, or fires again should the process die now. */
  covers(at: number): boolean {
    return this.#stored !== null && (this.#handling || this.#stored <= at);
  }

  /** The platform delivers an alarm once more than it was set: at least once is all it promises. */
  ring(atMs: number): void {
    this.#stored ??= atMs;
  }

  begin(): void {
    this.#handling = true;
  }

  /** The handler returned. */
  end(): void {
    if (this.#handling) this.#stored = null;
    this.#handling = false;
  }

  /** The process died. */
  crash(): void {
    this.#handling = false;
  }

  /** Runs a transaction of the storage that this alarm belongs to: rolled back, it leaves the alarm as it was. */
  within<T>(storage: StoragePort, closure: () => T): T {
    const { sets, deletes } = this;
    const stored = this.#stored;
    const handling = this.#handling;
    try {
      return storage.transactionSync(closure);
    } catch (error) {
      this.#stored = stored;
      this.#handling = handling;
      this.sets = sets;
      this.deletes = deletes;
      throw error;
    }
  }
}
