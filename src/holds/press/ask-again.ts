import { err, ok, type Result } from "../../lib/result.ts";
import type { AuditedHost, KnownPerson } from "../holds-host.ts";
import { type HoldsNamespace, holdNamed, putRecord } from "../record/hold-state.ts";
import type { HoldBase, HoldRecord } from "../record/record.ts";
import { lostText } from "../texts.ts";
import { GONE, type PressRefused, refusePress, UNKNOWN_HOLD } from "./press.ts";

/** The memo beside a call that is made again: what its card says of the one before. */
export const FOLLOWS = "follows";

type Answer = Result<Record<string, never>, PressRefused>;

/**
 * Makes the stored call of a card that expired or changed anew, outside of any turn: a fresh card comes of it, bound to what
 * would run now. The old one stays ended. Whoever could answer that may ask again. Asking twice asks once.
 * @throws when the directory cannot be read: nothing is asked.
 */
export async function askAgain(
  host: AuditedHost,
  namespace: HoldsNamespace,
  { hold, presser }: { readonly hold: string; readonly presser: KnownPerson },
): Promise<Answer> {
  const seen = holdNamed(host.read().get(namespace), hold);
  if (!seen) return err(UNKNOWN_HOLD);
  const refused = await refusePress(host, namespace, seen, presser);
  if (refused) return err(refused);
  let answer: Answer = err(UNKNOWN_HOLD);
  host.commit((tx) => {
    const state = tx.get(namespace);
    const record = holdNamed(state, hold);
    if (!record) return;
    const cannot = host.isHere(presser) ? whyNot(record, state.settled.includes(hold)) : GONE;
    answer = cannot ? err(cannot) : ok({});
    if (cannot || record.askedAgainAt !== undefined || !record.speaker) return;
    const { entry, index, speaker } = record;
    const task = tx.callAgain({ entry, index, actor: speaker.principalId, meta: null });
    const changes = record.status === "changed" ? record.changes : [];
    const follows: NonNullable<HoldBase["follows"]> = { hold, changes };
    tx.memo(namespace, task, FOLLOWS, { hold, changes: [...follows.changes] });
    putRecord(host, tx, namespace, { ...record, askedAgainAt: tx.now }, presser);
  });
  return answer;
}

function whyNot(record: HoldRecord, isSettled: boolean): PressRefused | undefined {
  if (record.status !== "expired" && record.status !== "changed") {
    return { code: "nothing_to_do", message: `Only what expired or changed is asked again. ${lostText(record)}` };
  }
  if (!record.speaker)
    return { code: "nothing_to_do", message: "Nobody asked for this call, so it is not made again." };
  return isSettled ? undefined : { code: "busy", message: "It ends just now. Ask again in a moment." };
}
