import { Refuse } from "../refusal.ts";

const READING = new Set(["GET", "HEAD"]);

/**
 * Refuses what another site makes a signed-in browser do. What changes something, and the socket, needs the exact
 * Origin, port included; a plain read may lack it (browsers leave it out), but not bring a foreign one.
 * @throws Refuse with status 403.
 */
export function guardOrigin(url: URL, method: string, headers: Headers): void {
  const origin = headers.get("origin");
  if (origin === url.origin) return;
  const mayLack = READING.has(method) && headers.get("upgrade") === null;
  if (origin === null && mayLack) return;
  throw new Refuse({
    code: "forbidden",
    message:
      origin === null
        ? `The Origin header is missing; this deployment needs Origin: ${url.origin}.`
        : `Requests from that origin are refused; this deployment is ${url.origin}.`,
  });
}
