import { parse, serialize } from "hono/utils/cookie";
import { SESSION_ABSOLUTE_MS } from "../people/session-life.ts";

const SECURE_NAME = "__Host-althing";
const LOCAL_NAME = "althing_dev";
const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Whether a URL's host is this machine itself. */
export function isLoopback(url: URL): boolean {
  return LOOPBACK.has(url.hostname);
}

/**
 * The name of the session cookie for a request to `url`; undefined where no session may travel: http that leaves the
 * machine. The `__Host-` prefix makes browsers insist on https, this host alone, and the whole site.
 */
function cookieName(url: URL): string | undefined {
  if (url.protocol === "https:") return SECURE_NAME;
  return isLoopback(url) ? LOCAL_NAME : undefined;
}

/** The session id that a request brings along. */
export function readSessionCookie(url: URL, cookieHeader: string | null): string | undefined {
  const name = cookieName(url);
  return name === undefined || cookieHeader === null ? undefined : parse(cookieHeader, name)[name];
}

/** `Set-Cookie` that keeps a session; the server ends it earlier when it idles. */
export function keepSessionCookie(url: URL, sessionId: string): string | undefined {
  return writeCookie(url, sessionId, SESSION_ABSOLUTE_MS / 1000);
}

/** `Set-Cookie` that makes the browser forget its session. */
export function dropSessionCookie(url: URL): string | undefined {
  return writeCookie(url, "", 0);
}

function writeCookie(url: URL, value: string, maxAge: number): string | undefined {
  const name = cookieName(url);
  if (name === undefined) return undefined;
  const secure = name === SECURE_NAME;
  return serialize(name, value, { path: "/", httpOnly: true, sameSite: "Lax", secure, maxAge });
}
