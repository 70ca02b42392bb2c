import { readCredentials } from "../../auth/credentials.ts";
import { Refuse } from "../refusal.ts";

const READING = new Set(["GET", "HEAD"]);

/**
 * Refuses what another site makes a signed-in browser do. What changes something, and the socket, needs the exact
 * Origin, port included; a plain read may lack it (browsers leave it out), but not bring a foreign one. Whoever brings a
 * token and no session may lack it too: no other site can make a browser send one.
 * @throws Refuse with status 403, or 400 when a session and a token come together.
 */
export function guardOrigin(url: URL, method: string, headers: Headers): void {
  const { kind } = readCredentials(url, headers);
  if (kind === "both") {
    throw new Refuse({
      code: "bad_request",
      message: "The request brings a session's cookie and an access token at once; send one of them.",
    });
  }
  const origin = headers.get("origin");
  if (origin === url.origin) return;
  const isTokens = kind === "token" || kind === "broken";
  const mayLack = isTokens || (READING.has(method) && headers.get("upgrade") === null);
  if (origin === null && mayLack) return;
  throw new Refuse({
    code: "forbidden",
    message:
      origin === null
        ? `The Origin header is missing; this deployment needs Origin: ${url.origin}.`
        : `Requests from that origin are refused; this deployment is ${url.origin}.`,
  });
}
