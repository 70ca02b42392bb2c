import { utf8Bytes } from "../../lib/bytes.ts";
import { canonicalJson } from "../../lib/canonical.ts";
import { cutText } from "../../lib/cut.ts";
import type { Json } from "../../lib/json.ts";
import { sha256Hex } from "../../lib/sha256.ts";
import { escapeText, quoteText } from "./escape.ts";
import { remarkOnHosts } from "./host-for-card.ts";

/** A stretch of shown JSON that is never cut inside. `key` is set on the name of a member, as shown. */
export interface Piece {
  readonly text: string;
  readonly key?: string;
}

/** Hex digits of a digest that nothing else repeats. */
export const WHOLE_DIGEST = 64;
/** Hex digits of the digests inside a value; the whole value's digest stands beside it. */
const SHORT_DIGEST = 16;
/** A string is cut only when that saves something: the remark itself takes about this much. */
const CUT_SLACK_UNITS = 64;
/** Bytes of the list of hidden keys in a remark, and of the whole remark. */
const MAX_KEY_LIST_BYTES = 200;
const MAX_REMARK_BYTES = 300;

/**
 * JSON in canonical order as the host shows it, in pieces: strings quoted and escaped, those longer than `maxUnits`
 * UTF-16 units cut, with a remark after the closing quote that names full length and digest.
 */
export function showJson(value: Json, maxUnits = Number.POSITIVE_INFINITY): Piece[] {
  const pieces: Piece[] = [];
  addPieces(pieces, value, maxUnits);
  return pieces;
}

/** Joins pieces to text. */
export function joinPieces(pieces: readonly Piece[]): string {
  return pieces.map((piece) => piece.text).join("");
}

/** True when {@link showJson} cuts a string of this length. */
export function isCut(text: string, maxUnits: number): boolean {
  return text.length > maxUnits + CUT_SLACK_UNITS;
}

/** The name of an argument as shown: escaped, unquoted; a cut one with its whole digest. */
export function showName(name: string, maxUnits: number): string {
  if (!isCut(name, maxUnits)) return escapeText(name);
  return escapeText(cutText(name, maxUnits)) + cutRemark(name, WHOLE_DIGEST);
}

/** Length of a text in bytes as part of a JSON document, quotes not counted. */
export function jsonTextBytes(text: string): number {
  return utf8Bytes(JSON.stringify(text)) - 2;
}

/**
 * The pieces that fit into `maxBytes` of a JSON document, then a remark that names the full length in UTF-16 units and
 * the member names that are hidden. All pieces, without a remark, when they fit.
 */
export function fitPieces(pieces: readonly Piece[], maxBytes: number): string {
  let bytes = 0;
  let kept = 0;
  for (const piece of pieces) {
    bytes += jsonTextBytes(piece.text);
    if (bytes > maxBytes) return joinPieces(pieces.slice(0, kept)) + hiddenRemark(pieces, kept);
    if (bytes <= maxBytes - MAX_REMARK_BYTES) kept++;
  }
  return joinPieces(pieces);
}

/** As many names as fit into so many bytes of a JSON document, and how many there are besides. */
export function listWithin(names: readonly string[], maxBytes: number): string {
  const named: string[] = [];
  let room = maxBytes;
  for (const name of names) {
    room -= jsonTextBytes(name) + 2;
    if (room < 0) break;
    named.push(name);
  }
  const more = names.length - named.length;
  return (more === 0 ? named : [...named, `and ${more} more`]).join(", ");
}

function addPieces(pieces: Piece[], value: Json, maxUnits: number): void {
  if (typeof value === "string") {
    pieces.push({ text: showString(value, maxUnits) });
  } else if (value === null || typeof value !== "object") {
    pieces.push({ text: JSON.stringify(value) });
  } else if (Array.isArray(value)) {
    addItems(pieces, value as readonly Json[], maxUnits);
  } else {
    addMembers(pieces, value as { readonly [key: string]: Json }, maxUnits);
  }
}

function addItems(pieces: Piece[], items: readonly Json[], maxUnits: number): void {
  pieces.push({ text: "[" });
  for (const [i, item] of items.entries()) {
    if (i > 0) pieces.push({ text: "," });
    addPieces(pieces, item, maxUnits);
  }
  pieces.push({ text: "]" });
}

function addMembers(pieces: Piece[], object: { readonly [key: string]: Json }, maxUnits: number): void {
  pieces.push({ text: "{" });
  for (const [i, key] of Object.keys(object).sort().entries()) {
    const shown = showString(key, maxUnits);
    pieces.push({ text: `${i > 0 ? "," : ""}${shown}:`, key: shown });
    addPieces(pieces, object[key] as Json, maxUnits);
  }
  pieces.push({ text: "}" });
}

/** A string as shown inside JSON: quoted, escaped, cut where long, with the host's remarks after the closing quote. */
export function showString(text: string, maxUnits: number): string {
  if (!isCut(text, maxUnits)) return quoteText(text) + remarkOnHosts(text);
  const part = cutText(text, maxUnits);
  return quoteText(part) + cutRemark(text, SHORT_DIGEST) + remarkOnHosts(part);
}

/** The host's remark on a text that it cut: its full length and the beginning of the SHA-256 of its JSON. */
export function cutRemark(text: string, digits: number): string {
  return ` \\cut(${text.length} units, sha256 ${sha256Hex(canonicalJson(text)).slice(0, digits)})`;
}

function hiddenRemark(pieces: readonly Piece[], kept: number): string {
  const units = pieces.reduce((sum, piece) => sum + piece.text.length, 0);
  const keys = [...new Set(pieces.slice(kept).flatMap((piece) => piece.key ?? []))];
  if (keys.length === 0) return ` \\cut(${units} units)`;
  return ` \\cut(${units} units, hidden keys: ${listWithin(keys, MAX_KEY_LIST_BYTES)})`;
}
