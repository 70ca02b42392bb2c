import type { Json, JsonObject } from "../../lib/json.ts";
import { escapeText } from "./escape.ts";
import { INPUT_NAME, MIN_STRING_UNITS } from "./fit-arguments.ts";
import { largestFitting } from "./largest-fitting.ts";
import { cutRemark, fitPieces, joinPieces, jsonTextBytes, showJson, WHOLE_DIGEST } from "./show-json.ts";

/** Bytes of one argument served whole, as JSON. */
const MAX_ARGUMENT_TEXT_BYTES = 256 * 1024;

const REST_NAME = /^\\rest\((\d+) arguments\)$/;

/**
 * One argument of a call, whole up to 256 KiB, longer ones cut as on a card.
 * @param shownName the argument's name as a card shows it, the host's own names and cut ones included.
 * @returns undefined when no card of this call shows such an argument.
 */
export function argumentText(call: { readonly input: Json }, shownName: string): string | undefined {
  const value = findArgument(call.input, shownName);
  return value === undefined ? undefined : showWithin(value, MAX_ARGUMENT_TEXT_BYTES);
}

function findArgument(input: Json, shownName: string): Json | undefined {
  if (!isObject(input)) return shownName === INPUT_NAME ? input : undefined;
  const keys = Object.keys(input).sort();
  const [, count] = REST_NAME.exec(shownName) ?? [];
  if (count !== undefined) return findRest(input, keys, Number(count));
  const key = keys.find((one) => escapeText(one) === shownName || isCutName(one, shownName));
  return key === undefined ? undefined : input[key];
}

/** The last arguments in canonical order: those that a card lists by name alone. */
function findRest(input: JsonObject, keys: readonly string[], count: number): Json | undefined {
  if (count < 1 || count > keys.length) return undefined;
  return Object.fromEntries(keys.slice(-count).map((key) => [key, input[key] as Json]));
}

function isCutName(key: string, shownName: string): boolean {
  return shownName.includes(`\\cut(${key.length} units`) && shownName.endsWith(cutRemark(key, WHOLE_DIGEST));
}

function isObject(input: Json): input is JsonObject {
  return input !== null && typeof input === "object" && !Array.isArray(input);
}

function showWithin(value: Json, maxBytes: number): string {
  const whole = joinPieces(showJson(value));
  const fits = (text: string) => jsonTextBytes(text) <= maxBytes;
  if (fits(whole)) return whole;
  const cutStrings = (units: number) => joinPieces(showJson(value, units));
  return (
    largestFitting(MIN_STRING_UNITS, maxBytes, cutStrings, fits) ??
    fitPieces(showJson(value, MIN_STRING_UNITS), maxBytes)
  );
}
