import type { JsonObject } from "../lib/json.ts";
import { wellFormed } from "./well-formed.ts";

/** Half of a surrogate pair may hide in the text itself or in an escape. */
const MAY_BE_ILL_FORMED = /[\ud800-\udfff]|\\u[dD][89a-fA-F]/;

/**
 * A call's raw arguments as the object that wires demand in a history. What is no JSON object is wrapped whole under one
 * key, so that the model sees what it wrote; it is never repaired.
 */
export function argsObject(raw: string): JsonObject {
  const value = raw.trim() === "" ? {} : parse(raw);
  const isObject = value !== null && typeof value === "object" && !Array.isArray(value);
  const object = isObject ? (value as JsonObject) : { INVALID_JSON: raw };
  return MAY_BE_ILL_FORMED.test(raw) ? wellFormed(object) : object;
}

/** The same as a JSON text: good arguments stay as the model wrote them, byte for byte. */
export function argsText(raw: string): string {
  const value = argsObject(raw);
  const asWritten = raw.trim() !== "" && !("INVALID_JSON" in value) && !MAY_BE_ILL_FORMED.test(raw);
  return asWritten ? raw : JSON.stringify(value);
}

function parse(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch {
    return undefined;
  }
}
