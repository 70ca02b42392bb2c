import { describe, expect, it } from "vitest";
import { MAX_ROUTE_MS, matchRoute } from "../../src/host/index.ts";
import type { PluginRoute } from "../../src/host/routes/plugin-route.ts";
import { runPluginRoute } from "../../src/routes/plugins/run-plugin-route.ts";
import { stopOf } from "../kit/stop-of.ts";
import { hostOf, pluginWith } from "./plugin-with.ts";

const route = (path: string, changes: object = {}): PluginRoute => ({
  method: "GET",
  path,
  tier: "member",
  handle: () => Promise.resolve(new Response("ok")),
  ...changes,
});
const stop = (...routes: readonly PluginRoute[]) => stopOf(() => hostOf(pluginWith("dice", { routes })));

describe("routes", () => {
  it("[X-47] an answer that takes too long is given up, and so is what listens to nobody", async () => {
    const deaf = route("/slow", { handle: () => new Promise(() => undefined) });
    const request = {
      principalId: "p_a",
      tier: "member",
      params: {},
      body: "",
      url: new URL("https://a.example/"),
    } as const;
    const run = runPluginRoute("dice", deaf, { ...request, signal: AbortSignal.timeout(1) });
    await expect(run).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("dice has not answered"),
    });
    expect(MAX_ROUTE_MS).toBe(30_000);
  });

  it.each(["", "scores", "/", "/scores/", "/Scores", "/a//b", "/:A", "/:x/:x", "/a b", "/..", `/${"a".repeat(200)}`])(
    "[X-46] the path %j is refused",
    (path) => {
      expect(stop(route(path)).message).toContain("needs a path like /scores/:game");
    },
  );

  it.each<[string, object, string]>([
    ["method", { method: "PUT" }, "needs a method"],
    ["tier", { tier: "boss" }, "needs a tier"],
    ["handler", { handle: undefined }, "nothing to handle it"],
  ])("[X-46] an unknown %s is refused", (_what, changes, sentence) => {
    expect(stop(route("/scores", changes)).message).toContain(sentence);
  });

  it.each([
    ["/scores", "/scores"],
    ["/scores/:game", "/scores/:other"],
    ["/scores/:game", "/scores/best"],
    ["/:a/best", "/scores/:b"],
  ])("[X-46] %s and %s overlap and stop the start", (one, other) => {
    const { code, message } = stop(route(one), route(other));
    expect([code, message]).toEqual(["clash", expect.stringContaining("fit the same requests")]);
  });

  it("[X-46] what differs in method, length or a word does not", () => {
    const routes = [route("/a"), route("/a", { method: "POST" }), route("/a/:b"), route("/b/:c"), route("/a/b/c")];
    expect(hostOf(pluginWith("dice", { routes })).routesOf("dice")).toEqual(routes);
  });

  it("[X-45] a path is matched whole, and what it names is given", () => {
    const routes = [route("/scores/:game/best"), route("/scores")];
    expect(matchRoute(routes, "GET", "/scores/dice/best")).toEqual({ route: routes[0], params: { game: "dice" } });
    for (const path of ["/scores/", "/scores//best", "/scores/dice", "/score", ""]) {
      expect(matchRoute(routes, "GET", path)).toBeUndefined();
    }
    expect(matchRoute(routes, "POST", "/scores")).toBeUndefined();
  });
});
