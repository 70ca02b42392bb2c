import { applyD1Migrations, env, reset } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import { issueOwnerCode } from "../../src/auth/issue-owner-code.ts";
import type { ConfigInput } from "../../src/protocol/config.ts";
import { identities } from "../../src/store/identities.ts";
import { invitations } from "../../src/store/invitations.ts";
import { peopleAudit } from "../../src/store/people-audit.ts";
import { principals } from "../../src/store/principals.ts";
import { sessions } from "../../src/store/sessions.ts";
import { START } from "../kit/directory.ts";
import { type Edge, LOCAL, makeEdge, REMOTE, type Visitor } from "../kit/edge.ts";
import { OAuthVendorFake } from "../kit/oauth-vendor.ts";

const DAY = 24 * 60 * 60 * 1000;
const client = { clientId: "the-client", clientSecret: "the-client-secret" };
const signIn = {
  code: { kind: "github", clientId: client.clientId, secretFrom: "GITHUB_SECRET", label: "GitHub" },
} as const;
let vendor: OAuthVendorFake;
let edge: Edge;

function open(people: ConfigInput["people"], more: ConfigInput = {}): Edge {
  const config = { signIn, people, ...more };
  return makeEdge(env, { config, bindings: { GITHUB_SECRET: client.clientSecret }, fetch: vendor.fetch });
}

beforeEach(async () => {
  await reset();
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
  vendor = new OAuthVendorFake("github", client, { id: 7, login: "heron" });
  edge = open({});
});

interface Outcome {
  readonly location: string | null;
  /** The cookie of a session, if one was given. */
  readonly session: string | undefined;
}

