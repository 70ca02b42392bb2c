import { isPublicV4 } from "./public-address.ts";
import { err, ok, type Result } from "./result.ts";

/** UTF-16 units of an address. */
export const MAX_URL_UNITS = 2_048;

/** Last labels that never lead to a public host: special-use (RFC 6761, 6762, 7686, 8375, 9476) or customary inside. */
const PRIVATE_ENDINGS: ReadonlySet<string> = new Set([
  "alt",
  "arpa",
  "corp",
  "example",
  "home",
  "internal",
  "intranet",
  "invalid",
  "lan",
  "local",
  "localdomain",
  "localhost",
  "onion",
  "private",
  "svc",
  "test",
]);

/** Names that resolve to a private address, or to whatever address the name spells. Their subdomains are meant too. */
const STEERED_NAMES: ReadonlySet<string> = new Set([
  "1u.ms",
  "backname.io",
  "fuf.me",
  "ip6.name",
  "lacolhost.com",
  "local.gd",
  "localho.st",
  "localtest.me",
  "lvh.me",
  "metadata.goog",
  "nip.io",
  "rbndr.us",
  "rebind.it",
  "rebind.network",
  "sslip.io",
  "traefik.me",
  "vcap.me",
  "xip.io",
  "xip.name",
  "yoogle.com",
]);

const DOTTED_V4 = /^\d+\.\d+\.\d+\.\d+$/;
/** Four numbers anywhere in a name, found also where they overlap. */
const EMBEDDED_V4 = /(?<!\d)(?=(\d{1,3})[.-](\d{1,3})[.-](\d{1,3})[.-](\d{1,3})(?!\d))/g;

/**
 * Parses an address and accepts it only as a page of the public web: http or https on its standard port, no user name
 * or password, and a public host name. The parser canonicalises first, so every spelling of an IP address is seen as
 * one. What a name resolves to is not known here: see `guarded-fetch`.
 */
export function checkPublicUrl(text: string, base?: URL): Result<URL, string> {
  if (text.length > MAX_URL_UNITS) {
    return err(`The address has ${text.length} characters; the limit is ${MAX_URL_UNITS}.`);
  }
  if (!URL.canParse(text, base?.href)) return err(`${JSON.stringify(text)} is not a web address.`);
  const url = new URL(text, base?.href);
  const fault = findUrlFault(url);
  if (fault === undefined) return ok(url);
  return err(`${fault}. Only http and https pages on public host names and standard ports can be read.`);
}

/** Names no path and no user part: either may hold a secret. */
function findUrlFault(url: URL): string | undefined {
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return `Addresses of the kind ${url.protocol} are not read`;
  if (url.username !== "" || url.password !== "")
    return `The address of ${url.hostname} carries a user name or password`;
  if (url.port !== "") return `Port ${url.port} of ${url.hostname} is not a standard port`;
  return findHostFault(url.hostname);
}

function findHostFault(host: string): string | undefined {
  if (host.startsWith("[") || DOTTED_V4.test(host)) return `The host ${host} is an IP address`;
  if (host.endsWith(".")) return `The host ${host} ends in a dot`;
  const labels = host.split(".");
  if (labels.length < 2) return `The host ${host} is not a public name`;
  if (PRIVATE_ENDINGS.has(labels.at(-1) ?? "")) return `The host ${host} belongs to a private network`;
  const parents = labels.map((_, index) => labels.slice(index).join("."));
  if (parents.some((name) => STEERED_NAMES.has(name))) return `The host ${host} leads to an address of one's choice`;
  if (spellsPrivateAddress(host)) return `The host ${host} spells a private address`;
  return undefined;
}

function spellsPrivateAddress(host: string): boolean {
  return [...host.matchAll(EMBEDDED_V4)].some(
    ([, ...bytes]) => bytes.every((byte) => Number(byte) <= 255) && !isPublicV4(bytes.join(".")),
  );
}
