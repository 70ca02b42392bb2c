import type { Json } from "../lib/json.ts";

/** A copy of a JSON value in which no text, key included, holds half of a surrogate pair: vendors cannot read those. */
export function wellFormed<T extends Json>(value: T): T {
  return copy(value) as T;
}

function copy(value: Json): Json {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map((item: Json) => copy(item));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key.toWellFormed(), copy(item)]));
}
