import type { Json } from "../lib/json.ts";
import { fitArguments, MAX_CARD_ARGUMENT_BYTES, MIN_STRING_UNITS } from "./fit-arguments.ts";
import { largestFitting } from "./largest-fitting.ts";
import { fitPieces, joinPieces, jsonTextBytes, showJson } from "./show-json.ts";

/** Bytes of one argument served whole, as JSON. */
export const MAX_ARGUMENT_TEXT_BYTES = 256 * 1024;

/**
 * One argument of a call, whole up to 256 KiB, longer ones cut as on a card.
 * @param shownName the argument's name as the card shows it.
 * @returns undefined when the card shows no such argument.
 */
export function argumentText(call: { readonly input: Json }, shownName: string): string | undefined {
  const found = fitArguments(call.input, MAX_CARD_ARGUMENT_BYTES).find((one) => one.shown.name === shownName);
  return found && showWithin(found.value, MAX_ARGUMENT_TEXT_BYTES);
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
