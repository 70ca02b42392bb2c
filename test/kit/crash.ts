/** The process died here. Nothing of this life may have an effect any more. */
class Crash extends Error {
  override readonly name = "Crash";
}

/**
 * Counts the places where a process can die and kills it at the chosen ones. A life is one process: once dead, every port
 * it holds throws.
 */
export class CrashPoints {
  /** Labels of all points passed, in order, over all lives. */
  readonly passed: string[] = [];
  readonly #killAt: Set<number>;
  #life = 0;
  #alive = true;

  constructor(killAt: readonly number[] = []) {
    this.#killAt = new Set(killAt);
  }

  get isAlive(): boolean {
    return this.#alive;
  }

  get life(): number {
    return this.#life;
  }

  begin(): number {
    this.#alive = true;
    return ++this.#life;
  }

  kill(): void {
    this.#alive = false;
  }

  /** The process shall die `ahead` points from now; 0: at the next one. */
  killIn(ahead: number): void {
    this.#killAt.add(this.passed.length + ahead);
  }

  /** No point kills any more. */
  spare(): void {
    this.#killAt.clear();
  }

  /** A place where the process may die. */
  point(life: number, label: string): void {
    this.requireAlive(life);
    const index = this.passed.push(label) - 1;
    if (!this.#killAt.has(index)) return;
    this.kill();
    throw new Crash(`died at ${index}: ${label}`);
  }

  requireAlive(life: number): void {
    if (!this.#alive || life !== this.#life) throw new Crash("this process is dead");
  }
}
