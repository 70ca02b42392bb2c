import type { Json } from "./json.ts";

/** Canonical JSON: keys sorted at every level in code-unit order, no spaces. Equal values give equal text. */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map((item: Json) => canonicalJson(item)).join(",")}]`;
  if (value !== null && typeof value === "object") {
    const object = value as { readonly [key: string]: Json };
    const members = Object.keys(object)
      .sort()
      .map((key) => `${JSON.stringify(key)}:${canonicalJson(object[key] as Json)}`);
    return `{${members.join(",")}}`;
  }
  return JSON.stringify(value);
}
