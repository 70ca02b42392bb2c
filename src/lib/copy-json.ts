import type { Json } from "./json.ts";

/** A copy of JSON that shares nothing with it, however deeply it is nested: `structuredClone` ends at the stack's end. */
export function copyJson<T extends Json>(value: T): T {
  const holder: { root?: Json } = {};
  const pending: { readonly from: Json; readonly put: (copy: Json) => void }[] = [
    { from: value, put: (copy) => void (holder.root = copy) },
  ];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { from, put } = next;
    if (typeof from !== "object" || from === null) {
      put(from);
    } else if (isList(from)) {
      const list: Json[] = Array.from({ length: from.length }, () => null);
      put(list);
      for (const [i, inner] of from.entries()) pending.push({ from: inner, put: (copy) => void (list[i] = copy) });
    } else {
      const object: { [key: string]: Json } = {};
      put(object);
      for (const [key, inner] of Object.entries(from)) {
        // Its place is kept now: what is copied later must not change the order of the keys.
        define(object, key, null);
        pending.push({ from: inner, put: (copy) => define(object, key, copy) });
      }
    }
  }
  return holder.root as T;
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

/** Not by assignment: `__proto__` is a key like any other. */
function define(object: { [key: string]: Json }, key: string, value: Json): void {
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}
