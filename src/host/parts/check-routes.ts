import { TIERS } from "../../people/facts.ts";
import { PluginError } from "../plugin-error.ts";
import { isRoutePath, overlap } from "../routes/match-route.ts";
import type { PluginRoute } from "../routes/plugin-route.ts";

const METHODS = ["GET", "POST", "DELETE"];

/** @throws PluginError naming the plugin, the route and what is wrong with it. */
export function checkRoutes(plugin: string, routes: readonly PluginRoute[]): void {
  for (const [index, route] of routes.entries()) {
    const { method, path, tier, handle } = route;
    const fail = (what: string) => new PluginError("bad_part", `Plugin ${plugin}: the route ${method} ${path} ${what}`);
    if (!METHODS.includes(method)) throw fail(`needs a method: one of ${METHODS.join(", ")}.`);
    if (!isRoutePath(path))
      throw fail("needs a path like /scores/:game, of small letters, without a slash at its end.");
    if (!TIERS.includes(tier)) throw fail(`needs a tier: one of ${TIERS.join(", ")}.`);
    if (typeof handle !== "function") throw fail("has nothing to handle it.");
    const twin = routes.slice(0, index).find((other) => overlap(other, route));
    if (twin) {
      throw new PluginError(
        "clash",
        `Plugin ${plugin}: the routes ${method} ${twin.path} and ${method} ${path} fit the same requests: rename one of them.`,
      );
    }
  }
}
