import { WITHDRAWALS } from "../../holds/index.ts";
import { BACKGROUND, MIRROR, NOTICES, SAY } from "../../host/index.ts";
import { CHILD_TARGET, type DeliveryOutcome, type OutboxRow } from "../../kernel/index.ts";
import type { ConversationFacts } from "../../people/facts.ts";
import { isOpenTo } from "../../people/may-act.ts";
import { readPrincipal } from "../../people/read-person.ts";
import type { Database } from "../../store/database.ts";
import { listOwnerIds } from "../../store/people.ts";
import type { OwnedDesk } from "../child/owned-desk.ts";
import { OWNER_TARGET } from "../child/owned-hooks.ts";
import type { OwnerDesk } from "../child/owner-desk.ts";
import type { BackgroundDesk } from "../desk/background-desk.ts";
import type { SayDesk } from "../desk/say-desk.ts";
import { deliverNotice } from "../principal/deliver-notice.ts";
import { principalOf } from "../principal/principal-rpc.ts";
import { SURFACE, type SurfaceLane } from "../surface/surface-lane.ts";
import { deleteUpload, UPLOADS } from "../transfer/bundle-origin.ts";
import { type HoldsMirror, standingCards } from "./holds-mirror.ts";
import type { Life } from "./life.ts";
import { sendMirror } from "./registry-mirror.ts";

/** Whom a conversation's outbox rows go to. */
export interface Receivers {
  readonly life: Life | undefined;
  readonly owners: Pick<OwnerDesk, "deliver">;
  readonly owned: Pick<OwnedDesk, "deliver">;
  readonly background: Pick<BackgroundDesk, "deliver">;
  readonly sayings: Pick<SayDesk, "deliver">;
  readonly mirror: HoldsMirror;
  readonly db: Database;
  readonly env: Pick<Env, "PRINCIPAL" | "FILES">;
  /** Undefined: no network is sent messages of this conversation. */
  lane(facts: ConversationFacts): SurfaceLane | undefined;
}

/** Delivers one outbox row. @throws when its receiver cannot be reached: then it comes again. */
export async function deliverRow(
  row: OutboxRow,
  { life, owners, owned, background, sayings, mirror, db, env, lane }: Receivers,
): Promise<DeliveryOutcome> {
  if (row.target === CHILD_TARGET) return await owners.deliver(row);
  if (row.target === OWNER_TARGET) return await owned.deliver(row);
  if (row.target === BACKGROUND) return await background.deliver(row);
  if (row.target === SAY) return await sayings.deliver(row);
  if (row.target === NOTICES && life) {
    const isMember = async (principalId: string) => {
      const person = await readPrincipal(db, principalId);
      return person !== undefined && isOpenTo(life.now(), { ...person, tier: "member" });
    };
    const principal = (id: string) => principalOf(env, id);
    return await deliverNotice(row, { isMember, owners: () => listOwnerIds(db), principal });
  }
  if (row.target === WITHDRAWALS && life) {
    life.holds.deliver(row);
    return { status: "sent" };
  }
  if (row.target === SURFACE && life) {
    return (await lane(life.facts)?.deliver(life)) ?? { status: "drop", error: "no network is sent this" };
  }
  if (row.target === UPLOADS && life) return await deleteUpload(env.FILES, life.facts.owner, row.payload);
  if (row.target !== MIRROR || !life) return { status: "drop", error: `nobody delivers to ${row.target}` };
  // What another conversation owns is in nobody's list.
  if (life.facts.owned) return { status: "sent" };
  const cards = standingCards(life);
  await sendMirror(db, life.kernel, life.now(), life.chat);
  await mirror.send(life, cards);
  return { status: "sent" };
}
