import { applyD1Migrations, env, reset } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { identities } from "../../src/store/identities.ts";
import { peopleAudit } from "../../src/store/people-audit.ts";
import { principals } from "../../src/store/principals.ts";
import { sessions } from "../../src/store/sessions.ts";
import { addPerson, START } from "../kit/directory.ts";
import { type Edge, LOCAL, makeEdge, type Visitor } from "../kit/edge.ts";

const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;
let edge: Edge;
let owner: Visitor;

beforeEach(async () => {
  await reset();
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
  edge = makeEdge(env);
  owner = await edge.visitor("owner");
});

interface Page {
  readonly people: readonly {
    readonly id: string;
    readonly tier: string;
    readonly stale: boolean;
    readonly identities: readonly { readonly id: string }[];
  }[];
  readonly next?: string;
}

async function list(query = ""): Promise<Page> {
  return await (await edge.fetch(`${LOCAL}/api/v1/people${query}`, { as: owner })).json<Page>();
}

async function change(target: string, what: string, json: object = {}, as = owner): Promise<string> {
  const path = `${LOCAL}/api/v1/people/${encodeURIComponent(target)}/${what}`;
  const answer = await edge.fetch(path, { method: "POST", as, json });
  if (answer.status === 204) return "done";
  return (await answer.json<{ error: { code: string } }>()).error.code;
}

async function personOf(id: string) {
  const [row] = await edge.db.select().from(principals).where(eq(principals.id, id));
  return row;
}

async function meStatus(visitor: Visitor): Promise<number> {
  return (await edge.fetch(`${LOCAL}/api/v1/me`, { as: visitor })).status;
}

describe("the list of people", () => {
  it("[J-1] shows everybody with their identities", async () => {
    const ada = await edge.visitor("admin");
    await edge.db.insert(identities).values({
      id: "github:7",
      principalId: ada.caller.principalId,
      linkedAt: START + 1,
      display: "ada-l",
    });
    const { people } = await list();
    expect(people).toHaveLength(2);
    const shown = people.find(({ id }) => id === ada.caller.principalId);
    expect(shown).toEqual({
      id: ada.caller.principalId,
      name: "Ada",
      tier: "admin",
      createdAt: START,
      stale: true,
      identities: [
        { id: "github:7", display: "ada-l", linkedAt: START + 1 },
        { id: ada.caller.identity, display: "", linkedAt: START },
      ],
    });
  });

  it("[J-1] comes in pages that neither repeat nor leave out", async () => {
    for (let i = 0; i < 6; i++) await edge.visitor();
    const seen: string[] = [];
    let next: string | undefined;
    do {
      const page = await list(`?limit=3${next === undefined ? "" : `&before=${next}`}`);
      seen.push(...page.people.map(({ id }) => id));
      next = page.next;
    } while (next !== undefined);
    expect(seen).toHaveLength(7);
    expect(new Set(seen).size).toBe(7);
  });

  it("[J-1] a page has at most 100", async () => {
    expect((await edge.fetch(`${LOCAL}/api/v1/people?limit=100`, { as: owner })).status).toBe(200);
    expect((await edge.fetch(`${LOCAL}/api/v1/people?limit=101`, { as: owner })).status).toBe(400);
  });

  it("[J-2] being here is noted at most once an hour, for the person and the identity that was used", async () => {
    const ada = await edge.visitor();
    await edge.db.insert(identities).values({ id: "github:8", principalId: ada.caller.principalId, linkedAt: START });
    edge.clock.time = START + HOUR;
    await meStatus(ada);
    edge.clock.time = START + 2 * HOUR - 1;
    await meStatus(ada);
    expect((await personOf(ada.caller.principalId))?.lastSeenAt).toBe(START + HOUR);
    const known = await edge.db.select().from(identities).where(eq(identities.principalId, ada.caller.principalId));
    const seen = Object.fromEntries(known.map(({ id, lastSeenAt }) => [id, lastSeenAt]));
    expect(seen).toEqual({ "github:8": null, [ada.caller.identity]: START + HOUR });
  });

  it("[J-2] whoever was away for 90 days is stale", async () => {
    const ada = await addPerson(edge.db);
    await edge.db.update(principals).set({ lastSeenAt: START }).where(eq(principals.id, ada.principalId));
    const isStale = async () => (await list()).people.find(({ id }) => id === ada.principalId)?.stale;
    edge.clock.time = START + 90 * DAY - 1;
    owner = await edge.visitor("owner");
    expect(await isStale()).toBe(false);
    edge.clock.time = START + 90 * DAY;
    expect(await isStale()).toBe(true);
  });
});

