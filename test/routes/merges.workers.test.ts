import { applyD1Migrations, env, reset, runDurableObjectAlarm } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { OWNER_IDENTITY } from "../../src/auth/owner-code.ts";
import { principalOf } from "../../src/objects/principal/principal-rpc.ts";
import type { MergePreviewBody } from "../../src/protocol/merges.ts";
import type { AuditPage, PeoplePage } from "../../src/protocol/people.ts";
import { mirrorConversation } from "../../src/store/conversations.ts";
import { formerIds } from "../../src/store/former-ids.ts";
import { identities } from "../../src/store/identities.ts";
import { mirrorCards } from "../../src/store/open-cards.ts";
import { peopleAudit } from "../../src/store/people-audit.ts";
import { principals } from "../../src/store/principals.ts";
import { type Edge, LOCAL, makeEdge, type Visitor } from "../kit/edge.ts";
import { until } from "../kit/until.ts";

let edge: Edge;
let owner: Visitor;

beforeEach(async () => {
  await reset();
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
  edge = makeEdge(env, { config: { people: { owners: ["oidc:named"] } } });
  owner = await edge.visitor("owner");
});

const API = `${LOCAL}/api/v1`;
const idOf = ({ caller }: Visitor) => caller.principalId;
const pathOf = (person: Visitor) => `${API}/people/${idOf(person)}/merge`;
const look = (person: Visitor, into: Visitor, as = owner) => edge.fetch(`${pathOf(person)}?into=${idOf(into)}`, { as });
const preview = async (person: Visitor, into: Visitor) => await (await look(person, into)).json<MergePreviewBody>();

/** The status, and the code where it is a refusal. */
async function post(path: string, json: object, as = owner): Promise<string> {
  const answer = await edge.fetch(path, { method: "POST", as, json });
  const { error } = await answer.json<{ readonly error?: { readonly code: string } }>();
  return `${answer.status}${error ? ` ${error.code}` : ""}`;
}

const merge = async (person: Visitor, into: Visitor) =>
  post(pathOf(person), { into: idOf(into), digest: (await preview(person, into)).digest });

async function pair() {
  return { ada: await edge.visitor(), bob: await edge.visitor("admin") };
}

