import type { Letter } from "../../host/index.ts";
import type { DeliveryOutcome, OutboxRow } from "../../kernel/index.ts";
import type { PrincipalRpc } from "./principal-rpc.ts";

/** How notices reach people. */
export interface NoticePorts {
  /** Whether the conversation is open to a principal by itself, whatever their tier. */
  readonly isMember: (principalId: string) => boolean | Promise<boolean>;
  readonly owners: () => Promise<readonly string[]>;
  readonly principal: (id: string) => Pick<PrincipalRpc, "notify">;
}

/** Puts a notice into everybody's inbox. @throws when somebody's cannot be reached: then it comes again. */
export async function deliverNotice(
  row: OutboxRow,
  { isMember, owners, principal }: NoticePorts,
): Promise<DeliveryOutcome> {
  const { notice, to } = JSON.parse(row.payload) as Letter;
  const people = new Set<string>();
  for (const id of to.people) if (await isMember(id)) people.add(id);
  for (const id of to.owners ? await owners() : []) people.add(id);
  for (const id of people) await principal(id).notify(notice);
  return { status: "sent" };
}
