/** A value that survives `JSON.stringify` → `JSON.parse` unchanged. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A JSON object, the shape of every stored document. */
export type JsonObject = { readonly [key: string]: Json };

/** Says where a value stopped being JSON, and why. */
export interface JsonFault {
  readonly path: string;
  readonly reason: string;
}

/**
 * Finds the first place where a value is not strict JSON: undefined, NaN, infinities, bigint, functions, symbols,
 * class instances (dates, maps), sparse arrays and cycles. Returns undefined for good JSON.
 */
export function findJsonFault(value: unknown, path = "$", seen: Set<object> = new Set()): JsonFault | undefined {
  switch (typeof value) {
    case "string":
    case "boolean":
      return undefined;
    case "number":
      return Number.isFinite(value) ? undefined : { path, reason: `${value} is not a JSON number` };
    case "object":
      return value === null ? undefined : findFaultInside(value, path, seen);
    default:
      return { path, reason: `${typeof value} cannot be stored` };
  }
}

function findFaultInside(value: object, path: string, seen: Set<object>): JsonFault | undefined {
  if (seen.has(value)) return { path, reason: "the value contains itself" };
  seen.add(value);
  try {
    return Array.isArray(value) ? findFaultInArray(value, path, seen) : findFaultInObject(value, path, seen);
  } finally {
    seen.delete(value);
  }
}

function findFaultInArray(value: readonly unknown[], path: string, seen: Set<object>): JsonFault | undefined {
  for (let i = 0; i < value.length; i++) {
    const fault = findJsonFault(value[i], `${path}[${i}]`, seen);
    if (fault) return fault;
  }
  return undefined;
}

function findFaultInObject(value: object, path: string, seen: Set<object>): JsonFault | undefined {
  const proto: unknown = Object.getPrototypeOf(value);
  if (proto !== Object.prototype && proto !== null) {
    return { path, reason: `an instance of ${value.constructor?.name ?? "a class"} cannot be stored` };
  }
  for (const [key, inner] of Object.entries(value)) {
    const fault = findJsonFault(inner, `${path}.${key}`, seen);
    if (fault) return fault;
  }
  return undefined;
}
