import { hashSessionId, newSessionId } from "../../src/auth/session-id.ts";
import type { AppEnv } from "../../src/env.ts";
import { Host, type Plugin } from "../../src/host/index.ts";
import type { Caller, Tier } from "../../src/people/facts.ts";
import { checkConfig } from "../../src/protocol/check-config.ts";
import type { ConfigInput } from "../../src/protocol/config.ts";
import { createApp } from "../../src/routes/app.ts";
import { MAX_REQUESTS_PER_MINUTE } from "../../src/routes/guards/rate.ts";
import type { AppDeps } from "../../src/routes/route.ts";
import { ROUTES } from "../../src/routes/table.ts";
import { type Database, openDatabase } from "../../src/store/database.ts";
import { addPerson, type TestClock, testClock } from "./directory.ts";
import { type FakeConversation, FakeNamespace } from "./fake-conversation.ts";
import { hostContext } from "./host-context.ts";

export const LOCAL = "http://127.0.0.1:8787";
export const REMOTE = "https://chat.example.com";

const FILES_OF_PAGE: Readonly<Record<string, readonly [string, string]>> = {
  "/": ["text/html; charset=utf-8", "<!doctype html><title>the page</title>"],
  "/assets/main-a1B2c3D4.js": ["text/javascript", "export {}"],
  "/favicon.svg": ["image/svg+xml", "<svg/>"],
};

/** Somebody signed in at an edge. */
export interface Visitor {
  readonly caller: Caller;
  /** The value of a Cookie header for loopback http and for https alike. */
  readonly cookie: string;
}

export interface EdgeRequest extends Omit<RequestInit, "headers"> {
  readonly as?: Visitor;
  /** `null` leaves Origin out. Default: the address's own for everything that is not a plain read. */
  readonly origin?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
}

/** The Worker's edge over real D1 and R2, with fake conversations and a fake page. */
export interface Edge {
  readonly db: Database;
  readonly clock: TestClock;
  readonly conversations: FakeNamespace;
  readonly logged: object[];
  readonly env: AppEnv;
  fetch(url: string, init?: EdgeRequest): Promise<Response>;
  visitor(tier?: Tier): Promise<Visitor>;
  /** A conversation that this visitor has created, and its UUID. */
  conversation(owner: Visitor): Promise<{ readonly id: string; readonly object: FakeConversation }>;
}

export interface EdgeOptions {
  readonly config?: ConfigInput;
  /** The plugins of the deployment; default: none. */
  readonly plugins?: readonly Plugin[];
  readonly bindings?: Readonly<Record<string, unknown>>;
  /** What answers in place of the providers that people sign in with; default: nothing may be asked. */
  readonly fetch?: AppDeps["fetch"];
  /** Default: as deployed. */
  readonly requestsPerMinute?: number;
}

export function makeEdge(
  bindings: Pick<AppEnv, "DB" | "FILES" | "PRINCIPAL" | "BUDGET">,
  {
    config = {},
    bindings: more = {},
    plugins = [],
    fetch: outside,
    requestsPerMinute = MAX_REQUESTS_PER_MINUTE,
  }: EdgeOptions = {},
): Edge {
  const db = openDatabase(bindings.DB);
  const clock = testClock();
  const logged: object[] = [];
  const conversations = new FakeNamespace(db, clock);
  const env: AppEnv = {
    ...bindings,
    CONVERSATION: conversations,
    ASSETS: { fetch: servePage },
    ALTHING_LOCAL_PORT: "8787",
    ...more,
  };
  const checked = checkConfig({ allowedHosts: ["chat.example.com"], ...config });
  const host = new Host(plugins, hostContext({ config: checked }));
  const app = createApp(ROUTES, {
    config: checked,
    host: () => host,
    clock,
    random: (bytes) => crypto.getRandomValues(bytes),
    fetch: outside ?? (() => Promise.reject(new Error("nothing is fetched here"))),
    requestsPerMinute,
    log: (_level, line) => logged.push(line),
  });
  const fetch = async (url: string, init: EdgeRequest = {}) => await app.fetch(makeRequest(url, init), env);
  return {
    db,
    clock,
    conversations,
    logged,
    env,
    fetch,
    async visitor(tier = "member") {
      const sessionId = newSessionId((bytes) => crypto.getRandomValues(bytes));
      const sessionHash = (await hashSessionId(sessionId)) ?? "";
      const caller = await addPerson(db, { tier, sessionHash, now: clock.now() });
      return { caller, cookie: `althing_dev=${sessionId}; __Host-althing=${sessionId}` };
    },
    async conversation(owner) {
      const id = crypto.randomUUID();
      await fetch(`${LOCAL}/api/v1/conversations`, { method: "POST", as: owner, json: { id } });
      return { id, object: conversations.getByName(`web:${id}`) };
    },
  };
}

function makeRequest(url: string, { as, origin, headers = {}, json, ...init }: EdgeRequest): Request {
  const { method = "GET" } = init;
  const request = new Request(url, {
    redirect: "manual",
    ...init,
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  });
  if (as !== undefined) request.headers.set("cookie", as.cookie);
  if (json !== undefined) request.headers.set("content-type", "application/json");
  const ownOrigin = method === "GET" || method === "HEAD" ? null : new URL(url).origin;
  const sent = origin === undefined ? ownOrigin : origin;
  if (sent !== null) request.headers.set("origin", sent);
  for (const [name, value] of Object.entries(headers)) request.headers.set(name, value);
  return request;
}

async function servePage(request: Request): Promise<Response> {
  const file = FILES_OF_PAGE[new URL(request.url).pathname];
  if (file === undefined) return new Response("no such file", { status: 404 });
  return new Response(file[1], { headers: { "content-type": file[0], etag: '"1"' } });
}
