import { applyD1Migrations, env, reset } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { issueLinkCode } from "../../src/auth/link-code.ts";
import { identities } from "../../src/store/identities.ts";
import { linkCodes } from "../../src/store/link-codes.ts";
import { peopleAudit } from "../../src/store/people-audit.ts";
import { addPerson, START } from "../kit/directory.ts";
import { type Edge, LOCAL, makeEdge, type Visitor } from "../kit/edge.ts";

const MINUTE = 60_000;
const HERON = { id: "discord:4242", display: "heron" };
let edge: Edge;
let ada: Visitor;

beforeEach(async () => {
  await reset();
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
  edge = makeEdge(env);
  ada = await edge.visitor("member");
});

async function issue(identity = HERON): Promise<string> {
  const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes);
  return await issueLinkCode({ db: edge.db, now: edge.clock.now(), random }, identity);
}

async function post(path: string, json: object, as: Visitor): Promise<Response> {
  return await edge.fetch(`${LOCAL}/api/v1/me/${path}`, { method: "POST", as, json });
}

async function preview(code: string, as = ada): Promise<string> {
  const answer = await post("link-codes", { code }, as);
  const body = await answer.json<{ identity?: { id: string }; error?: { code: string } }>();
  return body.identity?.id ?? body.error?.code ?? "";
}

async function confirm(code: string, identity = HERON.id, as = ada): Promise<string> {
  const answer = await post("link-codes/confirm", { code, identity }, as);
  return answer.status === 204 ? "done" : (await answer.json<{ error: { code: string } }>()).error.code;
}

async function ownersOf(id: string): Promise<string[]> {
  return (await edge.db.select().from(identities).where(eq(identities.id, id))).map(({ principalId }) => principalId);
}

