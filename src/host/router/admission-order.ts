import type { ClockPort } from "../../kernel/index.ts";

/** How long a message waits for those that arrived before it. */
const MAX_BEFORE_MS = 10_000;

/**
 * Keeps the messages of one channel in the order of their arrival, although finding out whom each comes from takes its
 * time: each is checked at once, and admitted when those before it are.
 */
export class AdmissionOrder {
  readonly #clock: ClockPort;
  #before: Promise<unknown> | undefined;

  constructor(clock: ClockPort) {
    this.#clock = clock;
  }

  /**
   * @param check finds out who may do this. @param admit synchronous: nothing comes between two messages. Whoever is not
   * admitted in time is passed over by those behind, and admitted later.
   */
  async run<C, A>(check: Promise<C>, admit: (checked: C) => A): Promise<A> {
    const turn = this.#turn();
    const mine = Promise.all([check, turn]).then(([checked]) => admit(checked));
    // One that fails early still stands behind those before it.
    const over = Promise.allSettled([turn, mine]);
    this.#before = over;
    try {
      return await mine;
    } finally {
      if (this.#before === over) this.#before = undefined;
    }
  }

  /** Resolves when everybody before is admitted or failed, or has taken too long. */
  async #turn(): Promise<void> {
    if (this.#before === undefined) return;
    const enough = new AbortController();
    const late = this.#clock.wait(this.#clock.now() + MAX_BEFORE_MS, enough.signal);
    await Promise.race([this.#before, late]);
    enough.abort();
  }
}
