import { utf8Bytes } from "../lib/bytes.ts";
import type { Json } from "../lib/json.ts";
import type { CardArgument } from "../protocol/view.ts";
import { sha256Hex } from "./digest.ts";
import { largestFitting } from "./largest-fitting.ts";
import { fitPieces, isCut, joinPieces, listWithin, showJson, showName, showString } from "./show-json.ts";

/** Bytes of all arguments of a card as JSON. */
export const MAX_CARD_ARGUMENT_BYTES = 10 * 1024;
/** A string keeps so many UTF-16 units even when it is cut. */
export const MIN_STRING_UNITS = 200;
/** Bytes that a value keeps when all strings are as short as may be and it is still too long. */
const MIN_VALUE_BYTES = 400;
/** Bytes of the list that names the arguments which did not fit. */
const MAX_REST_LIST_BYTES = 800;
/** What an argument takes in JSON at the very least, its comma included. */
const LEAST_ARGUMENT_BYTES = '{"name":"a","value":"1"},'.length;

/** One shown argument and the value it stands for. */
export interface FittedArgument {
  readonly shown: CardArgument;
  readonly value: Json;
  /** Value or name are not whole. */
  readonly cut: boolean;
}

/** `key` undefined: the input is no object and is one nameless argument. */
interface Argument {
  readonly key: string | undefined;
  readonly value: Json;
  readonly whole: string;
}

interface Limits {
  readonly stringUnits: number;
  readonly valueBytes: number;
}

const UNLIMITED: Limits = { stringUnits: Number.POSITIVE_INFINITY, valueBytes: Number.POSITIVE_INFINITY };

/**
 * Every argument in canonical order, within `maxBytes` of JSON. What is too long is cut: first the longest strings, all
 * to one length; then the longest values, all to one size; last the arguments at the end, whose names the host's own
 * entry `\rest(…)` lists. A cut names full length and digest. Two different inputs never give the same list.
 */
export function fitArguments(input: Json, maxBytes: number): readonly FittedArgument[] {
  const all = argumentsOf(input);
  const fits = (list: readonly FittedArgument[]) => utf8Bytes(JSON.stringify(list.map((one) => one.shown))) <= maxBytes;
  if (all.length * LEAST_ARGUMENT_BYTES > maxBytes) return dropRest(all, maxBytes, fits);
  const whole = all.map((one) => fitArgument(one, UNLIMITED));
  if (fits(whole)) return whole;
  const cutStrings = (stringUnits: number) => fitAll(all, { ...UNLIMITED, stringUnits });
  const cutValues = (valueBytes: number) => fitAll(all, { stringUnits: MIN_STRING_UNITS, valueBytes });
  return (
    largestFitting(MIN_STRING_UNITS, maxBytes, cutStrings, fits) ??
    largestFitting(MIN_VALUE_BYTES, maxBytes, cutValues, fits) ??
    dropRest(all, maxBytes, fits)
  );
}

function argumentsOf(input: Json): readonly Argument[] {
  if (input === null || typeof input !== "object" || Array.isArray(input)) return [newArgument(undefined, input)];
  const object = input as { readonly [key: string]: Json };
  return Object.keys(object)
    .sort()
    .map((key) => newArgument(key, object[key] as Json));
}

function newArgument(key: string | undefined, value: Json): Argument {
  return { key, value, whole: joinPieces(showJson(value)) };
}

function fitAll(all: readonly Argument[], limits: Limits): readonly FittedArgument[] {
  return all.map((one) => fitArgument(one, limits));
}

function fitArgument({ key, value, whole }: Argument, { stringUnits, valueBytes }: Limits): FittedArgument {
  const text = fitPieces(showJson(value, stringUnits), valueBytes);
  const name = key === undefined ? "\\input" : showName(key, stringUnits);
  if (text === whole) return { shown: { name, value: text }, value, cut: key !== undefined && isCut(key, stringUnits) };
  return { shown: { name, value: text, cut: cutOf(whole) }, value, cut: true };
}

/** As many arguments as fit, and one entry of the host's own for the others. */
function dropRest(
  all: readonly Argument[],
  maxBytes: number,
  fits: (list: readonly FittedArgument[]) => boolean,
): readonly FittedArgument[] {
  const limits = { stringUnits: MIN_STRING_UNITS, valueBytes: MIN_VALUE_BYTES };
  const most = Math.min(all.length - 1, Math.floor(maxBytes / LEAST_ARGUMENT_BYTES));
  const list = (kept: number) => [...fitAll(all.slice(0, kept), limits), fitRest(all.slice(kept))];
  return largestFitting(0, most, list, fits) ?? list(0);
}

function fitRest(rest: readonly Argument[]): FittedArgument {
  const value = Object.fromEntries(rest.map((one) => [one.key ?? "", one.value]));
  const names = listWithin(
    rest.map((one) => showString(one.key ?? "", MIN_STRING_UNITS)),
    MAX_REST_LIST_BYTES,
  );
  const shown = { name: `\\rest(${rest.length} arguments)`, value: names, cut: cutOf(joinPieces(showJson(value))) };
  return { shown, value, cut: true };
}

/** The digest is of the escaped text, which is what "view all" shows. */
function cutOf(whole: string): { readonly length: number; readonly sha256: string } {
  return { length: whole.length, sha256: sha256Hex(whole) };
}