describe("who manages people", () => {
  const paths = (target: string) =>
    [
      ["GET", "/api/v1/people"],
      ["GET", "/api/v1/people/audit"],
      ["POST", `/api/v1/people/${target}/tier`, { tier: "member" }],
      ["POST", `/api/v1/people/${target}/disable`, {}],
      ["POST", `/api/v1/people/${target}/enable`, {}],
      ["POST", `/api/v1/people/${target}/unlink`, { identity: "x:1" }],
    ] as const;

  it.each(["member", "admin"] as const)(
    "[J-3] a %s is refused alike whether or not the person exists",
    async (tier) => {
      const visitor = await edge.visitor(tier);
      const refusals = new Set<string>();
      for (const target of [owner.caller.principalId, visitor.caller.principalId, "p_nobody"]) {
        for (const [method, path, json] of paths(target)) {
          const answer = await edge.fetch(LOCAL + path, { method, as: visitor, ...(json && { json }) });
          expect(answer.status).toBe(403);
          refusals.add(await answer.text());
        }
      }
      expect(refusals.size).toBe(1);
      expect(await edge.db.$count(peopleAudit)).toBe(0);
    },
  );

  it("[J-3] an owner who was demoted or switched off is refused at once", async () => {
    const other = await edge.visitor("owner");
    expect(await change(other.caller.principalId, "tier", { tier: "admin" })).toBe("done");
    expect(await change(owner.caller.principalId, "disable", {}, other)).toBe("forbidden");
    expect(await change(other.caller.principalId, "disable")).toBe("done");
    expect(await change(owner.caller.principalId, "disable", {}, other)).toBe("unauthenticated");
  });
});

describe("changing a person", () => {
  it.each(["guest", "member", "admin"])("[J-4] an owner makes somebody %s", async (tier) => {
    const ada = await edge.visitor(tier === "member" ? "guest" : "member");
    expect(await change(ada.caller.principalId, "tier", { tier })).toBe("done");
    expect((await personOf(ada.caller.principalId))?.tier).toBe(tier);
  });

  it("[J-4] nobody becomes an owner in this way", async () => {
    const ada = await edge.visitor("admin");
    expect(await change(ada.caller.principalId, "tier", { tier: "owner" })).toBe("bad_request");
    expect((await personOf(ada.caller.principalId))?.tier).toBe("admin");
  });

  it("[J-5] switching off ends every session, switching on gives none back", async () => {
    const ada = await edge.visitor();
    const bob = await edge.visitor();
    expect(await meStatus(ada)).toBe(200);
    expect(await change(ada.caller.principalId, "disable")).toBe("done");
    expect(await meStatus(ada)).toBe(401);
    expect(await meStatus(bob)).toBe(200);
    expect(await change(ada.caller.principalId, "enable")).toBe("done");
    expect(await meStatus(ada)).toBe(401);
    expect((await personOf(ada.caller.principalId))?.disabledAt).toBeNull();
  });

  it("[J-5] what is so already changes nothing", async () => {
    const ada = await edge.visitor("member");
    expect(await change(ada.caller.principalId, "enable")).toBe("done");
    expect(await change(ada.caller.principalId, "tier", { tier: "member" })).toBe("done");
    expect(await change(ada.caller.principalId, "disable")).toBe("done");
    edge.clock.time += 5;
    expect(await change(ada.caller.principalId, "disable")).toBe("done");
    expect((await personOf(ada.caller.principalId))?.disabledAt).toBe(START);
    expect(await edge.db.$count(peopleAudit)).toBe(1);
  });

  it("[J-6] the last owner stays one", async () => {
    const { principalId, identity } = owner.caller;
    await edge.visitor("admin");
    for (const [what, json] of [
      ["tier", { tier: "admin" }],
      ["disable", {}],
      ["unlink", { identity }],
    ] as const) {
      expect(await change(principalId, what, json)).toBe("forbidden");
    }
    const other = await edge.visitor("owner");
    await edge.db.update(principals).set({ disabledAt: 1 }).where(eq(principals.id, other.caller.principalId));
    expect(await change(principalId, "disable")).toBe("forbidden");
    expect(await edge.db.$count(peopleAudit)).toBe(0);
  });

  it("[J-6] two owners who demote each other at one instant leave one", async () => {
    const other = await edge.visitor("owner");
    const outcomes = await Promise.all([
      change(other.caller.principalId, "tier", { tier: "member" }),
      change(owner.caller.principalId, "tier", { tier: "member" }, other),
    ]);
    expect(outcomes.filter((outcome) => outcome === "done")).toHaveLength(1);
    expect(await edge.db.$count(principals, eq(principals.tier, "owner"))).toBe(1);
  });

  it("[J-7] unlinking ends the sessions of that identity and no others", async () => {
    const ada = await edge.visitor();
    const { principalId } = ada.caller;
    await edge.db.insert(identities).values({ id: "github:9", principalId, linkedAt: START });
    const hash = "b".repeat(64);
    const session = { hash, principalId, identity: "github:9", createdAt: START, lastSeenAt: START };
    await edge.db.insert(sessions).values(session);
    expect(await change(principalId, "unlink", { identity: "github:9" })).toBe("done");
    const [ended] = await edge.db.select().from(sessions).where(eq(sessions.hash, hash));
    expect(ended?.revokedAt).toBe(START);
    expect(await meStatus(ada)).toBe(200);
    expect(await change(principalId, "unlink", { identity: "github:9" })).toBe("not_found");
  });

  it("[J-7] an identity of somebody else is not this person's to lose", async () => {
    const [ada, bob] = [await edge.visitor(), await edge.visitor()];
    expect(await change(ada.caller.principalId, "unlink", { identity: bob.caller.identity })).toBe("not_found");
    expect(await meStatus(bob)).toBe(200);
  });

  it("[J-3] a person who does not exist is not found, for owners", async () => {
    expect(await change("p_nobody", "disable")).toBe("not_found");
  });
});

