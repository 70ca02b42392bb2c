import { until } from "./until.ts";

/**
 * A place where one side waits for the other. Both look instead of being woken: a promise that is resolved from within a
 * Durable Object would run its waiter inside of that object, and let it die with it.
 */
export class Gate {
  #isOpen = false;
  #arrivals = 0;

  /** Waits until the gate is opened. */
  async pass(): Promise<void> {
    this.#arrivals++;
    while (!this.#isOpen) await new Promise((resolve) => setTimeout(resolve, 2));
  }

  /** Resolves when somebody has come to the gate. */
  reached(): Promise<void> {
    return until(() => this.#arrivals > 0, "somebody to come to the gate");
  }

  open(): void {
    this.#isOpen = true;
  }
}