/** Signs in with GitHub as whoever the vendor says. @param cookie what the browser brings along. */
async function enter(at = edge, cookie = "", base = LOCAL): Promise<Outcome> {
  const started = await at.fetch(`${base}/auth/code/start`, { headers: { cookie } });
  const sealed = (started.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  const back = vendor.agree(new URL(started.headers.get("location") ?? ""));
  const answer = await at.fetch(back.href, { headers: { cookie: `${cookie}; ${sealed}` } });
  const kept = answer.headers.getSetCookie().map((line) => line.split(";")[0] ?? "");
  const session = kept.find((pair) => /^(althing_dev|__Host-althing)=./.test(pair));
  return { location: answer.headers.get("location"), session };
}

async function tierOf(identity = "github:7"): Promise<string | undefined> {
  const [row] = await edge.db
    .select({ tier: principals.tier })
    .from(principals)
    .innerJoin(identities, eq(identities.principalId, principals.id))
    .where(eq(identities.id, identity));
  return row?.tier;
}

async function invite(owner: Visitor, tier = "member", at = edge) {
  const answer = await at.fetch(`${LOCAL}/api/v1/people/invitations`, { method: "POST", as: owner, json: { tier } });
  return { status: answer.status, ...(await answer.json<{ id: string; code: string }>()) };
}

async function bring(code: string): Promise<string> {
  const answer = await edge.fetch(`${LOCAL}/auth/invitation`, { method: "POST", json: { code } });
  return (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
}

async function dump(): Promise<string> {
  const tables = ["principals", "identities", "sessions", "invitations", "people_audit", "rate_windows", "link_codes"];
  const rows = await Promise.all(
    tables.map(async (table) => (await env.DB.prepare(`select * from ${table}`).all()).results),
  );
  return JSON.stringify(rows);
}

describe("the list of providers", () => {
  it("[U-44] names those whose secret is set, and tells nothing else", async () => {
    const other = { kind: "discord", clientId: "another-client", secretFrom: "DISCORD_SECRET" } as const;
    const both = open({}, { signIn: { ...signIn, chat: other } });
    const answer = await both.fetch(`${LOCAL}/api/v1/sign-in`);
    expect(await answer.json()).toEqual({ providers: [{ name: "code", label: "GitHub" }] });
    expect((await both.fetch(`${LOCAL}/auth/chat/start`)).status).toBe(404);
  });

  it("[U-44] is empty without any", async () => {
    expect(await (await makeEdge(env).fetch(`${LOCAL}/api/v1/sign-in`)).json()).toEqual({ providers: [] });
  });
});

describe("somebody whom nobody knows", () => {
  it.each([
    ["closed", undefined],
    ["invite", undefined],
    ["guest", "guest"],
    ["member", "member"],
  ] as const)("[U-50] with people.provisioning %s becomes %s", async (provisioning, tier) => {
    const { location, session } = await enter(open({ provisioning }));
    expect(await tierOf()).toBe(tier);
    expect(location).toBe(tier === undefined ? "/chat#sign-in=not-admitted" : "/chat");
    expect(session !== undefined).toBe(tier !== undefined);
  });

  it("[U-46] [U-50] a refusal writes nothing, not even beforehand", async () => {
    const before = await dump();
    await enter();
    expect(await dump()).toBe(before);
  });

  it("[U-50] [trap 40] two sign-ins at one instant make one person", async () => {
    const at = open({ provisioning: "member" });
    const outcomes = await Promise.all([enter(at), enter(at)]);
    expect(outcomes.every(({ session }) => session !== undefined)).toBe(true);
    expect(await edge.db.$count(principals)).toBe(1);
    expect(await edge.db.$count(peopleAudit, eq(peopleAudit.action, "join"))).toBe(1);
  });

  it("[U-45] [S19] becomes nobody who has the same name", async () => {
    const owner = await edge.visitor("owner");
    await edge.db.update(principals).set({ name: "heron" });
    await enter(open({ provisioning: "member" }));
    expect(await tierOf()).toBe("member");
    expect(await edge.db.$count(principals)).toBe(2);
    expect(await edge.db.$count(identities, eq(identities.principalId, owner.caller.principalId))).toBe(1);
  });
});

describe("somebody who is known", () => {
  it("[U-50] is refused like an unknown one when switched off", async () => {
    await enter(open({ provisioning: "member" }));
    await edge.db.update(principals).set({ disabledAt: 1 });
    expect(await enter()).toEqual({ location: "/chat#sign-in=not-admitted", session: undefined });
  });

  it("[U-45] stays who they are when the configuration closes, and is seen", async () => {
    await enter(open({ provisioning: "member" }));
    edge.clock.time = START + DAY;
    vendor.user = { id: 7, login: "grey-heron" };
    expect((await enter()).session).toBeDefined();
    const [row] = await edge.db.select().from(identities);
    expect(row).toMatchObject({ display: "grey-heron", linkedAt: START, lastSeenAt: START + DAY });
  });

  it("[U-24] the session that the browser brought along ends", async () => {
    const at = open({ provisioning: "member" });
    const { session: first = "" } = await enter(at);
    const { session: second = "" } = await enter(at, first);
    expect(second).not.toBe(first);
    expect((await at.fetch(`${LOCAL}/api/v1/me`, { headers: { cookie: first } })).status).toBe(401);
    expect((await at.fetch(`${LOCAL}/api/v1/me`, { headers: { cookie: second } })).status).toBe(200);
  });

  it("[U-25] [U-46] on https every cookie is Secure and for this host alone", async () => {
    const at = open({ provisioning: "member" });
    const started = await at.fetch(`${REMOTE}/auth/code/start`);
    const line = started.headers.get("set-cookie") ?? "";
    expect(line).toMatch(/^__Host-althing-sign-in=.*; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
    expect((await enter(at, "", REMOTE)).session).toMatch(/^__Host-althing=/);
  });

  it("[U-54] no code, token, verifier or secret is in a log or a row", async () => {
    const at = open({ provisioning: "member" });
    const started = await at.fetch(`${LOCAL}/auth/code/start`);
    const back = vendor.agree(new URL(started.headers.get("location") ?? ""));
    const cookie = (started.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
    const { session = "" } = await enter(at);
    await at.fetch(back.href, { headers: { cookie } });
    await at.fetch(back.href, { headers: { cookie } });
    const written = JSON.stringify(at.logged) + (await dump());
    expect(written).toContain("auth.sign_in_refused");
    const secrets = [
      back.searchParams.get("code") ?? "",
      "the-access-token",
      client.clientSecret,
      session.split("=")[1] ?? "",
    ];
    for (const secret of secrets) expect(written).not.toContain(secret);
  });

  it("[U-54] when the provider cannot be asked the answer says so and no more", async () => {
    const away = open(
      {},
      { signIn: { corp: { kind: "oidc", issuer: "https://id.example", clientId: "c", secretFrom: "GITHUB_SECRET" } } },
    );
    const answer = await away.fetch(`${LOCAL}/auth/corp/start`);
    expect(answer.status).toBe(503);
    expect(await answer.text()).not.toContain("id.example");
    expect(JSON.stringify(away.logged)).toContain("auth.provider_away");
  });
});

describe("owners by configuration", () => {
  it("[U-51] [trap 44] are owners from their first sign-in, also where nobody is admitted", async () => {
    const { session = "" } = await enter(open({ owners: ["github:7"] }));
    expect(session).not.toBe("");
    expect(await tierOf()).toBe("owner");
  });

  it("[U-51] become owners at the next start, and members again when taken out, each with a line of audit", async () => {
    await edge.visitor("owner");
    const { session = "" } = await enter(open({ provisioning: "member" }));
    const touch = async (owners: string[]) =>
      await open({ owners }).fetch(`${LOCAL}/api/v1/me`, { headers: { cookie: session } });
    expect(await (await touch(["github:7"])).json()).toMatchObject({ principal: { tier: "owner" } });
    const lines = await edge.db.$count(peopleAudit);
    await touch(["github:7"]);
    expect(await edge.db.$count(peopleAudit)).toBe(lines);
    expect(await (await touch([])).json()).toMatchObject({ principal: { tier: "member" } });
    const written = await edge.db.select().from(peopleAudit).where(eq(peopleAudit.actor, "configuration"));
    expect(written.map(({ detail }) => detail)).toEqual(
      expect.arrayContaining([
        { from: "member", to: "owner" },
        { from: "owner", to: "member" },
      ]),
    );
  });

  it("[U-51] the last one stays, also when all are taken out at once", async () => {
    const at = open({ owners: ["github:7", "github:8"] });
    const { session = "" } = await enter(at);
    vendor.user = { id: 8, login: "egret" };
    edge.clock.time += 1;
    await enter(at);
    await open({}).fetch(`${LOCAL}/api/v1/me`, { headers: { cookie: session } });
    expect(new Set([await tierOf("github:7"), await tierOf("github:8")])).toEqual(new Set(["member", "owner"]));
    await open({}).fetch(`${LOCAL}/api/v1/me`, { headers: { cookie: session } });
    expect(await edge.db.$count(principals, eq(principals.tier, "owner"))).toBe(1);
  });

  it("[U-51] an owner by code is left alone", async () => {
    const code = await issueOwnerCode(edge.db, START, (bytes) => crypto.getRandomValues(bytes));
    await edge.fetch(`${LOCAL}/auth/claim`, { method: "POST", json: { code } });
    await edge.visitor("owner");
    await open({}).fetch(`${LOCAL}/api/v1/me`, {});
    expect(await tierOf("setup:owner")).toBe("owner");
  });

  it("[J-4] nobody demotes them while the configuration names them", async () => {
    const owner = await edge.visitor("owner");
    await enter(open({ owners: ["github:7"] }));
    const [row] = await edge.db.select().from(identities).where(eq(identities.id, "github:7"));
    const path = `${LOCAL}/api/v1/people/${row?.principalId}/tier`;
    const at = open({ owners: ["github:7"] });
    expect((await at.fetch(path, { method: "POST", as: owner, json: { tier: "member" } })).status).toBe(403);
  });
});

describe("invitations", () => {
  let owner: Visitor;

  beforeEach(async () => {
    edge = open({ provisioning: "invite" });
    owner = await edge.visitor("owner");
  });

  it.each(["guest", "member", "admin"])("[U-53] admit somebody new as %s, once", async (tier) => {
    const { code } = await invite(owner, tier);
    const cookie = await bring(code);
    expect((await enter(edge, cookie)).session).toBeDefined();
    expect(await tierOf()).toBe(tier);
    vendor.user = { id: 8, login: "egret" };
    expect((await enter(edge, cookie)).session).toBeUndefined();
  });

  it("[U-53] give the tier that they name where everybody is a guest", async () => {
    edge = open({ provisioning: "guest" });
    const { code } = await invite(owner, "member", edge);
    await enter(edge, await bring(code));
    expect(await tierOf()).toBe("member");
  });

  it("[U-53] are not spent by somebody who is known", async () => {
    await enter(edge, await bring((await invite(owner, "guest")).code));
    const { code } = await invite(owner, "admin");
    await enter(edge, await bring(code));
    expect(await tierOf()).toBe("guest");
    vendor.user = { id: 8, login: "egret" };
    await enter(edge, await bring(code));
    expect(await tierOf("github:8")).toBe("admin");
  });

  it("[U-53] of two people at one instant one is admitted", async () => {
    const cookie = await bring((await invite(owner)).code);
    const second = new OAuthVendorFake("github", client, { id: 8, login: "egret" });
    const first = vendor;
    const outcomes = await Promise.all(
      [first, second].map(async (each) => {
        const config = { signIn, people: { provisioning: "invite" } } as const;
        const at = makeEdge(env, { config, bindings: { GITHUB_SECRET: client.clientSecret }, fetch: each.fetch });
        const started = await at.fetch(`${LOCAL}/auth/code/start`);
        const back = each.agree(new URL(started.headers.get("location") ?? ""));
        const sealed = (started.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
        return (await at.fetch(back.href, { headers: { cookie: `${cookie}; ${sealed}` } })).headers.get("location");
      }),
    );
    expect(new Set(outcomes)).toEqual(new Set(["/chat", "/chat#sign-in=not-admitted"]));
    expect(await edge.db.$count(principals)).toBe(2);
  });

  it("[U-53] are good for 7 days", async () => {
    const cookies = [await bring((await invite(owner)).code), await bring((await invite(owner)).code)];
    edge.clock.time = START + 7 * DAY - 1;
    expect((await enter(edge, cookies[0])).session).toBeDefined();
    vendor.user = { id: 8, login: "egret" };
    edge.clock.time = START + 7 * DAY;
    expect((await enter(edge, cookies[1])).session).toBeUndefined();
  });

  it("[U-53] can be taken back, and are listed without their code", async () => {
    const { id, code } = await invite(owner);
    const listed = await (await edge.fetch(`${LOCAL}/api/v1/people/invitations`, { as: owner })).text();
    expect(listed).toContain(id);
    expect(listed).not.toContain(code);
    expect(await dump()).not.toContain(code);
    const revoke = `${LOCAL}/api/v1/people/invitations/${id}/revoke`;
    expect((await edge.fetch(revoke, { method: "POST", as: owner, json: {} })).status).toBe(204);
    expect((await edge.fetch(revoke, { method: "POST", as: owner, json: {} })).status).toBe(404);
    expect((await enter(edge, await bring(code))).session).toBeUndefined();
  });

  it("[U-53] there are at most 100 open ones", async () => {
    const { principalId } = owner.caller;
    const rows = Array.from({ length: 99 }, (_, i) => [`i${i}`, `h${i}`, "guest", principalId, START, START + 1]);
    const insert = env.DB.prepare(
      "insert into invitations (id, hash, tier, created_by, created_at, expires_at) values (?, ?, ?, ?, ?, ?)",
    );
    await env.DB.batch(rows.map((row) => insert.bind(...row)));
    expect((await invite(owner)).status).toBe(201);
    expect((await invite(owner)).status).toBe(403);
    edge.clock.time += 1;
    expect((await invite(owner)).status).toBe(201);
    expect(await edge.db.$count(invitations)).toBe(2);
  });

  it("[U-53] are neither made nor spent where nobody is admitted", async () => {
    const { code } = await invite(owner);
    const closed = open({});
    expect((await invite(owner, "member", closed)).status).toBe(403);
    expect((await enter(closed, await bring(code))).session).toBeUndefined();
    expect(await edge.db.$count(sessions)).toBe(1);
  });

  it("[U-53] are made by owners alone, and never for an owner", async () => {
    expect((await invite(await edge.visitor("admin"))).status).toBe(403);
    expect((await invite(owner, "owner")).status).toBe(400);
  });
});
