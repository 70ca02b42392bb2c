import { applyD1Migrations, env, reset } from "cloudflare:test";
import { beforeEach, describe, expect, it } from "vitest";
import { issueOwnerCode } from "../../src/auth/issue-owner-code.ts";
import { START } from "../kit/directory.ts";
import { type Edge, type EdgeRequest, LOCAL, makeEdge, REMOTE, type Visitor } from "../kit/edge.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
let edge: Edge;

beforeEach(async () => {
  await reset();
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
  edge = makeEdge(env);
});

async function issue(): Promise<string> {
  return await issueOwnerCode(edge.db, edge.clock.now(), (bytes) => crypto.getRandomValues(bytes));
}

async function claim(code: string, base = LOCAL, init: EdgeRequest = {}): Promise<Response> {
  return await edge.fetch(`${base}/auth/claim`, { method: "POST", json: { code }, ...init });
}

function cookieOf(response: Response): string {
  return (response.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
}

async function signIn(base = LOCAL): Promise<string> {
  return cookieOf(await claim(await issue(), base));
}

async function meStatus(cookie: string, base = LOCAL): Promise<number> {
  return (await edge.fetch(`${base}/api/v1/me`, { headers: { cookie } })).status;
}

async function signOut(cookie: string, json: object = {}): Promise<Response> {
  return await edge.fetch(`${LOCAL}/auth/signout`, { method: "POST", json, headers: { cookie } });
}

describe("signing in by the owner code", () => {
  it.each([
    [LOCAL, /^althing_dev=[0-9a-f]{64}$/],
    [REMOTE, /^__Host-althing=[0-9a-f]{64}$/],
  ])("[U-25] at %s the cookie that it gives is good there", async (base, pattern) => {
    const cookie = await signIn(base);
    expect(cookie).toMatch(pattern);
    expect(await meStatus(cookie, base)).toBe(200);
  });

  it("[U-22] the person who claimed is the owner", async () => {
    const cookie = await signIn();
    const me = await edge.fetch(`${LOCAL}/api/v1/me`, { headers: { cookie } });
    expect(await me.json()).toMatchObject({ principal: { name: "Owner", tier: "owner" } });
  });

  it("[U-18] of two claims at one instant one gets a cookie", async () => {
    const code = await issue();
    const answers = await Promise.all([claim(code), claim(code)]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([204, 401]);
    expect(answers.filter((answer) => answer.headers.has("set-cookie"))).toHaveLength(1);
  });

  it("[U-19] an expired code gives none", async () => {
    const code = await issue();
    edge.clock.time += 15 * MINUTE;
    const answer = await claim(code);
    expect(answer.status).toBe(401);
    expect(answer.headers.get("set-cookie")).toBeNull();
  });

  it("[U-20] the eleventh guess is refused with 429", async () => {
    for (let i = 0; i < 10; i++) expect((await claim(`guess${i}`)).status).toBe(401);
    expect((await claim(await issue())).status).toBe(429);
  });

  it("[U-29] a claim from another site is refused, counts as no try, and leaves the code good", async () => {
    const code = await issue();
    for (let i = 0; i < 11; i++) expect((await claim(code, LOCAL, { origin: "http://evil.net" })).status).toBe(403);
    expect((await claim(code, LOCAL, { origin: null })).status).toBe(403);
    expect((await claim(code)).status).toBe(204);
  });

  it("[U-24] signing in again gives another id and ends the one before", async () => {
    const first = await signIn();
    const second = cookieOf(await claim(await issue(), LOCAL, { headers: { cookie: first } }));
    expect(second).not.toBe(first);
    expect(await meStatus(first)).toBe(401);
    expect(await meStatus(second)).toBe(200);
  });

  it("[U-24] an id that the browser brought along is never taken over", async () => {
    const planted = `althing_dev=${"a".repeat(64)}`;
    const cookie = cookieOf(await claim(await issue(), LOCAL, { headers: { cookie: planted } }));
    expect(cookie).not.toBe(planted);
    expect(await meStatus(planted)).toBe(401);
  });

  it("[U-22] signing in is logged without code, session or cookie", async () => {
    const code = await issue();
    const cookie = cookieOf(await claim(code));
    await claim("wrong");
    const log = JSON.stringify(edge.logged);
    expect(log).toContain("auth.claimed");
    expect(log).toContain("auth.claim_refused");
    expect(log).not.toContain(code);
    expect(log).not.toContain(cookie.split("=")[1]);
  });
});

describe("cookies", () => {
  const invented = ["", "x", "a".repeat(64), "A".repeat(64), `${"a".repeat(63)}g`, "%00", "' or 1=1 --"];

  it.each(invented)("[U-26] the invented session %j is nobody", async (id) => {
    expect(await meStatus(`althing_dev=${encodeURIComponent(id)}`)).toBe(401);
  });

  it("[U-26] a session that idled too long is nobody", async () => {
    const cookie = await signIn();
    edge.clock.time = START + 30 * DAY - 1;
    expect(await meStatus(cookie)).toBe(200);
    edge.clock.time += 30 * DAY;
    expect(await meStatus(cookie)).toBe(401);
  });

  it("[U-26] a session in daily use ends after 90 days", async () => {
    const cookie = await signIn();
    for (let day = 1; day < 90; day++) {
      edge.clock.time = START + day * DAY;
      expect(await meStatus(cookie)).toBe(200);
    }
    edge.clock.time = START + 90 * DAY;
    expect(await meStatus(cookie)).toBe(401);
  });

  it("[U-25] the cookie of https is nobody on http, and the other way round", async () => {
    const secure = await signIn(REMOTE);
    expect(await meStatus(secure, LOCAL)).toBe(401);
    const local = await signIn(LOCAL);
    expect(await meStatus(local, REMOTE)).toBe(401);
  });
});

describe("signing out", () => {
  it("[U-27] ends this session and no other", async () => {
    const [one, two] = [await signIn(), await signIn()];
    const answer = await signOut(one);
    expect(answer.status).toBe(204);
    expect(answer.headers.get("set-cookie")).toContain("Max-Age=0");
    expect(await meStatus(one)).toBe(401);
    expect(await meStatus(two)).toBe(200);
  });

  it("[U-27] everywhere ends all of the person's sessions and nobody else's", async () => {
    const [one, two] = [await signIn(), await signIn()];
    const other = await edge.visitor("member");
    await signOut(one, { everywhere: true });
    expect(await meStatus(one)).toBe(401);
    expect(await meStatus(two)).toBe(401);
    expect(await meStatus(other.cookie)).toBe(200);
  });

  it("[U-27] is refused without a live session, open to a guest", async () => {
    expect((await signOut("")).status).toBe(401);
    const guest: Visitor = await edge.visitor("guest");
    expect((await signOut(guest.cookie)).status).toBe(204);
    expect((await signOut(guest.cookie)).status).toBe(401);
  });
});
