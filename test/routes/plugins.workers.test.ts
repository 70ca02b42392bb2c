import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { definePlugin, type Plugin, type PluginRequest } from "../../src/host/index.ts";
import { migrationHash } from "../../src/host/migrations/plugin-migration.ts";
import { MAX_ROUTE_BODY_BYTES } from "../../src/host/routes/plugin-route.ts";
import { LOCAL, makeEdge } from "../kit/edge.ts";

const PATH = `${LOCAL}/plugins/dice/scores/craps`;

/** A plugin with scores to read for members, and to reset for admins. */
function dice(seen: PluginRequest[] = []): Plugin {
  const take = async (request: PluginRequest) => {
    seen.push(request);
    if (request.body === "break") throw new Error("the secret is 12");
    return Response.json({ body: request.body.length });
  };
  return definePlugin({
    name: "dice",
    setup: () => ({
      routes: [
        { method: "GET", path: "/scores/:game", tier: "member", handle: take },
        { method: "POST", path: "/scores/:game", tier: "admin", handle: take },
      ],
    }),
  });
}

const codeOf = async (response: Response) =>
  [response.status, (await response.json<{ error: { code: string } }>()).error.code] as const;

describe("plugins' routes", () => {
  it("[X-45] answer people of the tier, who are known to the plugin by their principal", async () => {
    const seen: PluginRequest[] = [];
    const edge = makeEdge(env, { plugins: [dice(seen)] });
    const [member, admin] = [await edge.visitor("member"), await edge.visitor("admin")];
    expect((await edge.fetch(`${PATH}?by=day`, { as: member })).status).toBe(200);
    expect(seen).toMatchObject([{ principalId: member.caller.principalId, tier: "member", params: { game: "craps" } }]);
    expect(seen[0]?.url.searchParams.get("by")).toBe("day");
    expect(await codeOf(await edge.fetch(PATH, { as: member, method: "POST" }))).toEqual([403, "forbidden"]);
    const post = await edge.fetch(PATH, { as: admin, method: "POST", body: "12345" });
    expect([post.status, await post.json()]).toEqual([200, { body: 5 }]);
    expect(post.headers.get("content-security-policy")).toContain("default-src 'self'");
    expect(seen).toHaveLength(2);
  });

  it("[X-45] nobody unknown, no guest, no other origin, nothing that is not there", async () => {
    const edge = makeEdge(env, { plugins: [dice()] });
    const [guest, admin] = [await edge.visitor("guest"), await edge.visitor("admin")];
    expect(await codeOf(await edge.fetch(PATH))).toEqual([401, "unauthenticated"]);
    expect(await codeOf(await edge.fetch(PATH, { as: guest }))).toEqual([403, "forbidden"]);
    const foreign = await edge.fetch(PATH, { as: admin, method: "POST", origin: "https://evil.example" });
    expect(foreign.status).toBe(403);
    for (const path of ["dice/scores", "dice/scores/craps/best", "cards/scores/craps", "toString/x"]) {
      const response = await edge.fetch(`${LOCAL}/plugins/${path}`, { as: admin });
      expect(await codeOf(response), path).toEqual([404, "not_found"]);
    }
    expect(await codeOf(await edge.fetch(PATH, { as: admin, method: "DELETE" }))).toEqual([404, "not_found"]);
  });

  it("[X-47] a body at the limit is given whole, beyond it is refused; a handler that throws is an id", async () => {
    const edge = makeEdge(env, { plugins: [dice()] });
    const admin = await edge.visitor("admin");
    const post = (body: string) => edge.fetch(PATH, { as: admin, method: "POST", body });
    expect(await (await post("x".repeat(MAX_ROUTE_BODY_BYTES))).json()).toEqual({ body: MAX_ROUTE_BODY_BYTES });
    expect(await codeOf(await post("x".repeat(MAX_ROUTE_BODY_BYTES + 1)))).toEqual([413, "too_large"]);
    const broken = await post("break");
    expect(broken.status).toBe(500);
    expect(await broken.text()).not.toContain("secret");
    expect(edge.logged).toHaveLength(1);
  });
});

describe("the ledger of migrations", () => {
  const migration = { id: "0001", when: "once", sql: "SELECT 1" } as const;
  const plugin = (name: string) => definePlugin({ name, migrations: [migration], setup: () => ({}) });
  const note = (name: string, hash: string) =>
    env.DB.prepare("INSERT OR REPLACE INTO plugin_migrations VALUES (?, '0001', ?, 1)").bind(name, hash).run();

  it("[X-44] requests are refused until it is right, and then nothing is compared again", async () => {
    const edge = makeEdge(env, { plugins: [plugin("late")] });
    const visitor = await edge.visitor();
    const ask = () => edge.fetch(`${LOCAL}/api/v1/me`, { as: visitor });
    const refused = await ask();
    expect(refused.status).toBe(503);
    expect(await refused.text()).toContain("lacks the migration 0001 of plugin late: run npm run migrate here");
    expect((await edge.fetch(`${LOCAL}/healthz`)).status).toBe(200);
    await note("late", "another version");
    expect(await (await ask()).text()).toContain("holds another version of the migration 0001");
    await note("late", migrationHash(migration));
    expect((await ask()).status).toBe(200);
    await env.DB.prepare("DELETE FROM plugin_migrations").run();
    expect((await ask()).status).toBe(200);
    expect(
      (await makeEdge(env, { plugins: [plugin("late")] }).fetch(`${LOCAL}/api/v1/me`, { as: visitor })).status,
    ).toBe(503);
  });
});
