/** The other side of a tool's `fetch`: counts what arrived by idempotency key and answers when it is let. */
export class EffectFetch {
  readonly arrived = new Map<string, number>();
  readonly bodies: string[] = [];
  /** Held back: requests that arrived wait for this before they are answered. */
  answerAfter: Promise<void> = Promise.resolve();
  readonly #waiters: (() => void)[] = [];

  async fetch(request: Request): Promise<Response> {
    const key = request.headers.get("idempotency-key") ?? "none";
    this.arrived.set(key, (this.arrived.get(key) ?? 0) + 1);
    this.bodies.push(await request.text());
    for (const wake of this.#waiters.splice(0)) wake();
    await this.answerAfter;
    return Response.json({ received: true });
  }

  get total(): number {
    return [...this.arrived.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Resolves when the next request arrives. */
  next(): Promise<void> {
    return new Promise((resolve) => this.#waiters.push(resolve));
  }
}
