import { ok } from "../../lib/result.ts";
import type { Caller } from "../../people/facts.ts";
import { MAX_PAGE_ENTRIES } from "../../protocol/limits.ts";
import type { Entrance } from "../conversation/entrance.ts";
import type { ConversationRpc } from "../rpc.ts";

/** The calls that read what was decided here. */
export type AuditRpc = Pick<ConversationRpc, "audit">;

/** The conversation's audit for whoever may read it: in a private one its person, in a shared one owners. */
export class AuditDesk implements AuditRpc {
  readonly #entrance: Entrance;

  constructor(entrance: Entrance) {
    this.#entrance = entrance;
  }

  async audit(caller: Caller, page: Parameters<AuditRpc["audit"]>[1]): ReturnType<AuditRpc["audit"]> {
    const entered = await this.#entrance.enter(caller, "audit");
    if (!entered.ok) return entered;
    const limit = Math.max(1, Math.min(MAX_PAGE_ENTRIES, page.limit));
    return ok(entered.value.holds.audit.page(page.after, limit));
  }
}
