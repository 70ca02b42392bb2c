import type { Json } from "../lib/json.ts";

export type PathStep = string | number;
export type Path = readonly PathStep[];

/**
 * One change of a view: `s` sets the value at a path, `d` deletes the key at a path, `p` splices an array
 * (index, how many to remove, items to insert), `r` replaces the whole document.
 */
export type Op =
  | readonly ["s", Path, Json]
  | readonly ["d", Path]
  | readonly ["p", Path, number, number, ...Json[]]
  | readonly ["r", Json];

/**
 * Applies operations to a document without changing it: untouched branches keep their identity.
 * @throws when a path does not exist: the replica has gone astray and must ask for a snapshot.
 */
export function foldOps(document: Json, ops: readonly Op[]): Json {
  return ops.reduce<Json>((current, op) => foldOp(current, op), document);
}

function foldOp(document: Json, op: Op): Json {
  switch (op[0]) {
    case "r":
      return op[1];
    case "s":
      return change(document, op[1], 0, () => op[2]);
    case "d":
      return change(document, op[1], 0, () => undefined);
    case "p": {
      const [, path, index, remove, ...items] = op;
      return change(document, path, 0, (value) => splice(value, index, remove, items));
    }
  }
}

function splice(value: Json | undefined, index: number, remove: number, items: readonly Json[]): Json {
  if (!Array.isArray(value)) throw new Error("fold: a splice needs an array");
  if (index < 0 || index + remove > value.length) throw new Error("fold: a splice is out of range");
  const list = value as readonly Json[];
  return [...list.slice(0, index), ...items, ...list.slice(index + remove)];
}

function change(
  value: Json | undefined,
  path: Path,
  depth: number,
  edit: (old: Json | undefined) => Json | undefined,
): Json {
  const step = path[depth];
  if (step === undefined) {
    const edited = edit(value);
    if (edited === undefined) throw new Error("fold: the root cannot be deleted");
    return edited;
  }
  if (Array.isArray(value)) return changeItem(value, path, depth, edit);
  if (value === null || typeof value !== "object") throw new Error(`fold: no container at ${JSON.stringify(path)}`);
  const object = value as { readonly [key: string]: Json };
  const key = String(step);
  const isLast = depth === path.length - 1;
  const edited = isLast ? edit(ownValue(object, key)) : change(ownValue(object, key), path, depth + 1, edit);
  if (edited !== undefined) return { ...object, [key]: edited };
  const { [key]: _gone, ...rest } = object;
  return rest;
}

function changeItem(
  list: readonly Json[],
  path: Path,
  depth: number,
  edit: (old: Json | undefined) => Json | undefined,
): Json {
  const index = path[depth];
  if (typeof index !== "number" || index < 0 || index >= list.length) {
    throw new Error(`fold: no item at ${JSON.stringify(path)}`);
  }
  const isLast = depth === path.length - 1;
  const edited = isLast ? edit(list[index]) : change(list[index], path, depth + 1, edit);
  if (edited === undefined) throw new Error("fold: items are removed by splices");
  return list.map((item, i) => (i === index ? edited : item));
}

function ownValue(object: { readonly [key: string]: Json }, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
