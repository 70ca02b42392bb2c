import { applyD1Migrations, env, reset } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { oidcIdentity } from "../../src/auth/oidc-identity.ts";
import { sha256Hex } from "../../src/auth/secret.ts";
import { MAX_TOKENS } from "../../src/auth/token-session.ts";
import { must } from "../../src/lib/assert.ts";
import { CALLER_HEADER } from "../../src/objects/rpc.ts";
import { decodeCaller } from "../../src/people/caller-header.ts";
import type { Tier } from "../../src/people/facts.ts";
import { identities } from "../../src/store/identities.ts";
import { principals } from "../../src/store/principals.ts";
import { sessions } from "../../src/store/sessions.ts";
import { addPerson } from "../kit/directory.ts";
import { type Edge, type EdgeRequest, LOCAL, makeEdge, REMOTE } from "../kit/edge.ts";
import { API, TokenIssuer } from "../kit/token-issuer.ts";

const ME = "/api/v1/me";
let issuer: TokenIssuer;
let edge: Edge;

function open(takesTokens = true): Edge {
  const corp = {
    kind: "oidc",
    issuer: issuer.issuer,
    clientId: "the-client",
    secretFrom: "SECRET",
    ...(takesTokens && { api: API }),
  } as const;
  return makeEdge(env, { config: { signIn: { corp } }, fetch: issuer.fetch });
}

beforeEach(async () => {
  await reset();
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
  issuer = await TokenIssuer.make();
  edge = open();
});

/** The issuer's subject is somebody here. */
async function admit(tier: Tier = "member", subject = "ada"): Promise<string> {
  const { principalId } = await addPerson(edge.db, { tier });
  const id = must(oidcIdentity(issuer.issuer, subject), "the subject is one");
  await edge.db.insert(identities).values({ id, principalId, linkedAt: edge.clock.now() });
  return principalId;
}

/** A token that no other one equals. */
async function token(claims: object = {}): Promise<string> {
  issuer.claims = { jti: crypto.randomUUID(), ...claims };
  return await issuer.accessToken(edge.clock.now());
}

async function bring(text: string, path = ME, init: EdgeRequest = {}, at = edge): Promise<Response> {
  const headers = { authorization: `Bearer ${text}`, ...init.headers };
  return await at.fetch(`${LOCAL}${path}`, { origin: null, ...init, headers });
}

async function status(text: string, path = ME, init: EdgeRequest = {}): Promise<number> {
  return (await bring(text, path, init)).status;
}

async function dump(): Promise<string> {
  const tables = ["principals", "identities", "sessions", "people_audit", "rate_windows"];
  const rows = await Promise.all(
    tables.map(async (name) => (await env.DB.prepare(`select * from ${name}`).all()).results),
  );
  return JSON.stringify(rows);
}

const run = (query: string, ...values: unknown[]) =>
  env.DB.prepare(query)
    .bind(...values)
    .run();

