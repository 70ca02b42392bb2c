import { applyD1Migrations, env, reset } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { FRESH_SIGN_IN_MS } from "../../src/people/session-life.ts";
import type { Erasure, ErasurePreviewBody, ErasuresPage } from "../../src/protocol/erasures.ts";
import type { PeoplePage } from "../../src/protocol/people.ts";
import { erasures } from "../../src/store/erasures.ts";
import { peopleAudit } from "../../src/store/people-audit.ts";
import { principals } from "../../src/store/principals.ts";
import { type Edge, LOCAL, makeEdge, type Visitor } from "../kit/edge.ts";

let edge: Edge;
let owner: Visitor;

beforeEach(async () => {
  await reset();
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
  edge = makeEdge(env);
  owner = await edge.visitor("owner");
});

const API = `${LOCAL}/api/v1`;
const pathOf = ({ caller }: Visitor) => `${API}/people/${caller.principalId}/erase`;

async function preview(path: string, as = owner): Promise<ErasurePreviewBody> {
  return await (await edge.fetch(path, { as })).json<ErasurePreviewBody>();
}

/** The status, and the code where it is a refusal. */
async function erase(path: string, json: object, as = owner): Promise<string> {
  const answer = await edge.fetch(path, { method: "POST", as, json });
  const { error } = await answer.json<{ readonly error?: { readonly code: string } }>();
  return `${answer.status}${error ? ` ${error.code}` : ""}`;
}

const isErased = async ({ caller }: Visitor) =>
  (await edge.db.select().from(principals).where(eq(principals.id, caller.principalId)))[0]?.erasedAt !== null;

