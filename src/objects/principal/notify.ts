import type { DeliveryOutcome, HostTx, OutboxRow } from "../../kernel/index.ts";
import type { Json } from "../../lib/json.ts";
import type { NoticeDraft, PrincipalRpc } from "./principal-rpc.ts";

/** Outbox target of notices. */
export const NOTICES = "notices";

/** Who gets a notice: people by principal, and all owners of the deployment. */
export interface Recipients {
  readonly people: readonly string[];
  readonly owners: boolean;
}

/** How notices reach people. */
export interface NoticePorts {
  readonly owners: () => Promise<readonly string[]>;
  readonly principal: (id: string) => Pick<PrincipalRpc, "notify">;
}

type Letter = { readonly notice: NoticeDraft; readonly to: Recipients };

/** Sends a notice after the commit, at least once; everybody has it once, under its id. */
export function notify(tx: HostTx, notice: NoticeDraft, to: Recipients): void {
  const letter: Letter = { notice, to };
  tx.send({ key: `${NOTICES}:${notice.id}`, target: NOTICES, payload: letter as unknown as Json });
}

/** Puts a notice into everybody's inbox. @throws when somebody's cannot be reached: then it comes again. */
export async function deliverNotice(row: OutboxRow, { owners, principal }: NoticePorts): Promise<DeliveryOutcome> {
  const { notice, to } = JSON.parse(row.payload) as Letter;
  const people = new Set([...to.people, ...(to.owners ? await owners() : [])]);
  for (const id of people) await principal(id).notify(notice);
  return { status: "sent" };
}
