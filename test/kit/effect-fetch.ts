import type { Gate } from "./gate.ts";

/** The other side of a tool's `fetch`: counts what arrived by idempotency key and answers when it is let. */
export class EffectFetch {
  readonly arrived = new Map<string, number>();
  readonly bodies: string[] = [];
  /** Requests that arrived wait here before they are answered. */
  gate: Gate | undefined;

  async fetch(request: Request): Promise<Response> {
    const key = request.headers.get("idempotency-key") ?? "none";
    this.arrived.set(key, (this.arrived.get(key) ?? 0) + 1);
    this.bodies.push(await request.text());
    await this.gate?.pass();
    return Response.json({ received: true });
  }

  get total(): number {
    return [...this.arrived.values()].reduce((sum, count) => sum + count, 0);
  }
}
