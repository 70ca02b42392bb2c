import type { RemindedHold } from "../../holds/index.ts";
import { linkTo, notify, type Recipients } from "../../host/index.ts";
import type { HostTx } from "../../kernel/index.ts";
import type { ConversationFacts } from "../../people/facts.ts";

/** The conversation that reminds. */
type Reminding = Pick<ConversationFacts, "key" | "visibility">;

/** Tells those who may answer a card that its deadline is an hour away. Says nothing of what the call would do. */
export function remindByNotice(tx: HostTx, facts: Reminding, hold: RemindedHold, now: number): void {
  const text = `A call of ${hold.tool} waits for a decision and expires in an hour.`;
  notify(tx, { id: `hold:${hold.id}:reminder`, at: now, text, link: linkTo(facts.key) }, askedBy(facts, hold));
}

/** As far as it is known without the directory: whether their press counts is decided when they press. */
function askedBy({ visibility }: Reminding, { speaker, approvers, approval }: RemindedHold): Recipients {
  const own = speaker ? [speaker.principalId] : [];
  if (visibility === "private" || approval === "speaker") return { people: own, owners: false };
  return { people: approvers ?? own, owners: true };
}
