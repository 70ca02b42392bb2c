import type { RemindedHold } from "../../holds/index.ts";
import type { HostTx } from "../../kernel/index.ts";
import type { ConversationFacts } from "../../people/facts.ts";
import { notify, type Recipients } from "./notify.ts";

/** The conversation that reminds, and whom it is open to. */
interface Reminding extends Pick<ConversationFacts, "key" | "visibility"> {
  isMember(principalId: string): boolean;
}

/** Tells those who may answer a card that its deadline is an hour away. Says nothing of what the call would do. */
export function remindByNotice(tx: HostTx, facts: Reminding, hold: RemindedHold, now: number): void {
  const text = `A call of ${hold.tool} waits for a decision and expires in an hour.`;
  const link = facts.key.startsWith("web:") ? `/chat/${facts.key.slice("web:".length)}` : null;
  notify(tx, { id: `hold:${hold.id}:reminder`, at: now, text, link }, askedBy(facts, hold));
}

/** As far as it is known without the directory: whether their press counts is decided when they press. */
function askedBy({ visibility, isMember }: Reminding, { speaker, approvers, approval }: RemindedHold): Recipients {
  const own = speaker ? [speaker.principalId].filter(isMember) : [];
  if (visibility === "private" || approval === "speaker") return { people: own, owners: false };
  return { people: approvers?.filter(isMember) ?? own, owners: true };
}
