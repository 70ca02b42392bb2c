import type { PluginRoute } from "./plugin-route.ts";

const PATH = /^(?:\/(?::[a-z][A-Za-z0-9]*|[a-z0-9][a-z0-9._-]*))+$/;

/** Whether a path may be a route's: segments of small letters, digits, `.`, `_`, `-`, or `:name`. */
export function isRoutePath(path: string): boolean {
  const names = segmentsOf(path).filter((segment) => segment.startsWith(":"));
  return PATH.test(path) && path.length <= 200 && new Set(names).size === names.length;
}

/** Whether some request would fit both. */
export function overlap(one: PluginRoute, other: PluginRoute): boolean {
  const [a, b] = [segmentsOf(one.path), segmentsOf(other.path)];
  if (one.method !== other.method || a.length !== b.length) return false;
  return a.every((segment, i) => isName(segment) || isName(b[i] ?? "") || segment === b[i]);
}

/** The one route that fits a request, and what its path names. */
export function matchRoute(
  routes: readonly PluginRoute[],
  method: string,
  path: string,
): { readonly route: PluginRoute; readonly params: { readonly [name: string]: string } } | undefined {
  const given = segmentsOf(path);
  for (const route of routes) {
    const wanted = segmentsOf(route.path);
    if (route.method !== method || wanted.length !== given.length) continue;
    if (!wanted.every((segment, i) => (isName(segment) ? given[i] !== "" : segment === given[i]))) continue;
    const named = wanted.flatMap((segment, i) =>
      isName(segment) ? [[segment.slice(1), given[i] ?? ""] as const] : [],
    );
    return { route, params: Object.fromEntries(named) };
  }
  return undefined;
}

function segmentsOf(path: string): readonly string[] {
  return path.split("/").slice(1);
}

function isName(segment: string): boolean {
  return segment.startsWith(":");
}
