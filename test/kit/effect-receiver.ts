import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** The other side of the webhook on loopback: outlives every crash and counts what arrived, by idempotency key. */
export class EffectReceiver {
  readonly arrived = new Map<string, number>();
  /** Requests without a key: there must be none. */
  keyless = 0;
  readonly #server: Server;
  readonly #delayMs: () => number;

  private constructor(delayMs: () => number) {
    this.#delayMs = delayMs;
    this.#server = createServer((request, response) => {
      const key = request.headers["idempotency-key"];
      if (typeof key === "string") this.arrived.set(key, (this.arrived.get(key) ?? 0) + 1);
      else this.keyless++;
      request.resume();
      // The effect has happened; the answer takes its time, so that a kill can fall between the two.
      setTimeout(() => response.end(JSON.stringify({ received: true })), this.#delayMs());
    });
  }

  static async listen(delayMs: () => number): Promise<EffectReceiver> {
    const receiver = new EffectReceiver(delayMs);
    receiver.#server.listen(0, "127.0.0.1");
    await once(receiver.#server, "listening");
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
  }

  get total(): number {
    return [...this.arrived.values()].reduce((sum, count) => sum + count, 0);
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