describe("erasing somebody", () => {
  it("[J-50] [V-100] an owner sees how much each store holds, and confirms just that", async () => {
    const ada = await edge.visitor();
    const shown = await preview(pathOf(ada));
    expect(shown.person).toEqual({ id: ada.caller.principalId, name: "Ada", tier: "member" });
    const counts = Object.fromEntries(shown.stores.map(({ store, found }) => [store, found]));
    expect(counts).toMatchObject({ identities: 1, sessions: 1, private_conversations: 0, notices: 0, wallet: 0 });
    expect(shown.keeps.length).toBeGreaterThan(0);
    expect(await isErased(ada)).toBe(false);
    expect(await erase(pathOf(ada), { digest: shown.digest })).toBe("202");
    expect(await isErased(ada)).toBe(true);
    expect((await edge.fetch(`${API}/me`, { as: ada })).status).toBe(401);
  });

  it("[J-50] under another digest, or once something has changed, nothing is erased", async () => {
    const ada = await edge.visitor();
    const { digest } = await preview(pathOf(ada));
    expect(await erase(pathOf(ada), { digest: "0".repeat(64) })).toBe("409 conflict");
    await edge.db.update(principals).set({ tier: "admin" }).where(eq(principals.id, ada.caller.principalId));
    expect(await erase(pathOf(ada), { digest })).toBe("409 conflict");
    expect(await isErased(ada)).toBe(false);
    expect(await edge.db.$count(peopleAudit)).toBe(0);
  });

  it("[V-100] without a digest, or with more than that, it is no request", async () => {
    const ada = await edge.visitor();
    const { digest } = await preview(pathOf(ada));
    for (const body of [{}, { digest: "short" }, { digest, sure: true }]) {
      expect(await erase(pathOf(ada), body)).toBe("400 bad_request");
    }
    expect(await isErased(ada)).toBe(false);
  });

  it.each(["member", "admin"] as const)("[V-100] is not for a person of tier %s, whoever is named", async (tier) => {
    const [ada, other] = [await edge.visitor(), await edge.visitor(tier)];
    for (const path of [pathOf(ada), `${API}/people/p_nobody/erase`]) {
      expect((await edge.fetch(path, { as: other })).status).toBe(403);
      expect(await erase(path, { digest: "0".repeat(64) }, other)).toBe("403 forbidden");
    }
    expect((await edge.fetch(`${API}/people/erasures`, { as: other })).status).toBe(403);
  });

  it("[J-51] the last owner, a configured one and nobody at all are not erased", async () => {
    expect((await edge.fetch(pathOf(owner), { as: owner })).status).toBe(403);
    const second = await edge.visitor("owner");
    await edge.db.update(principals).set({ configuredOwner: true }).where(eq(principals.id, second.caller.principalId));
    expect((await edge.fetch(pathOf(second), { as: owner })).status).toBe(403);
    expect((await edge.fetch(`${API}/people/p_nobody/erase`, { as: owner })).status).toBe(404);
    expect((await edge.fetch(pathOf(owner), { as: owner })).status).toBe(200);
  });

  it("[J-51] of whoever was erased nothing is changed any more", async () => {
    const ada = await edge.visitor();
    await erase(pathOf(ada), { digest: (await preview(pathOf(ada))).digest });
    expect((await edge.fetch(pathOf(ada), { as: owner })).status).toBe(409);
    const path = `${API}/people/${ada.caller.principalId}`;
    expect(await erase(`${path}/enable`, {})).toBe("409 conflict");
    expect(await erase(`${path}/tier`, { tier: "admin" })).toBe("409 conflict");
  });

  it("[V-101] owners read who was erased, in pages, and see it in the list of people", async () => {
    const people = [await edge.visitor(), await edge.visitor(), await edge.visitor()];
    for (const one of people) {
      edge.clock.time += 1_000;
      await erase(pathOf(one), { digest: (await preview(pathOf(one))).digest });
    }
    const begun = await edge.db.select().from(erasures);
    expect(begun).toHaveLength(3);
    const seen: Erasure[] = [];
    for (let before = ""; ; ) {
      const page = await (
        await edge.fetch(`${API}/people/erasures?limit=2${before && `&before=${before}`}`, { as: owner })
      ).json<ErasuresPage>();
      expect(page.names).toEqual({ [owner.caller.principalId]: "Ada" });
      seen.push(...page.erasures);
      if (page.next === undefined) break;
      before = page.next;
    }
    expect(seen.map(({ person }) => person).sort()).toEqual(people.map(({ caller }) => caller.principalId).sort());
    expect(seen.every(({ orderedBy }) => orderedBy === owner.caller.principalId)).toBe(true);
    const list = await (await edge.fetch(`${API}/people`, { as: owner })).json<PeoplePage>();
    expect(list.people.filter(({ erasedAt }) => erasedAt !== undefined).map(({ name }) => name)).toEqual(["", "", ""]);
  });
});

describe("erasing oneself", () => {
  it("[J-58] takes the digest of one's own preview and a sign-in of the last ten minutes", async () => {
    const ada = await edge.visitor();
    const { digest, person } = await preview(`${API}/me/erase`, ada);
    expect(person.id).toBe(ada.caller.principalId);
    expect(await erase(`${API}/me/erase`, { digest: "0".repeat(64) }, ada)).toBe("409 conflict");
    edge.clock.time += FRESH_SIGN_IN_MS;
    expect(await erase(`${API}/me/erase`, { digest }, ada)).toBe("202");
    expect(await isErased(ada)).toBe(true);
  });

  it("[J-58] is refused a millisecond later, and says what to do", async () => {
    const ada = await edge.visitor();
    const { digest } = await preview(`${API}/me/erase`, ada);
    edge.clock.time += FRESH_SIGN_IN_MS + 1;
    const answer = await edge.fetch(`${API}/me/erase`, { method: "POST", as: ada, json: { digest } });
    expect(answer.status).toBe(403);
    expect(await answer.text()).toContain("sign in again");
    expect(await isErased(ada)).toBe(false);
  });

  it("[J-51] [J-58] the only owner stays", async () => {
    expect((await edge.fetch(`${API}/me/erase`, { as: owner })).status).toBe(403);
  });
});
