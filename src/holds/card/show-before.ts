import { canonicalJson } from "../../lib/canonical.ts";
import type { Json, JsonObject } from "../../lib/json.ts";
import type { EditedArgument } from "../../protocol/cards.ts";
import { fitArguments } from "./fit-arguments.ts";

/**
 * What an edit replaced: each argument that is not as it was, in canonical order, as it was. Where either input is no object
 * the whole of it counts as one.
 * @param maxBytes of all of them as JSON, at least 2,400.
 */
export function showBefore(before: Json, after: Json, maxBytes: number): readonly EditedArgument[] {
  if (!isObject(before) || !isObject(after)) return show(before, maxBytes);
  const changed = Object.keys(before).filter((key) => !Object.hasOwn(after, key) || !isSame(before[key], after[key]));
  const added = Object.keys(after).filter((key) => !Object.hasOwn(before, key));
  const pick = (object: JsonObject, keys: readonly string[]) =>
    Object.fromEntries(keys.map((key) => [key, object[key] as Json]));
  const without = Object.fromEntries(added.map((key) => [key, null]));
  return [
    ...show(pick(before, changed), maxBytes / 2),
    ...show(without, maxBytes / 2).map(({ name }) => ({ name, value: null })),
  ];
}

function show(input: Json, maxBytes: number): readonly EditedArgument[] {
  return fitArguments(input, maxBytes).map(({ shown }) => shown);
}

function isSame(a: Json | undefined, b: Json | undefined): boolean {
  return canonicalJson(a ?? null) === canonicalJson(b ?? null);
}

function isObject(input: Json): input is JsonObject {
  return input !== null && typeof input === "object" && !Array.isArray(input);
}
