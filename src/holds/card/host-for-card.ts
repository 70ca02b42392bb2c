import { escapeName, escapeText } from "./escape.ts";

const SCRIPTS = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u,
  /\p{Script=Hangul}/u,
  /\p{Script=Arabic}/u,
  /\p{Script=Hebrew}/u,
  /\p{Script=Devanagari}/u,
  /\p{Script=Bengali}/u,
  /\p{Script=Tamil}/u,
  /\p{Script=Thai}/u,
  /\p{Script=Georgian}/u,
  /\p{Script=Armenian}/u,
];
const LETTER = /\p{L}/u;
const NO_SCRIPT = /[\p{Script=Common}\p{Script=Inherited}]/u;
const ASCII = /^[ -~]*$/;
/** Runs of what a host name consists of; each is looked at once. */
const HOST_LIKE = /[\p{L}\p{M}\p{N}.\-\u3002\uff0e\uff61]+/gu;
const WHOLE_HOST = new RegExp(`^${HOST_LIKE.source}$`, "u");
/** What separates labels: the full stop and those that name resolution takes for one. */
const DOTS = /[.\u3002\uff0e\uff61]/u;
const MAX_HOST_UNITS = 253;
/** Hosts that one text names in its annotation; further ones are counted. */
const MAX_NAMED_HOSTS = 3;

/** A host name for a card: one whose label mixes scripts is shown in punycode, others in their own letters. */
export function hostForCard(host: string): string {
  if (ASCII.test(host) || !mixesScripts(host)) return escapeText(host);
  return (WHOLE_HOST.test(host) ? toPunycode(host) : undefined) ?? escapeName(host);
}

/**
 * The host's remark on host names in a text that are not what they look like: names that mix scripts, and any name in
 * other letters than ASCII after `//` or `@`. Empty for none. Goes outside the quotes, where the text cannot forge it.
 */
export function remarkOnHosts(text: string): string {
  if (ASCII.test(text)) return "";
  const found = [...new Set(findHosts(text))];
  if (found.length === 0) return "";
  const more = found.length > MAX_NAMED_HOSTS ? [`and ${found.length - MAX_NAMED_HOSTS} more`] : [];
  return ` \\host(${[...found.slice(0, MAX_NAMED_HOSTS), ...more].join(", ")})`;
}

function* findHosts(text: string): Iterable<string> {
  for (const { 0: run, index } of text.matchAll(HOST_LIKE)) {
    if (ASCII.test(run) || run.length > MAX_HOST_UNITS) continue;
    const inUrl = text.endsWith("//", index) || text.endsWith("@", index);
    const isName = DOTS.test(run) && mixesScripts(run);
    const host = run.replace(/[.-]+$/, "");
    if (inUrl || isName) yield toPunycode(host) ?? escapeName(host);
  }
}

function mixesScripts(host: string): boolean {
  return host.split(DOTS).some((label) => new Set(Array.from(label).flatMap(scriptOf)).size > 1);
}

/** The script of a letter as a number, as a list of one; an unlisted script is one of its own. Empty for what has none. */
function scriptOf(char: string): number[] {
  if (!LETTER.test(char) || NO_SCRIPT.test(char)) return [];
  return [SCRIPTS.findIndex((script) => script.test(char))];
}

function toPunycode(host: string): string | undefined {
  return URL.canParse(`http://${host}/`) ? new URL(`http://${host}/`).hostname : undefined;
}
