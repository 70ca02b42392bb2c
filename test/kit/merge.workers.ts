import { env, runDurableObjectAlarm } from "cloudflare:test";
import { eq } from "drizzle-orm";
import type { MergeOrder } from "../../src/objects/principal/merge-rpc.ts";
import { type PrincipalRpc, principalOf } from "../../src/objects/principal/principal-rpc.ts";
import type { Caller, Tier } from "../../src/people/facts.ts";
import { openDatabase } from "../../src/store/database.ts";
import { formerIds } from "../../src/store/former-ids.ts";
import { sessions } from "../../src/store/sessions.ts";
import { fresh, randomHash } from "./directory.ts";
import type { Talk } from "./talk.workers.ts";
import { until } from "./until.ts";

/** A person's own object. */
export const personOf = ({ caller }: Pick<Talk, "caller">): PrincipalRpc => principalOf(env, caller.principalId);

/** The order that makes a person one with somebody else. @param tiers of the two. */
export function mergeOrder(
  by: Talk,
  person: Talk,
  into: Talk,
  tiers: readonly [Tier, Tier] = ["member", "member"],
): MergeOrder {
  const [of, survivor] = tiers;
  return {
    id: fresh("m"),
    person: person.caller.principalId,
    into: into.caller.principalId,
    by: by.caller.principalId,
    seen: { person: of, survivor },
  };
}

/** Makes a person one with somebody else. */
export const merge = (...how: Parameters<typeof mergeOrder>) => personOf(how[1]).merge(mergeOrder(...how));

/** The row of a former id. */
export async function formerRow({ caller }: Talk) {
  const [row] = await openDatabase(env.DB).select().from(formerIds).where(eq(formerIds.former, caller.principalId));
  return row;
}

/** Lets a merge run to its end. */
export async function finishMerge(person: Talk): Promise<void> {
  await until(async () => {
    await runDurableObjectAlarm(env.PRINCIPAL.getByName(person.caller.principalId));
    return typeof (await formerRow(person))?.finishedAt === "number";
  }, "everything to be moved");
}

/** The same person with a session that no object has judged before. */
export async function withNewSession({ caller }: Pick<Talk, "caller">): Promise<Caller> {
  const { principalId, identity } = caller;
  const sessionHash = randomHash();
  const now = Date.now();
  await openDatabase(env.DB)
    .insert(sessions)
    .values({ hash: sessionHash, principalId, identity, createdAt: now, lastSeenAt: now });
  return { ...caller, sessionHash };
}
