import { env } from "cloudflare:test";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Host } from "../../src/host/index.ts";
import { checkConfig } from "../../src/protocol/check-config.ts";
import { type App, createApp } from "../../src/routes/app.ts";
import { ROUTES } from "../../src/routes/table.ts";
import { brokenDatabase, testClock } from "../kit/directory.ts";
import { type Edge, type EdgeRequest, LOCAL, makeEdge, REMOTE } from "../kit/edge.ts";
import { hostContext } from "../kit/host-context.ts";

const edge = makeEdge(env);
const UUID = "0b8d6b0e-1111-4222-8333-444455556666";

const CONTENT_POLICY =
  "default-src 'self'; img-src 'self' data: blob:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; object-src 'none'; form-action 'self'";

/** A path that fits a route, with made-up ids. */
function pathOf(path: string): string {
  return path.replace(":id", UUID).replace(":entry", "1").replace(/:\w+/g, "x").replace("*", "anything");
}

async function bodyText(response: Response): Promise<string> {
  return await response.text();
}

describe("every route", () => {
  const open = [
    "GET /healthz",
    "POST /auth/claim",
    "POST /auth/signout",
    "GET /api/v1/sign-in",
    "GET /auth/:name/start",
    "GET /auth/:name/callback",
    "POST /auth/invitation",
    "GET /",
    "GET /chat",
    "GET /chat/:id",
    "GET /claim",
    "GET /*",
  ];
  const names = ROUTES.map((route) => `${route.method} ${route.path}`);

  it("[U-33] the routes that need no session are these and no more", () => {
    expect(ROUTES.filter(({ needs }) => needs === "nothing").map(({ method, path }) => `${method} ${path}`)).toEqual(
      open,
    );
    expect(new Set(names).size).toBe(names.length);
  });

  it.each(ROUTES.filter(({ needs }) => needs !== "nothing").map((route) => [route.method, route.path] as const))(
    "[U-33] %s %s without credentials answers a refusal with no fact in it",
    async (method, path) => {
      const owner = await edge.visitor("owner");
      const { id, object } = await edge.conversation(owner);
      const before = object.seen.length;
      const attempts = [UUID, id].map((uuid) => pathOf(path).replace(UUID, uuid));
      const answers = await Promise.all(
        attempts.map((attempt) => edge.fetch(LOCAL + attempt, { method, ...(method === "GET" ? {} : { json: {} }) })),
      );
      const texts = await Promise.all(answers.map(bodyText));
      expect(answers.map(({ status }) => status)).toEqual([401, 401]);
      expect(texts[0]).toBe(texts[1]);
      expect(object.seen).toHaveLength(before);
    },
  );

  it.each(ROUTES.filter(({ needs }) => needs !== "nothing").map((route) => [route.method, route.path] as const))(
    "[U-12] %s %s is refused for a guest",
    async (method, path) => {
      const guest = await edge.visitor("guest");
      const init: EdgeRequest = { method, as: guest, ...(method === "GET" ? {} : { json: {} }) };
      const response = await edge.fetch(LOCAL + pathOf(path), init);
      expect(response.status).toBe(403);
      expect(edge.conversations.opened.get(`web:${UUID}`)?.seen ?? []).toEqual([]);
    },
  );

  it.each(ROUTES.filter(({ method }) => method !== "GET").map((route) => [route.method, route.path] as const))(
    "[U-29] %s %s is refused without the exact Origin, signed in or not",
    async (method, path) => {
      const owner = await edge.visitor("owner");
      for (const origin of [null, "null", "http://127.0.0.1:8788", "http://127.0.0.1:8787.evil.net"]) {
        const response = await edge.fetch(LOCAL + pathOf(path), { method, as: owner, origin, json: {} });
        expect(response.status).toBe(403);
      }
    },
  );

  it.each(ROUTES.map((route) => [route.method, route.path] as const))(
    "[U-28] %s %s does not exist under another host",
    async (method, path) => {
      const owner = await edge.visitor("owner");
      const url = `http://evil.example:8787${pathOf(path)}`;
      const response = await edge.fetch(url, { method, as: owner });
      expect(response.status).toBe(421);
      expect(response.headers.get("set-cookie")).toBeNull();
    },
  );

  it.each(ROUTES.map((route) => [route.method, route.path] as const))(
    "[U-32] %s %s answers with the security headers",
    async (method, path) => {
      const response = await edge.fetch(REMOTE + pathOf(path), { method });
      expect(Object.fromEntries(response.headers)).toMatchObject({
        "content-security-policy": CONTENT_POLICY,
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "strict-transport-security": "max-age=31536000",
      });
      expect(response.headers.get("permissions-policy")).toContain("camera=()");
    },
  );
});

