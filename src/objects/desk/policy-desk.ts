import { POLICY, withConstraint, withoutConstraint } from "../../holds/index.ts";
import type { HostTx } from "../../kernel/index.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import type { Directory } from "../../people/directory.ts";
import type { Caller, PersonFacts } from "../../people/facts.ts";
import type { Action } from "../../people/may-act.ts";
import { isSame } from "../../people/other-ids.ts";
import type { ConstraintBody } from "../../protocol/rest.ts";
import type { Entrance } from "../conversation/entrance.ts";
import type { Life } from "../conversation/life.ts";
import type { Answer, ConversationRpc, Refusal } from "../rpc.ts";

/** The calls that say what becomes of calls to come. */
export type PolicyRpc = Pick<ConversationRpc, "constrain" | "unconstrain" | "revoke">;

type Changed = Result<Record<string, never>, Refusal>;
type Change = (tx: HostTx, life: Life, person: PersonFacts) => Changed;

/** The conversation's own policy, whoever changes it: checks the caller as every desk does, then does what was asked. */
export class PolicyDesk implements PolicyRpc {
  readonly #entrance: Entrance;
  readonly #directory: Directory;

  constructor(entrance: Entrance, directory: Directory) {
    this.#entrance = entrance;
    this.#directory = directory;
  }

  constrain(caller: Caller, body: ConstraintBody): Answer<Record<string, never>> {
    return this.#change(caller, "policy", (tx, { tools, holds }, person) => {
      const { constraints } = tx.get(POLICY);
      const next = withConstraint(constraints, body, { by: person, at: tx.now, tools });
      if (!next.ok) return next;
      if (next.value === constraints) return ok({});
      tx.set(POLICY, { constraints: next.value });
      holds.audit.tellPolicy(tx, "constraint_set", { rule: body.id, by: person });
      return ok({});
    });
  }

  unconstrain(caller: Caller, id: string): Answer<Record<string, never>> {
    return this.#change(caller, "policy", (tx, { holds }, person) => {
      const constraints = withoutConstraint(tx.get(POLICY).constraints, id);
      if (!constraints) return err({ code: "not_found", message: "There is no such constraint here." });
      tx.set(POLICY, { constraints });
      holds.audit.tellPolicy(tx, "constraint_removed", { rule: id, by: person });
      return ok({});
    });
  }

  /** Whoever allowed something may take it back, and so may whoever decides about the conversation's policy. */
  async revoke(caller: Caller, id: string): Answer<Record<string, never>> {
    const rule = this.#entrance
      .life()
      ?.kernel.get(POLICY)
      .allow.find((one) => one.id === id);
    const person = await this.#directory.read(caller);
    const isOwn = person.ok && isSame(person.value ?? caller, rule?.by.principalId);
    return await this.#change(caller, isOwn ? "decide" : "policy", (tx, { holds }, person) => {
      const { allow } = tx.get(POLICY);
      const left = allow.filter((one) => one.id !== id);
      if (left.length === allow.length) return err({ code: "not_found", message: "There is no such rule here." });
      tx.set(POLICY, { allow: left });
      holds.audit.tellPolicy(tx, "rule_revoked", { rule: id, by: person });
      return ok({});
    });
  }

  async #change(caller: Caller, action: Action, change: Change): Answer<Record<string, never>> {
    const entered = await this.#entrance.enter(caller, action);
    if (!entered.ok) return entered;
    const person = await this.#directory.read(caller);
    if (!person.ok) return person;
    if (!person.value) return err({ code: "unauthenticated", message: "Sign in to go on." });
    const facts = person.value;
    return entered.value.kernel.commit((tx) => change(tx, entered.value, facts));
  }
}