describe("an access token", () => {
  it("[U-60] [U-67] is the person to whom its identity is linked, with their tier now", async () => {
    const id = await admit("member");
    const text = await token();
    const answer = await bring(text);
    expect((await answer.json<{ principal: object }>()).principal).toMatchObject({ id, tier: "member" });
    expect(await status(text, "/api/v1/people")).toBe(403);
    await edge.db.update(principals).set({ tier: "owner" }).where(eq(principals.id, id));
    expect(await status(text, "/api/v1/people")).toBe(200);
    await edge.db.update(principals).set({ tier: "guest" }).where(eq(principals.id, id));
    expect(await status(text)).toBe(403);
  });

  it("[U-67] is whoever its identity belongs to, whatever the token says about itself", async () => {
    const id = await admit("member");
    await admit("owner", "the-owner");
    const claims = { tier: "owner", principal: "p_1", preferred_username: "the-owner", email: "owner@example.com" };
    const answer = await bring(await token(claims));
    expect((await answer.json<{ principal: object }>()).principal).toMatchObject({ id, tier: "member" });
  });

  it("[U-67] of somebody unknown or switched off is refused alike, and writes nothing", async () => {
    const open = makeEdge(env, {
      config: { ...configOfProvisioning("member") },
      fetch: issuer.fetch,
    });
    const unknown = await bring(await token(), ME, {}, open);
    const id = await admit();
    await edge.db.update(principals).set({ disabledAt: 1 }).where(eq(principals.id, id));
    const before = await dump();
    const off = await bring(await token(), ME, {}, open);
    expect([unknown.status, await unknown.text()]).toEqual([off.status, await off.text()]);
    expect(off.status).toBe(403);
    expect(await dump()).toBe(before);
  });

  it("[U-68] is in no row and no line of the log, whole or in part; its hash is", async () => {
    await admit();
    const text = await token();
    await bring(text);
    const [row] = await edge.db
      .select()
      .from(sessions)
      .where(eq(sessions.hash, await sha256Hex(text)));
    expect(row).toMatchObject({ identity: oidcIdentity(issuer.issuer, "ada"), revokedAt: null });
    const forged = `${text.slice(0, -8)}AAAAAAAA`;
    const refusal = await (await bring(forged)).text();
    const kept = JSON.stringify([await dump(), edge.logged, refusal]);
    for (const part of text.split(".")) expect(kept).not.toContain(part.slice(0, 40));
    expect(edge.logged.filter((line) => Reflect.get(line, "event") === "auth.token_refused")).toHaveLength(1);
  });

  it("[U-69] opens a session that ends with it, to the second", async () => {
    await admit();
    const text = await token();
    expect(await status(text)).toBe(200);
    edge.clock.time += 300_000 - 1;
    expect(await status(text)).toBe(200);
    edge.clock.time += 1;
    expect(await status(text)).toBe(401);
  });

  it("[U-69] signing out everywhere ends every token in use, for good", async () => {
    await admit();
    const [one, two] = [await token(), await token()];
    expect([await status(one), await status(two)]).toEqual([200, 200]);
    expect(await status(one, "/auth/signout", { method: "POST", json: { everywhere: true } })).toBe(204);
    expect([await status(one), await status(two)]).toEqual([401, 401]);
    expect(await status(await token())).toBe(200);
  });

  it("[U-69] signing out with one ends that one", async () => {
    await admit();
    const [one, two] = [await token(), await token()];
    expect([await status(one), await status(two)]).toEqual([200, 200]);
    expect(await status(one, "/auth/signout", { method: "POST", json: {} })).toBe(204);
    expect([await status(one), await status(two)]).toEqual([401, 200]);
  });

  it("[U-69] whose person was switched off and on again stays ended", async () => {
    const owner = await edge.visitor("owner");
    const id = await admit();
    const text = await token();
    expect(await status(text)).toBe(200);
    for (const what of ["disable", "enable"]) {
      const path = `${LOCAL}/api/v1/people/${id}/${what}`;
      expect((await edge.fetch(path, { method: "POST", as: owner, json: {} })).status).toBe(204);
      expect(await status(text)).toBe(401);
    }
    expect(await status(await token())).toBe(200);
  });

  it("[U-69] whose identity was unlinked ends, and stays ended when it is linked to somebody else", async () => {
    const owner = await edge.visitor("owner");
    const id = await admit();
    const identity = oidcIdentity(issuer.issuer, "ada");
    const text = await token();
    expect(await status(text)).toBe(200);
    const path = `${LOCAL}/api/v1/people/${id}/unlink`;
    expect((await edge.fetch(path, { method: "POST", as: owner, json: { identity } })).status).toBe(204);
    expect(await status(text)).toBe(401);
    expect(await status(await token())).toBe(403);
    await admit("owner");
    expect(await status(text)).toBe(401);
  });

  it("[U-70] 1,000 tokens of one person are taken, the next is not; ended ones make room after an hour", async () => {
    const id = await admit();
    const other = await admit("member", "berta");
    expect(other).not.toBe(id);
    const identity = oidcIdentity(issuer.issuer, "ada");
    const endsAt = edge.clock.now() + 600_000;
    await run(
      `with recursive n(i) as (values (1) union all select i + 1 from n where i < ?)
       insert into sessions select 'used-' || i, ?, ?, 0, 0, null, ? from n`,
      MAX_TOKENS - 1,
      id,
      identity,
      endsAt,
    );
    const tomorrow = edge.clock.now() / 1000 + 86_400;
    expect(await status(await token({ exp: tomorrow }))).toBe(200);
    const last = await token({ exp: tomorrow });
    expect(await status(last)).toBe(429);
    expect(await status(await token({ sub: "berta" }))).toBe(200);
    edge.clock.time = endsAt + 60 * 60 * 1000 - 1;
    expect(await status(last)).toBe(429);
    edge.clock.time += 1;
    expect(await status(last)).toBe(200);
    expect(await edge.db.$count(sessions, eq(sessions.principalId, id))).toBeLessThan(5);
  });

  it("[U-67] two uses of a new token at one instant are one session", async () => {
    const id = await admit();
    const text = await token();
    expect(await Promise.all([status(text), status(text), status(text)])).toEqual([200, 200, 200]);
    expect(await edge.db.$count(sessions, eq(sessions.principalId, id))).toBe(2);
  });
});

function configOfProvisioning(provisioning: "member") {
  const corp = { kind: "oidc", issuer: issuer.issuer, clientId: "c", secretFrom: "SECRET", api: API } as const;
  return { signIn: { corp }, people: { provisioning } };
}

