/*
 * How the host shows words that it did not write. Every character that could hide, reorder, imitate or overlay others is
 * spelled out; nothing is stripped. A backslash in what comes out always begins an escape: `\\`, `\n`, `\t`, `\"` (in
 * quotes), `\u{hex}`, or one of the host's own words such as `\cut(…)`, which escaped text can therefore not forge.
 * What comes out is in normal form NFC, so two inputs that differ never look alike by composition either.
 */

/** Marks on one letter that are shown as they are. More would pile up over other lines. */
const MAX_MARKS = 8;

const PRINTABLE_ASCII = /^[ -[\]-~]*$/;
/**
 * Control, format, surrogate, private use, unassigned; separators and spaces; what renders as nothing, by property or in
 * fact; marks that enclose or strike through; the backslash, because it begins an escape.
 */
const SPELLED_OUT = String.raw`[[\\\p{C}\p{Z}\p{White_Space}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\p{Me}\u2800\u{1d159}\u{16fe4}\u0334-\u0338\u20d0-\u20ff]--[ ]]`;
const SPECIAL = new RegExp(SPELLED_OUT, "v");
const SPECIAL_OR_MARK = new RegExp(String.raw`[${SPELLED_OUT}\p{M}]`, "v");
/** Stretches that need a look at each character, and what lies between. */
const RUNS = new RegExp(String.raw`[${SPELLED_OUT}\p{M}]+|[^${SPELLED_OUT}\p{M}]+`, "gv");
const MARK = /\p{M}/u;
const LETTER_FIRST = /^\p{L}/u;

/** Text that somebody else wrote, for a card: letters of all scripts stay, everything deceptive is spelled out. */
export function escapeText(text: string): string {
  if (PRINTABLE_ASCII.test(text)) return text;
  let shown = "";
  let cluster = "";
  for (const [run] of text.matchAll(RUNS)) {
    const part = isWhole(run) ? { shown: run, cluster: lastChar(run) } : escapeRun(run, cluster);
    shown += part.shown;
    cluster = part.cluster;
  }
  return shown;
}

/** A string as JSON-like quoted text, escaped as {@link escapeText} does. */
export function quoteText(text: string): string {
  return `"${escapeText(text).replaceAll('"', '\\"')}"`;
}

/** A name by which machines go, for a card: everything but printable ASCII is spelled out, look-alike letters included. */
export function escapeName(name: string): string {
  if (PRINTABLE_ASCII.test(name)) return name;
  return Array.from(name, (char) => (PRINTABLE_ASCII.test(char) ? char : spellOut(char))).join("");
}

/** True for a run of neither marks nor specials that is in normal form: one check for many characters. */
function isWhole(run: string): boolean {
  return !SPECIAL_OR_MARK.test(run) && run.normalize("NFC") === run;
}

/** @param cluster the letter before and the marks on it, as shown; empty after an escape and at the start. */
function escapeRun(run: string, cluster: string): { readonly shown: string; readonly cluster: string } {
  let shown = "";
  let current = cluster;
  for (const char of run) {
    const plain = isPlain(char, current);
    shown += plain ? char : spellOut(char);
    current = plain ? (MARK.test(char) ? current : "") + char : "";
  }
  return { shown, cluster: current };
}

function isPlain(char: string, cluster: string): boolean {
  if (SPECIAL.test(char)) return false;
  if (MARK.test(char) && !(LETTER_FIRST.test(cluster) && Array.from(cluster).length <= MAX_MARKS)) return false;
  const joined = cluster + char;
  return joined.normalize("NFC") === joined;
}

function lastChar(text: string): string {
  return /.$/su.exec(text)?.[0] ?? "";
}

function spellOut(char: string): string {
  switch (char) {
    case "\\":
      return "\\\\";
    case "\n":
      return "\\n";
    case "\t":
      return "\\t";
    default:
      return `\\u{${char.codePointAt(0)?.toString(16) ?? ""}}`;
  }
}
