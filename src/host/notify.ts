import type { HostTx } from "../kernel/index.ts";
import type { Json } from "../lib/json.ts";
import type { NoticeDraft } from "../protocol/notices.ts";

/** Outbox target of notices. */
export const NOTICES = "notices";

/** Who gets a notice: people by principal, as far as the conversation is open to them then, and all owners of the deployment. */
export interface Recipients {
  readonly people: readonly string[];
  readonly owners: boolean;
}

/** A notice as it lies in the outbox. */
export type Letter = { readonly notice: NoticeDraft; readonly to: Recipients };

/** Sends a notice after the commit, at least once; everybody has it once, under its id. */
export function notify(tx: HostTx, notice: NoticeDraft, to: Recipients): void {
  const letter: Letter = { notice, to };
  tx.send({ key: `${NOTICES}:${notice.id}`, target: NOTICES, payload: letter as unknown as Json });
}

/** Where a conversation is on the page; null: it is on another surface. */
export function linkTo(key: string): string | null {
  return key.startsWith("web:") ? `/chat/${key.slice("web:".length)}` : null;
}
