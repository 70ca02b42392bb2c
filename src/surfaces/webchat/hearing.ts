/** How long one answer about a listener counts before the next frame asks anew. */
export const HEARING_MS = 5_000;
/** UTF-16 units that are held back for one listener while the directory is asked. */
const MAX_HELD_UNITS = 4 * 1024 * 1024;

interface Held {
  readonly texts: string[];
  units: number;
}

/**
 * Who may hear a conversation without being asked about, and what is held back for the others meanwhile. In memory: after
 * a wake everybody is asked about again.
 */
export class Hearing<Listener> {
  readonly #askedAt = new Map<Listener, number>();
  readonly #held = new Map<Listener, Held>();

  /** True while the last answer counts and nothing is held back. */
  mayHear(listener: Listener, now: number): boolean {
    const askedAt = this.#askedAt.get(listener);
    return askedAt !== undefined && now - askedAt < HEARING_MS && !this.#held.has(listener);
  }

  /** Keeps a text until the answer comes. `first`: the question has to be asked. `full`: nothing more can be kept. */
  hold(listener: Listener, text: string): "first" | "held" | "full" {
    const held = this.#held.get(listener);
    if (!held) {
      this.#held.set(listener, { texts: [text], units: text.length });
      return "first";
    }
    held.texts.push(text);
    held.units += text.length;
    return held.units > MAX_HELD_UNITS ? "full" : "held";
  }

  /** A question about this listener is under way and its answer is still wanted. */
  isAsked(listener: Listener): boolean {
    return this.#held.has(listener);
  }

  /** The listener may hear, by an answer from that time. Returns what was held back, in order. */
  clear(listener: Listener, askedAt: number): readonly string[] {
    const texts = this.#held.get(listener)?.texts ?? [];
    this.#held.delete(listener);
    this.#askedAt.set(listener, askedAt);
    return texts;
  }

  /** The last answer about this listener counts no longer; what is held back for them stays so. */
  doubt(listener: Listener): void {
    this.#askedAt.delete(listener);
  }

  forget(listener: Listener): void {
    this.#askedAt.delete(listener);
    this.#held.delete(listener);
  }
}
