import { POLICY, withConstraint, withoutConstraint } from "../holds/index.ts";
import { err, ok } from "../lib/result.ts";
import type { Directory } from "../people/directory.ts";
import type { Caller } from "../people/facts.ts";
import type { ConstraintBody } from "../protocol/rest.ts";
import type { Entrance } from "./entrance.ts";
import type { Answer, ConversationRpc } from "./rpc.ts";

/** The calls that say what becomes of calls to come. */
export type PolicyRpc = Pick<ConversationRpc, "constrain" | "unconstrain">;

/** The conversation's own policy, whoever changes it: checks the caller as every desk does, then does what was asked. */
export class PolicyDesk implements PolicyRpc {
  readonly #entrance: Entrance;
  readonly #directory: Directory;

  constructor(entrance: Entrance, directory: Directory) {
    this.#entrance = entrance;
    this.#directory = directory;
  }

  async constrain(caller: Caller, body: ConstraintBody): Answer<Record<string, never>> {
    const entered = await this.#entrance.enter(caller, "policy");
    if (!entered.ok) return entered;
    const person = await this.#directory.read(caller);
    if (!person.ok) return person;
    const { kernel, tools } = entered.value;
    const by = { principalId: caller.principalId, name: person.value?.name ?? "" };
    return kernel.commit((tx) => {
      const constraints = withConstraint(tx.get(POLICY).constraints, body, { by, at: tx.now, tools });
      if (!constraints.ok) return constraints;
      tx.set(POLICY, { constraints: constraints.value });
      return ok({});
    });
  }

  async unconstrain(caller: Caller, id: string): Answer<Record<string, never>> {
    const entered = await this.#entrance.enter(caller, "policy");
    if (!entered.ok) return entered;
    return entered.value.kernel.commit((tx) => {
      const constraints = withoutConstraint(tx.get(POLICY).constraints, id);
      if (!constraints) return err({ code: "not_found", message: "There is no such constraint here." });
      tx.set(POLICY, { constraints });
      return ok({});
    });
  }
}