describe("how a token is brought", () => {
  it("[U-71] [V-80] with a token and no session what changes something needs no Origin, but a foreign one is refused", async () => {
    await admit();
    const text = await token();
    const create = (init: EdgeRequest) =>
      status(text, "/api/v1/conversations", { method: "POST", json: { id: crypto.randomUUID() }, ...init });
    expect(await create({})).toBe(201);
    expect(await create({ origin: LOCAL })).toBe(201);
    for (const origin of ["null", "https://evil.example", `${LOCAL}.evil.example`, "http://127.0.0.1:1"]) {
      expect(await create({ origin })).toBe(403);
    }
  });

  it("[U-71] with a session's cookie the Origin is needed as ever, and a token beside it is refused", async () => {
    await admit();
    const visitor = await edge.visitor();
    const text = await token();
    for (const base of [LOCAL, REMOTE]) {
      const both = await edge.fetch(`${base}${ME}`, { as: visitor, headers: { authorization: `Bearer ${text}` } });
      expect(both.status).toBe(400);
    }
    expect(await status("garbage", ME, { as: visitor })).toBe(400);
    const lacking = { method: "POST", as: visitor, origin: null, json: { id: crypto.randomUUID() } } as const;
    expect((await edge.fetch(`${LOCAL}/api/v1/conversations`, lacking)).status).toBe(403);
    const basic = { as: visitor, headers: { authorization: "Basic eDp5" } };
    expect((await edge.fetch(`${LOCAL}${ME}`, basic)).status).toBe(200);
  });

  it.each([
    ["no token", "Bearer"],
    ["nothing but a space", "Bearer  "],
    ["two tokens", "Bearer a.b.c d.e.f"],
    ["two headers, as they arrive", "Bearer a.b.c, Bearer a.b.c"],
    ["quotation marks", 'Bearer "a.b.c"'],
    ["letters beyond a token's", "Bearer a.b.c%20"],
  ])("[U-72] a header with %s is refused, and nobody is asked", async (_name, authorization) => {
    const before = await dump();
    const answer = await edge.fetch(`${LOCAL}${ME}`, { headers: { authorization } });
    expect(answer.status).toBe(401);
    expect(answer.headers.get("www-authenticate")).toBe("Bearer");
    expect(issuer.asked).toEqual([]);
    expect(await dump()).toBe(before);
  });

  it("[U-72] two right headers at once are refused", async () => {
    await admit();
    const request = new Request(`${LOCAL}${ME}`);
    request.headers.append("authorization", `Bearer ${await token()}`);
    request.headers.append("authorization", `Bearer ${await token()}`);
    const authorization = request.headers.get("authorization") ?? "";
    expect((await edge.fetch(`${LOCAL}${ME}`, { headers: { authorization } })).status).toBe(401);
  });

  it("[U-60] [V-80] a deployment without `api` takes none, and says so", async () => {
    await admit();
    const closed = open(false);
    const answer = await bring(await token(), ME, {}, closed);
    expect(answer.status).toBe(401);
    expect(await answer.text()).toContain("takes no access tokens");
    expect(issuer.asked).toEqual([]);
  });

  it("[U-66] while the issuer cannot be asked the answer is `unavailable`, never permission", async () => {
    await admit();
    issuer.instead.set("/jwks", () => new Response(null, { status: 500 }));
    expect(await status(await token())).toBe(503);
  });

  it("[U-64] a token without the right is 403, one that is wrong 401, and both say why", async () => {
    await admit();
    const lacking = await bring(await token({ scope: "openid" }));
    expect([lacking.status, await lacking.text()]).toEqual([403, expect.stringContaining("it lacks the scope chat")]);
    const wrong = await bring(await token({ aud: "https://other.example" }));
    expect([wrong.status, await wrong.text()]).toEqual([401, expect.stringContaining("its claim aud")]);
  });

  it("[V-80] the OpenAPI document names both ways to be somebody, for every route that needs one", async () => {
    await admit();
    const document = await (await bring(await token(), "/api/v1/openapi.json")).json<{
      paths: Record<string, Record<string, { security?: object[] }>>;
      components: { securitySchemes: object };
    }>();
    expect(document.components.securitySchemes).toMatchObject({ token: { type: "http", scheme: "bearer" } });
    expect(document.paths[ME]?.["get"]?.security).toEqual([{ session: [] }, { token: [] }]);
  });

  it("[U-73] the socket of a program needs no Origin, and its caller is the token's person", async () => {
    const id = await admit();
    const text = await token();
    const conversation = crypto.randomUUID();
    await bring(text, "/api/v1/conversations", { method: "POST", json: { id: conversation } });
    const headers = { upgrade: "websocket", "sec-websocket-protocol": "althing.chat.v1" };
    const path = `/chat/ws?conversation=${conversation}`;
    const answer = await bring(text, path, { headers });
    const told = await answer.json<Record<string, string>>();
    expect(decodeCaller(told[CALLER_HEADER] ?? null)).toEqual({
      principalId: id,
      identity: oidcIdentity(issuer.issuer, "ada"),
      sessionHash: await sha256Hex(text),
    });
    expect(JSON.stringify(told)).not.toContain(text);
    expect(await status(text, path, { headers, origin: "https://evil.example" })).toBe(403);
    expect(await status("a.b.c", path, { headers })).toBe(401);
    expect((await edge.fetch(`${LOCAL}${path}&token=${text}`, { headers })).status).toBe(403);
    const read = { headers: { cookie: `althing_dev=${text}` } };
    expect((await edge.fetch(`${LOCAL}${ME}`, read)).status).toBe(401);
  });
});
