import type { Json, JsonObject } from "../../lib/json.ts";
import { CORE_CONFIG } from "../state/core-config.ts";
import type { Slices } from "./namespace-states.ts";

/** The kernel's own documents: both follow the transcript, so a rewind or fork takes them back too. */
export const CONFIG = "core.config";
export const PINS = "core.pins";

/** Every configuration key: what was set, else its default. A stored null is a value. */
export function resolveConfig(declared: ReadonlyMap<string, Json>, slices: Slices): { readonly [key: string]: Json } {
  const stored = slices.rewindable.get(CONFIG);
  const config: { [key: string]: Json } = { ...CORE_CONFIG, ...Object.fromEntries(declared) };
  for (const key of Object.keys(config)) {
    if (stored && Object.hasOwn(stored, key)) config[key] = stored[key] as Json;
  }
  return config;
}

/** Ids of the entries that every request carries, in the order of the transcript. */
export function pinsOf(slices: Slices): readonly number[] {
  return pinsIn(slices.rewindable.get(PINS));
}

/** As {@link pinsOf}, of the document as stored. */
export function pinsIn(document: JsonObject | undefined): readonly number[] {
  return (document as { readonly entries?: readonly number[] } | undefined)?.entries ?? [];
}

/** The pins as stored. */
export function pinsDocument(entries: readonly number[]): JsonObject {
  return { entries: entries.toSorted((a, b) => a - b) };
}
