import type { ConstraintBody } from "../../../src/protocol/rest.ts";
import type { Ports } from "./ports.ts";

/** What a person decides about a conversation's calls to come. What changes comes back as a commit. */
export class Policy {
  readonly #id: string;
  readonly #ports: Pick<Ports, "rest" | "uuid">;
  /** The constraint that was asked for and is not known to be set: asked again, it goes out under the same id. */
  #pending: { readonly id: string; readonly wish: string } | undefined;

  constructor(id: string, ports: Pick<Ports, "rest" | "uuid">) {
    this.#id = id;
    this.#ports = ports;
  }

  /** @returns the refusal, in the server's words. */
  async constrain(wish: Omit<ConstraintBody, "id">): Promise<string | undefined> {
    const words = JSON.stringify(wish);
    if (this.#pending?.wish !== words) this.#pending = { id: this.#ports.uuid(), wish: words };
    const reply = await this.#ports.rest.constrain(this.#id, { id: this.#pending.id, ...wish });
    if (!reply.ok) return reply.error.message;
    this.#pending = undefined;
    return undefined;
  }

  async unconstrain(constraint: string): Promise<string | undefined> {
    const reply = await this.#ports.rest.unconstrain(this.#id, constraint);
    return reply.ok ? undefined : reply.error.message;
  }

  async revoke(rule: string): Promise<string | undefined> {
    const reply = await this.#ports.rest.revoke(this.#id, rule);
    return reply.ok ? undefined : reply.error.message;
  }
}
