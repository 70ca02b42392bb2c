import type { JsonObject } from "../lib/json.ts";

/**
 * A call's raw arguments as the object that wires demand in a history. What is no JSON object is wrapped whole under one
 * key, so that the model sees what it wrote; it is never repaired.
 */
export function argsObject(raw: string): JsonObject {
  if (raw.trim() === "") return {};
  const value = parse(raw);
  const isObject = value !== null && typeof value === "object" && !Array.isArray(value);
  return isObject ? (value as JsonObject) : { INVALID_JSON: raw.toWellFormed() };
}

/** The same as a JSON text: good arguments stay as the model wrote them, byte for byte. */
export function argsText(raw: string): string {
  const value = argsObject(raw);
  return "INVALID_JSON" in value || raw.trim() === "" ? JSON.stringify(value) : raw;
}

function parse(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch {
    return undefined;
  }
}
