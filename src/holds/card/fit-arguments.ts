import { utf8Bytes } from "../../lib/bytes.ts";
import { canonicalJson } from "../../lib/canonical.ts";
import type { Json } from "../../lib/json.ts";
import { sha256Hex } from "../../lib/sha256.ts";
import type { CardArgument } from "../../protocol/cards.ts";
import { largestFitting } from "./largest-fitting.ts";
import { fitPieces, isCut, joinPieces, listWithin, type Piece, showJson, showName, showString } from "./show-json.ts";

/** The name under which an input that is no object is shown. */
export const INPUT_NAME = "\\input";
/** A string keeps so many UTF-16 units even when it is cut. */
export const MIN_STRING_UNITS = 200;
/** Bytes that a value keeps when all strings are as short as may be and it is still too long. */
const MIN_VALUE_BYTES = 400;
/** Bytes of the list that names the arguments which did not fit, and of the whole entry that holds it. */
const MAX_REST_LIST_BYTES = 800;
const MAX_REST_BYTES = 1_100;
/** What an argument takes in JSON at the very least, its comma included. */
const LEAST_ARGUMENT_BYTES = '{"name":"a","value":"1"},'.length;

/** One argument as a card shows it. */
export interface FittedArgument {
  readonly shown: CardArgument;
  /** Value or name are not whole. */
  readonly cut: boolean;
}

/** `key` undefined: the input is no object and is one nameless argument. */
interface Argument {
  readonly key: string | undefined;
  readonly value: Json;
  readonly whole: string;
}

/**
 * Every argument in canonical order, within `maxBytes` of JSON. What is too long is cut: first the longest strings, all
 * to one length; then the longest values, all to one size; last the arguments at the end, whose names the host's own
 * entry `\rest(…)` lists. A cut names full length and digest. Two different inputs never give the same list.
 * @param maxBytes at least 1,200.
 */
export function fitArguments(input: Json, maxBytes: number): readonly FittedArgument[] {
  const all = argumentsOf(input);
  if (all.length * LEAST_ARGUMENT_BYTES > maxBytes) return dropRest(all, maxBytes);
  const fits = (list: readonly FittedArgument[]) => utf8Bytes(JSON.stringify(list.map((one) => one.shown))) <= maxBytes;
  const whole = all.map((one) => fitArgument(one, Number.POSITIVE_INFINITY));
  if (fits(whole)) return whole;
  const cutStrings = (units: number) => all.map((one) => fitArgument(one, units));
  const shortest = all.map((one) => showJson(one.value, MIN_STRING_UNITS));
  const cutValues = (bytes: number) => all.map((one, i) => cutArgument(one, shortest[i] ?? [], bytes));
  return (
    largestFitting(MIN_STRING_UNITS, maxBytes, cutStrings, fits) ??
    largestFitting(MIN_VALUE_BYTES, maxBytes, cutValues, fits) ??
    dropRest(all, maxBytes)
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

/** An argument with strings of at most so many units. */
function fitArgument(argument: Argument, stringUnits: number): FittedArgument {
  return newFitted(argument, joinPieces(showJson(argument.value, stringUnits)), stringUnits);
}

/** An argument with its strings as short as may be, and so many bytes of that. */
function cutArgument(argument: Argument, pieces: readonly Piece[], valueBytes: number): FittedArgument {
  return newFitted(argument, fitPieces(pieces, valueBytes), MIN_STRING_UNITS);
}

function newFitted({ key, value, whole }: Argument, text: string, nameUnits: number): FittedArgument {
  const name = key === undefined ? INPUT_NAME : showName(key, nameUnits);
  if (text !== whole) return { shown: { name, value: text, cut: cutOf(value, whole) }, cut: true };
  return { shown: { name, value: text }, cut: key !== undefined && isCut(key, nameUnits) };
}

/** As many arguments as fit, and one entry of the host's own for the others. */
function dropRest(all: readonly Argument[], maxBytes: number): readonly FittedArgument[] {
  const kept: FittedArgument[] = [];
  let room = maxBytes - MAX_REST_BYTES;
  for (const one of all) {
    const fitted = cutArgument(one, showJson(one.value, MIN_STRING_UNITS), MIN_VALUE_BYTES);
    room -= utf8Bytes(JSON.stringify(fitted.shown)) + 1;
    if (room < 0) break;
    kept.push(fitted);
  }
  return [...kept, fitRest(all.slice(kept.length))];
}

function fitRest(rest: readonly Argument[]): FittedArgument {
  const value = Object.fromEntries(rest.map((one) => [one.key ?? "", one.value]));
  const names = rest.map((one) => showString(one.key ?? "", MIN_STRING_UNITS));
  const shown = {
    name: `\\rest(${rest.length} arguments)`,
    value: listWithin(names, MAX_REST_LIST_BYTES),
    cut: cutOf(value, joinPieces(showJson(value))),
  };
  return { shown, cut: true };
}

/** Length of what "view all" shows, and the digest of the value itself. */
function cutOf(value: Json, whole: string): { readonly length: number; readonly sha256: string } {
  return { length: whole.length, sha256: sha256Hex(canonicalJson(value)) };
}