describe("the edge", () => {
  it("[U-32] also refusals before any route carry the headers, and http has no HSTS", async () => {
    const response = await edge.fetch("http://evil.example/");
    expect(response.headers.get("content-security-policy")).toBe(CONTENT_POLICY);
    expect(response.headers.get("strict-transport-security")).toBeNull();
  });

  it("[U-31] plain http to an allowed name leads to https", async () => {
    const response = await edge.fetch("http://chat.example.com/chat");
    expect(response.status).toBe(308);
    expect(response.headers.get("location")).toBe(`${REMOTE}/chat`);
  });

  it("[U-31] plain http to an allowed name changes nothing", async () => {
    const response = await edge.fetch("http://chat.example.com/auth/claim", { method: "POST", json: { code: "x" } });
    expect(response.status).toBe(403);
  });

  it("[U-15] invented tiers and principals in headers and queries change nothing", async () => {
    const member = await edge.visitor("member");
    const other = await edge.visitor("owner");
    const { id } = await edge.conversation(other);
    const headers = {
      "x-althing-caller": JSON.stringify(other.caller),
      "x-tier": "owner",
      authorization: "Basic b3duZXI6b3duZXI=",
    };
    const read = await edge.fetch(`${LOCAL}/api/v1/conversations/${id}`, { as: member, headers });
    expect(read.status).toBe(404);
    const me = await edge.fetch(`${LOCAL}/api/v1/me`, { as: member, headers });
    expect(await me.json()).toMatchObject({ principal: { tier: "member", id: member.caller.principalId } });
  });

  it("[U-15] a change of tier counts with the next request", async () => {
    const visitor = await edge.visitor("member");
    expect((await edge.fetch(`${LOCAL}/api/v1/me`, { as: visitor })).status).toBe(200);
    await env.DB.prepare("update principals set tier = 'guest' where id = ?").bind(visitor.caller.principalId).run();
    expect((await edge.fetch(`${LOCAL}/api/v1/me`, { as: visitor })).status).toBe(403);
  });
});

describe("whatever is asked", () => {
  const path = fc
    .array(
      fc.oneof(fc.constantFrom("api", "v1", "conversations", "chat", "auth", "files", "..", "%2e", UUID), fc.string()),
    )
    .map((parts) => `/${parts.join("/")}`);
  const word = fc.stringMatching(/^[\x21-\x7e]{0,80}$/);

  it("[U-36] the answer is never a failure, and the headers are on it", async () => {
    const visitor = await edge.visitor();
    const before = edge.logged.length;
    await fc.assert(
      fc.asyncProperty(
        path,
        fc.constantFrom("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"),
        fc.record({ cookie: word, range: word, "if-none-match": word, "content-length": word, upgrade: word }),
        fc.boolean(),
        async (asked, method, headers, isSignedIn) => {
          const signedIn = isSignedIn ? { as: visitor, headers: {} } : { headers };
          const response = await edge.fetch(LOCAL + asked, { method, ...signedIn });
          expect(response.status).toBeLessThan(500);
          expect(response.headers.get("content-security-policy")).toBe(CONTENT_POLICY);
        },
      ),
      { numRuns: 300 },
    );
    expect(edge.logged).toHaveLength(before);
  });
});

describe("failures", () => {
  function failing(more: Record<string, unknown>): { edge: Edge } {
    return { edge: makeEdge(env, { bindings: more }) };
  }

  it("[U-36] an unexpected failure is told by an id, logged once, and holds no detail", async () => {
    const broken = makeEdge(env);
    const owner = await broken.visitor("owner");
    const { id, object } = await broken.conversation(owner);
    object.throwNext = new Error("secret-detail");
    const url = `${LOCAL}/api/v1/conversations/${id}/messages`;
    const response = await broken.fetch(url, { method: "POST", as: owner, json: { id: "1", text: "private words" } });
    const text = await response.text();
    expect(response.status).toBe(500);
    expect(text).not.toContain("secret-detail");
    const { error } = JSON.parse(text) as { error: { code: string; message: string; ref: string } };
    expect(error.code).toBe("internal");
    expect(error.message).toContain(error.ref);
    const lines = broken.logged.map((line) => JSON.stringify(line)).filter((line) => line.includes("request.failed"));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(error.ref);
    expect(lines[0]).toContain("secret-detail");
    expect(lines[0]).not.toContain("private words");
    expect(lines[0]).not.toContain(owner.cookie.slice(-64));
    expect(lines[0]).not.toContain(id);
  });

  it("[U-36] a refusal is not logged as a failure", async () => {
    const quiet = makeEdge(env);
    await quiet.fetch(`${LOCAL}/api/v1/me`);
    await quiet.fetch(`${LOCAL}/nothing`);
    expect(quiet.logged).toEqual([]);
  });

  it("[U-8] a database that is away is `unavailable`, and its line names no value", async () => {
    const away = failing({ DB: brokenDatabase() }).edge;
    const owner = await edge.visitor("owner");
    const response = await away.fetch(`${LOCAL}/api/v1/me`, { as: owner });
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ error: { code: "unavailable" } });
    expect(away.logged).toHaveLength(1);
    expect(JSON.stringify(away.logged)).not.toContain(owner.caller.sessionHash);
  });

  it("[U-8] an object that is overloaded or being moved is `unavailable`", async () => {
    const busy = makeEdge(env);
    const owner = await busy.visitor("owner");
    const { id, object } = await busy.conversation(owner);
    for (const property of ["overloaded", "retryable"]) {
      object.throwNext = Object.assign(new Error("try later"), { [property]: true });
      const response = await busy.fetch(`${LOCAL}/api/v1/conversations/${id}`, { as: owner });
      expect(response.status).toBe(503);
    }
  });

  it("[U-37] a missing binding is named in the log, and the answer is an id", async () => {
    const logged: object[] = [];
    const app: App = createApp(ROUTES, {
      config: checkConfig({}),
      host: () => new Host([], hostContext()),
      clock: testClock(),
      random: (bytes) => crypto.getRandomValues(bytes),
      fetch: () => Promise.reject(new Error("nothing is fetched here")),
      requestsPerMinute: 10,
      log: (_level, line) => logged.push(line),
    });
    const response = await app.fetch(new Request(`${LOCAL}/healthz`), { DB: env.DB });
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain("FILES");
    expect(JSON.stringify(logged)).toContain("The binding FILES is missing");
  });
});