describe("a link code", () => {
  it("[J-11] has 8 characters and stands nowhere in the database", async () => {
    const code = await issue();
    expect(code).toMatch(/^[0-9a-hjkmnp-tv-z]{8}$/);
    expect(JSON.stringify(await edge.db.select().from(linkCodes))).not.toContain(code);
  });

  it("[J-11] is good until 10 minutes have passed, and once", async () => {
    const code = await issue();
    edge.clock.time = START + 10 * MINUTE - 1;
    expect(await preview(code)).toBe(HERON.id);
    edge.clock.time = START + 10 * MINUTE;
    expect(await preview(code)).toBe("not_found");
    expect(await confirm(code)).toBe("not_found");
    const other = await issue();
    expect(await confirm(other)).toBe("done");
    expect(await confirm(other)).toBe("not_found");
  });

  it("[J-11] takes the place of the one before, and expired ones of others go", async () => {
    const first = await issue();
    const second = await issue();
    expect(await preview(first)).toBe("not_found");
    expect(await preview(second)).toBe(HERON.id);
    edge.clock.time = START + 10 * MINUTE;
    await issue({ id: "discord:1", display: "" });
    expect(await edge.db.$count(linkCodes)).toBe(1);
  });

  it("[J-12] names both sides and links nothing by itself", async () => {
    const answer = await post("link-codes", { code: (await issue()).toUpperCase() }, ada);
    expect(await answer.json()).toEqual({ identity: HERON, to: { name: "Ada", identity: ada.caller.identity } });
    expect(await ownersOf(HERON.id)).toEqual([]);
  });

  it("[J-12] links what was named, with a line of audit", async () => {
    expect(await confirm(await issue())).toBe("done");
    expect(await ownersOf(HERON.id)).toEqual([ada.caller.principalId]);
    const target = ada.caller.principalId;
    const lines = await edge.db.select().from(peopleAudit);
    expect(lines).toMatchObject([{ actor: target, target, action: "link", detail: { identity: HERON.id } }]);
  });

  it("[J-12] links nothing when another identity was named", async () => {
    const code = await issue();
    expect(await confirm(code, "discord:4243")).toBe("conflict");
    expect(await ownersOf(HERON.id)).toEqual([]);
    expect(await confirm(code)).toBe("done");
  });

  it("[J-12] of two confirmations one wins", async () => {
    const code = await issue();
    const bob = await edge.visitor("member");
    const outcomes = await Promise.all([confirm(code), confirm(code, HERON.id, bob)]);
    expect(outcomes.filter((outcome) => outcome === "done")).toHaveLength(1);
    expect(await ownersOf(HERON.id)).toHaveLength(1);
    expect(await edge.db.$count(peopleAudit)).toBe(1);
  });

  it("[J-13] the eleventh try in a minute is refused, the right code included, for this person alone", async () => {
    const code = await issue();
    for (let i = 0; i < 5; i++) expect(await preview(`guess${i}`)).toBe("not_found");
    for (let i = 0; i < 5; i++) expect(await confirm(`guess${i}`)).toBe("not_found");
    expect(await preview(code)).toBe("rate_limited");
    expect(await confirm(code)).toBe("rate_limited");
    expect(await preview(code, await edge.visitor())).toBe(HERON.id);
    edge.clock.time += MINUTE;
    expect(await preview(code)).toBe(HERON.id);
  });

  it("[J-13] wrong, spent and expired codes are refused alike", async () => {
    const spent = await issue();
    await confirm(spent);
    const expired = await issue({ id: "discord:1", display: "" });
    edge.clock.time += 10 * MINUTE;
    const answers = await Promise.all(["wrong", spent, expired].map((code) => post("link-codes", { code }, ada)));
    expect(new Set(await Promise.all(answers.map((answer) => answer.text()))).size).toBe(1);
  });

  it("[J-14] never moves an identity that belongs to somebody, and does not say to whom", async () => {
    const bob = await addPerson(edge.db, { name: "Bob" });
    const code = await issue({ id: bob.identity, display: "bob" });
    const answer = await post("link-codes", { code }, ada);
    expect(answer.status).toBe(409);
    const text = await answer.text();
    expect(text).not.toContain("Bob");
    expect(text).not.toContain(bob.principalId);
    expect(await confirm(code, bob.identity)).toBe("conflict");
    expect(await ownersOf(bob.identity)).toEqual([bob.principalId]);
  });

  it("[J-14] a person has ten identities and not eleven", async () => {
    for (let i = 0; i < 9; i++) {
      edge.clock.time += MINUTE;
      const id = `discord:${i}`;
      expect(await confirm(await issue({ id, display: "" }), id)).toBe("done");
    }
    edge.clock.time += MINUTE;
    expect(await confirm(await issue())).toBe("forbidden");
    expect(await edge.db.$count(identities, eq(identities.principalId, ada.caller.principalId))).toBe(10);
  });

  it("[J-15] an equal name joins nobody", async () => {
    const twin = await addPerson(edge.db, { name: "Ada" });
    await confirm(await issue({ id: "discord:9", display: "Ada" }), "discord:9");
    expect(await edge.db.$count(identities, eq(identities.principalId, twin.principalId))).toBe(1);
    expect(await ownersOf("discord:9")).toEqual([ada.caller.principalId]);
  });
});

describe("one's own identities", () => {
  interface Own {
    readonly identities: readonly { readonly id: string; readonly current: boolean }[];
  }

  async function own(as = ada): Promise<Own> {
    return await (await edge.fetch(`${LOCAL}/api/v1/me/identities`, { as })).json<Own>();
  }

  async function unlink(identity: string, as = ada): Promise<number> {
    return (await post("identities/unlink", { identity }, as)).status;
  }

  it("[J-10] a person reads their own and nobody else's", async () => {
    await edge.visitor();
    await confirm(await issue());
    const { identities: shown } = await own();
    expect(Object.fromEntries(shown.map(({ id, current }) => [id, current]))).toEqual({
      [HERON.id]: false,
      [ada.caller.identity]: true,
    });
  });

  it("[J-10] gives up one, but never the one that is in use or somebody else's", async () => {
    const bob = await edge.visitor();
    await confirm(await issue());
    expect(await unlink(ada.caller.identity)).toBe(403);
    expect(await unlink(bob.caller.identity)).toBe(404);
    expect(await unlink(HERON.id)).toBe(204);
    expect((await own()).identities.map(({ id }) => id)).toEqual([ada.caller.identity]);
    expect((await own(bob)).identities).toHaveLength(1);
  });
});