describe("making two people one", () => {
  it("[J-76] [V-120] an owner sees how much each store holds, what becomes of it, and confirms just that", async () => {
    const { ada, bob } = await pair();
    await principalOf(env, idOf(bob)).notify({ id: "n", at: 1, text: "Hi", link: null });
    const shown = await preview(bob, ada);
    expect(shown.person).toMatchObject({ id: idOf(bob), tier: "admin" });
    expect(shown.into).toMatchObject({ id: idOf(ada), tier: "member" });
    const counts = Object.fromEntries(shown.stores.map(({ store, found }) => [store, found]));
    expect(counts).toMatchObject({ identities: 1, sessions: 1, private_conversations: 0, notices: 1, wallet: 0 });
    expect(shown.becomes[0]).toContain("cannot be undone");
    expect(await edge.db.$count(formerIds)).toBe(0);
    expect(await merge(bob, ada)).toBe("202");
    expect((await edge.fetch(`${API}/me`, { as: bob })).status).toBe(401);
    expect((await edge.fetch(`${API}/me`, { as: ada })).status).toBe(200);
  });

  it("[J-76] [V-121] under another digest, or once something has changed, nothing is done and the newer preview is the answer", async () => {
    const { ada, bob } = await pair();
    const { digest } = await preview(bob, ada);
    expect(await post(pathOf(bob), { into: idOf(ada), digest: "0".repeat(64) })).toBe("409 conflict");
    expect(await post(pathOf(ada), { into: idOf(bob), digest })).toBe("409 conflict");
    await edge.db
      .update(principals)
      .set({ tier: "member" })
      .where(eq(principals.id, idOf(bob)));
    const answer = await edge.fetch(pathOf(bob), { method: "POST", as: owner, json: { into: idOf(ada), digest } });
    expect(answer.status).toBe(409);
    const newer = await answer.json<{ readonly preview: MergePreviewBody }>();
    expect(newer.preview).toEqual(await preview(bob, ada));
    expect(await edge.db.$count(formerIds)).toBe(0);
    expect(await post(pathOf(bob), { into: idOf(ada), digest: newer.preview.digest })).toBe("202");
  });

  it("[V-120] without one of both, or with more than that, it is no request", async () => {
    const { ada, bob } = await pair();
    const { digest } = await preview(bob, ada);
    for (const body of [{}, { into: idOf(ada) }, { digest }, { into: idOf(ada), digest, sure: true }]) {
      expect(await post(pathOf(bob), body)).toBe("400 bad_request");
    }
    expect((await edge.fetch(pathOf(bob), { as: owner })).status).toBe(400);
    expect(await edge.db.$count(formerIds)).toBe(0);
  });

  it.each(["member", "admin"] as const)("[V-120] is not for a person of tier %s, whoever is named", async (tier) => {
    const { ada, bob } = await pair();
    const other = await edge.visitor(tier);
    expect((await look(bob, ada, other)).status).toBe(403);
    const body = { into: idOf(ada), digest: "0".repeat(64) };
    for (const path of [pathOf(bob), `${API}/people/p_nobody/merge`]) {
      expect(await post(path, body, other)).toBe("403 forbidden");
    }
  });

  it("[J-62] nobody unknown, no former, none whom the configuration or a code makes an owner", async () => {
    const { ada, bob } = await pair();
    expect((await edge.fetch(`${API}/people/p_nobody/merge?into=${idOf(ada)}`, { as: owner })).status).toBe(404);
    expect((await edge.fetch(`${pathOf(bob)}?into=p_nobody`, { as: owner })).status).toBe(404);
    expect((await look(bob, bob)).status).toBe(400);
    expect((await look(owner, ada)).status).toBe(403);
    for (const id of ["oidc:named", OWNER_IDENTITY]) {
      await edge.db.insert(identities).values({ id, principalId: idOf(bob), linkedAt: 1 });
      expect((await look(bob, ada)).status).toBe(403);
      await edge.db.delete(identities).where(eq(identities.id, id));
    }
    expect(await merge(bob, ada)).toBe("202");
    expect((await look(bob, ada)).status).toBe(409);
    expect((await look(owner, bob)).status).toBe(409);
  });

  it("[J-70] of a former nothing is changed any more, nor are they erased, and no survivor while things move", async () => {
    const { ada, bob } = await pair();
    expect(await merge(bob, ada)).toBe("202");
    const path = `${API}/people/${idOf(bob)}`;
    expect(await post(`${path}/enable`, {})).toBe("409 conflict");
    expect(await post(`${path}/tier`, { tier: "admin" })).toBe("409 conflict");
    expect((await edge.fetch(`${path}/erase`, { as: owner })).status).toBe(409);
    await edge.db.update(formerIds).set({ finishedAt: null });
    expect((await edge.fetch(`${API}/people/${idOf(ada)}/erase`, { as: owner })).status).toBe(409);
    await edge.db.update(formerIds).set({ finishedAt: 1 });
    expect((await edge.fetch(`${API}/people/${idOf(ada)}/erase`, { as: owner })).status).toBe(200);
  });

  it("[V-123] whoever stays hears of their former ids, and nobody else of any", async () => {
    const { ada, bob } = await pair();
    const formerly = async (as: Visitor) =>
      (await (await edge.fetch(`${API}/me`, { as })).json<{ principal: { formerly?: string[] } }>()).principal.formerly;
    expect(await formerly(ada)).toBeUndefined();
    expect(await merge(bob, ada)).toBe("202");
    expect(await formerly(ada)).toEqual([idOf(bob)]);
    expect(await formerly(owner)).toBeUndefined();
  });

  it("[J-78] [V-122] owners see who a former is now, and in the audit who both are", async () => {
    const { ada, bob } = await pair();
    await edge.db
      .update(principals)
      .set({ name: "Bob" })
      .where(eq(principals.id, idOf(bob)));
    expect(await merge(bob, ada)).toBe("202");
    await until(async () => {
      await runDurableObjectAlarm(env.PRINCIPAL.getByName(idOf(bob)));
      return (await edge.db.select().from(formerIds))[0]?.finishedAt !== null;
    }, "everything to be moved");
    const { people } = await (await edge.fetch(`${API}/people`, { as: owner })).json<PeoplePage>();
    const row = people.find(({ id }) => id === idOf(bob));
    expect(row?.mergedInto).toEqual({
      id: idOf(ada),
      name: "Ada",
      at: expect.any(Number) as number,
      finishedAt: expect.any(Number) as number,
    });
    expect(people.find(({ id }) => id === idOf(ada))?.identities).toHaveLength(2);
    const { lines } = await (await edge.fetch(`${API}/people/audit`, { as: owner })).json<AuditPage>();
    expect(lines).toMatchObject([{ action: "merge", target: idOf(bob), targetName: "Bob", intoName: "Ada" }]);
    expect(await edge.db.$count(peopleAudit)).toBe(1);
  });
});

describe("what waits for somebody who was two", () => {
  it("[J-65] [J-66] the former's cards are in their list, as far as the lower tier goes", async () => {
    const { ada, bob } = await pair();
    await edge.db
      .update(principals)
      .set({ tier: "member" })
      .where(eq(principals.id, idOf(bob)));
    await edge.db
      .update(principals)
      .set({ tier: "admin" })
      .where(eq(principals.id, idOf(ada)));
    const key = `web:${crypto.randomUUID()}`;
    const facts = {
      key,
      id: key.slice(4),
      owner: idOf(bob),
      visibility: "private",
      title: "",
      createdAt: 1,
      updatedAt: 1,
    };
    await mirrorConversation(edge.db, { ...facts, state: "waiting", usage: {}, rev: 1 } as never);
    const card = {
      conversation: key,
      digest: "a".repeat(64),
      tool: "send_webhook",
      action: "POST",
      askedBy: idOf(bob),
      askedAt: 1,
      deadline: edge.clock.now() + 1_000,
      approvers: null,
      approval: null,
      reader: idOf(bob),
      kind: "approval",
    } as const;
    await mirrorCards(edge.db, key, 1, [
      { ...card, hold: "h1", minTier: "member" },
      { ...card, hold: "h2", minTier: "admin" },
    ]);
    const waiting = async () =>
      (await (await edge.fetch(`${API}/waiting`, { as: ada })).json<{ cards: { hold: string; askedBy: string }[] }>())
        .cards;
    expect(await waiting()).toEqual([]);
    expect(await merge(bob, ada)).toBe("202");
    expect(await waiting()).toMatchObject([{ hold: "h1", askedBy: "Ada" }]);
  });
});
