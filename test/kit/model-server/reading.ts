/** A JSON object of a request, of unknown shape. */
export type Obj = { readonly [key: string]: unknown };

export function isObj(value: unknown): value is Obj {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

export function obj(value: unknown): Obj {
  return isObj(value) ? value : {};
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function str(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function isBlank(value: unknown): boolean {
  return typeof value !== "string" || value.trim() === "";
}
