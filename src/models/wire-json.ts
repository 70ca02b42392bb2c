/** A JSON object as a vendor sent it: nothing about it is promised. */
export type WireObject = { readonly [key: string]: unknown };

/** The value as an object, an empty one when it is something else. */
export function asObject(value: unknown): WireObject {
  return value !== null && typeof value === "object" && !Array.isArray(value) ? (value as WireObject) : {};
}

/** The value as a text, an empty one when it is something else. */
export function asText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The value as a finite number of at least 0, or undefined. */
export function asCount(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** The value as a list, an empty one when it is something else. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
