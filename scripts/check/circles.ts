import type { Finding } from "./finding.ts";
import type { Import } from "./imports.ts";

/** Circles of imports, type-only imports included: one finding per group of files that reach each other. */
export function checkCircles(imports: ReadonlyMap<string, readonly Import[]>): Finding[] {
  const graph = new Map([...imports].map(([path, list]) => [path, targetsOf(path, list)]));
  return groupsOf(graph).map((group) => {
    const [first = ""] = group;
    const circle = pathBack(graph, first);
    return {
      where: first,
      what: `circle of imports: ${circle.join(" → ")}. Move what both need into a file below them`,
    };
  });
}

function targetsOf(path: string, list: readonly Import[]): string[] {
  return list.map(({ target }) => target).filter((target) => target !== undefined && target !== path) as string[];
}

type Graph = ReadonlyMap<string, readonly string[]>;

/** Groups of two or more files that reach each other, each sorted. */
function groupsOf(graph: Graph): string[][] {
  const grouped = new Set<string>();
  const groups: string[][] = [];
  for (const path of [...graph.keys()].sort()) {
    if (grouped.has(path)) continue;
    const reached = reach(graph, path);
    if (!reached.has(path)) continue;
    const group = [...reached].filter((other) => reach(graph, other).has(path)).sort();
    for (const member of group) grouped.add(member);
    groups.push(group);
  }
  return groups;
}

/** Every file that `start` imports, directly or not; `start` itself only when it is in a circle. */
function reach(graph: Graph, start: string): Set<string> {
  const reached = new Set<string>();
  const open = [...(graph.get(start) ?? [])];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (reached.has(next)) continue;
    reached.add(next);
    open.push(...(graph.get(next) ?? []));
  }
  return reached;
}

/** The shortest way from a file back to itself. */
function pathBack(graph: Graph, start: string): string[] {
  const open: string[][] = [[start]];
  const seen = new Set<string>();
  for (let way = open.shift(); way !== undefined; way = open.shift()) {
    for (const next of graph.get(way.at(-1) ?? "") ?? []) {
      if (next === start) return [...way, start];
      if (!seen.has(next)) open.push([...way, next]);
      seen.add(next);
    }
  }
  return [start];
}
