import { env } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { MAX_REQUESTS_PER_MINUTE, MAX_SENDERS, RateGuard } from "../../src/routes/guards/rate.ts";
import { Refuse } from "../../src/routes/refusal.ts";
import { ROUTES } from "../../src/routes/table.ts";
import { type EdgeRequest, LOCAL, makeEdge } from "../kit/edge.ts";
import { WatchedDatabase } from "../kit/watched-database.ts";

const MINUTE = 60_000;

/** The path of a route with something in each of its places. */
const pathOf = (path: string) => path.replace(":id", crypto.randomUUID()).replaceAll(/:\w+/g, "x").replace("*", "x");
const named = ROUTES.map((route) => [`${route.method} ${route.path}`, route] as const);
const signedIn = named.filter(([, { needs }]) => needs !== "nothing");
const open = named.filter(([, { needs }]) => needs === "nothing");
const from = (address: string): EdgeRequest => ({ headers: { "cf-connecting-ip": address } });

function whenRefused(run: () => void): number | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (error instanceof Refuse && error.code === "rate_limited") return error.retryAfterS;
    throw error;
  }
}

describe("the counter of requests", () => {
  it("[V-131] [V-133] takes 1,200 in a minute and not one more, and says truly when it takes the next", () => {
    const guard = new RateGuard(MAX_REQUESTS_PER_MINUTE);
    const ask = (now: number) => {
      const refused = whenRefused(() => guard.refuseOver("p", now));
      if (refused === undefined) guard.count("p", now);
      return refused;
    };
    for (let n = 0; n < 1_200; n++) expect(ask(n)).toBeUndefined();
    expect(ask(1_500)).toBe(59);
    expect(whenRefused(() => guard.refuseOver("another", 1_500))).toBeUndefined();
    expect(ask(MINUTE - 1)).toBe(1);
    expect(ask(1_500 + 59_000)).toBeUndefined();
  });

  it("[V-131] remembers 10,000 senders, and of one more forgets the oldest", () => {
    const full = (senders: number) => {
      const guard = new RateGuard(1);
      for (let n = 0; n < senders; n++) guard.count(`p${n}`, 0);
      return whenRefused(() => guard.refuseOver("p0", 0));
    };
    expect([full(MAX_SENDERS), full(MAX_SENDERS + 1)]).toEqual([60, undefined]);
  });
});

describe("one request more than are taken", () => {
  const database = new WatchedDatabase(env.DB);
  const edge = makeEdge(env, { requestsPerMinute: 1, bindings: { DB: database.d1 } });

  it.each(signedIn)("[V-131] [V-133] of a person is refused before anything is done: %s", async (_name, route) => {
    const as = await edge.visitor("owner");
    await edge.fetch(`${LOCAL}/api/v1/me`, { as });
    const before = edge.conversations.opened.size;
    const { method } = route;
    const body = method === "GET" ? {} : { json: { any: "thing" } };
    database.queries.length = 0;
    const refused = await edge.fetch(LOCAL + pathOf(route.path), { method, as, ...body });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "60"]);
    expect(database.queries.filter((query) => !query.startsWith("select"))).toEqual([]);
    expect(edge.conversations.opened.size).toBe(before);
  });

  it.each(signedIn)("[V-132] of nobody asks nothing of the database: %s", async (name, { method, path }) => {
    const init = { method, ...from(name) };
    const first = await edge.fetch(LOCAL + pathOf(path), init);
    expect(first.status).toBe(401);
    database.queries.length = 0;
    const refused = await edge.fetch(LOCAL + pathOf(path), init);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "60"]);
    expect(database.queries).toEqual([]);
  });

  it.each(open)("[V-132] [V-133] of an address is refused: %s", async (name, { method, path }) => {
    const init = { method, ...from(name) };
    expect((await edge.fetch(LOCAL + pathOf(path), init)).status).not.toBe(429);
    database.queries.length = 0;
    const refused = await edge.fetch(LOCAL + pathOf(path), init);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "60"]);
    expect(database.queries).toEqual([]);
    expect((await edge.fetch(LOCAL + pathOf(path), { method, ...from(`${name} elsewhere`) })).status).not.toBe(429);
  });
});

describe("Retry-After", () => {
  it("[V-133] of tries at owner codes is true at the latest when it says", async () => {
    const edge = makeEdge(env);
    edge.clock.time += 100 * MINUTE;
    const guess = () => edge.fetch(`${LOCAL}/auth/claim`, { method: "POST", json: { code: "guess" } });
    for (let n = 0; n < 10; n++) expect((await guess()).headers.get("retry-after")).toBeNull();
    const refused = await guess();
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "60"]);
    edge.clock.time += MINUTE;
    expect((await guess()).status).not.toBe(429);
  });

  it("[V-133] is a conversation's own word, and absent where waiting changes nothing", async () => {
    const edge = makeEdge(env);
    const as = await edge.visitor();
    const { id, object } = await edge.conversation(as);
    const send = () =>
      edge.fetch(`${LOCAL}/api/v1/conversations/${id}/messages`, { method: "POST", as, json: { id: "m", text: "x" } });
    object.refuseNext = { code: "rate_limited", message: "too many", retryAfterS: 7 };
    expect((await send()).headers.get("retry-after")).toBe("7");
    object.refuseNext = { code: "inbox_full", message: "full" };
    const full = await send();
    expect([full.status, full.headers.get("retry-after")]).toEqual([429, null]);
  });
});
