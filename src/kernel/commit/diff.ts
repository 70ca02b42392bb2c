import type { Json } from "../../lib/json.ts";
import type { Op, Path } from "../../protocol/ops.ts";

/** Operations that turn one JSON document into another. Lists change by splices, equal parts cost nothing. */
export function diffJson(before: Json | undefined, after: Json | undefined, path: Path = []): Op[] {
  if (after === undefined) return before === undefined ? [] : [["d", path]];
  if (isList(before) && isList(after)) return diffLists(before, after, path);
  if (isObject(before) && isObject(after)) return diffObjects(before, after, path);
  if (Object.is(before, after)) return [];
  return path.length === 0 ? [["r", after]] : [["s", path, after]];
}

function diffObjects(
  before: { readonly [key: string]: Json },
  after: { readonly [key: string]: Json },
  path: Path,
): Op[] {
  const ops: Op[] = [];
  for (const key of Object.keys(before)) if (!Object.hasOwn(after, key)) ops.push(["d", [...path, key]]);
  for (const [key, value] of Object.entries(after)) {
    const old = Object.hasOwn(before, key) ? before[key] : undefined;
    for (const op of diffJson(old, value, [...path, key])) ops.push(op);
  }
  return ops;
}

function diffLists(before: readonly Json[], after: readonly Json[], path: Path): Op[] {
  if (before.length === after.length) return before.flatMap((item, i) => diffJson(item, after[i], [...path, i]));
  let start = 0;
  while (start < before.length && start < after.length && isSame(before[start], after[start])) start++;
  let end = 0;
  while (
    end < before.length - start &&
    end < after.length - start &&
    isSame(before[before.length - 1 - end], after[after.length - 1 - end])
  ) {
    end++;
  }
  return [["p", path, start, before.length - start - end, ...after.slice(start, after.length - end)]];
}

function isSame(a: Json | undefined, b: Json | undefined): boolean {
  return diffJson(a, b).length === 0;
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

function isObject(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