describe("the audit", () => {
  it("[J-9] [V-82] has one line for each change: who, what, about whom, when, from what to what", async () => {
    const ada = await edge.visitor("member");
    const target = ada.caller.principalId;
    await change(target, "tier", { tier: "admin" });
    edge.clock.time += 1;
    await change(target, "disable");
    await change("p_nobody", "disable");
    const answer = await edge.fetch(`${LOCAL}/api/v1/people/audit`, { as: owner });
    const actor = owner.caller.principalId;
    const named = { id: expect.any(String) as string, actor, actorName: "Ada", target, targetName: "Ada" };
    expect(await answer.json()).toEqual({
      lines: [
        { ...named, at: START + 1, action: "disable", detail: {} },
        { ...named, at: START, action: "tier", detail: { from: "member", to: "admin" } },
      ],
    });
  });

  it("[J-9] comes in pages, newest first, also when lines share an instant", async () => {
    const ada = await edge.visitor("guest");
    const tiers = ["member", "admin", "guest", "member", "admin"];
    for (const tier of tiers) await change(ada.caller.principalId, "tier", { tier });
    const seen = new Set<string>();
    let next: string | undefined;
    do {
      const query = `?limit=2${next === undefined ? "" : `&before=${next}`}`;
      const answer = await edge.fetch(`${LOCAL}/api/v1/people/audit${query}`, { as: owner });
      const page = await answer.json<{ lines: { id: string }[]; next?: string }>();
      for (const { id } of page.lines) seen.add(id);
      next = page.next;
    } while (next !== undefined);
    expect(seen.size).toBe(5);
  });

  it("[V-82] a line of whoever is no person here has no name", async () => {
    const at = { at: START, action: "tier", target: "p_gone", detail: {} };
    await edge.db.insert(peopleAudit).values({ ...at, id: "01ARZ3NDEKTSV4RRFFQ69G5FAV", actor: "configuration" });
    const answer = await edge.fetch(`${LOCAL}/api/v1/people/audit?limit=1`, { as: owner });
    const [line] = (await answer.json<{ lines: object[] }>()).lines;
    expect(line).toEqual({ ...at, id: "01ARZ3NDEKTSV4RRFFQ69G5FAV", actor: "configuration" });
  });

  it("[J-9] a line is neither changed nor deleted", async () => {
    const ada = await edge.visitor("guest");
    await change(ada.caller.principalId, "disable");
    await expect(env.DB.prepare("update people_audit set actor = 'x'").run()).rejects.toThrow("append-only");
    await expect(env.DB.prepare("delete from people_audit").run()).rejects.toThrow("append-only");
    expect(await edge.db.$count(peopleAudit)).toBe(1);
  });
});
