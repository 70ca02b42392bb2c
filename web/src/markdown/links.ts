const PROTOCOLS = new Set(["http:", "https:", "mailto:"]);

/** Where a link of a text may lead: its normalised address, and the host to name beside it ("" for none). */
export interface SafeLink {
  readonly href: string;
  readonly host: string;
}

/**
 * Reads the target of a Markdown link. Only http, https, mailto and a fragment of this page pass; undefined for
 * anything else, relative and protocol-relative addresses included: a model cannot know this page's own addresses.
 */
export function readLink(target: string): SafeLink | undefined {
  const address = target.trim().replace(/\s+(?:"[^"]*"|'[^']*')$/, "");
  if (/^#[\w-]*$/.test(address)) return { href: address, host: "" };
  const url = parseUrl(address.replace(/^<(.*)>$/, "$1"));
  if (url === undefined || !PROTOCOLS.has(url.protocol)) return undefined;
  return { href: url.href, host: url.host };
}

/** Splits an address found in running text from the punctuation after it. */
export function splitRawUrl(text: string): { readonly url: string; readonly rest: string } {
  let end = text.length;
  while (end > 0 && endsOutside(text.slice(0, end))) end -= 1;
  return { url: text.slice(0, end), rest: text.slice(end) };
}

/** True when a link's words look like an address of another host than the one it leads to. */
export function isMisleading(words: string, host: string): boolean {
  const match = /^\s*(?:[a-z]+:\/\/)?([\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,})/iu.exec(words);
  const named = match?.[1]?.toLowerCase();
  return host !== "" && named !== undefined && host !== named && host !== `www.${named}` && `www.${host}` !== named;
}

function endsOutside(text: string): boolean {
  const last = text.at(-1) ?? "";
  if (last === ")") return count(text, ")") > count(text, "(");
  return ".,;:!?>'\"*_]|".includes(last);
}

function count(text: string, char: string): number {
  return text.split(char).length - 1;
}

function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
