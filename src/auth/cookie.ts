import { parse, serialize } from "hono/utils/cookie";
import { SESSION_ABSOLUTE_MS } from "../people/session-life.ts";

/** The cookies of this deployment by what they are for: over https, and over http on this machine itself. */
const NAMES = {
  session: ["__Host-althing", "althing_dev"],
  /** A sign-in under way. */
  signIn: ["__Host-althing-sign-in", "althing_dev_sign_in"],
  /** An identity that was proven and waits to be linked. */
  link: ["__Host-althing-link", "althing_dev_link"],
  /** The code of an invitation, until its holder has signed in. */
  invitation: ["__Host-althing-invitation", "althing_dev_invitation"],
} as const;
export type CookieUse = keyof typeof NAMES;

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Whether a URL's host is this machine itself. */
export function isLoopback(url: URL): boolean {
  return LOOPBACK.has(url.hostname);
}

/**
 * The name of a cookie for a request to `url`; undefined where none may travel: http that leaves the machine. The
 * `__Host-` prefix makes browsers insist on https, this host alone, and the whole site.
 */
function cookieName(url: URL, use: CookieUse): string | undefined {
  const [secure, local] = NAMES[use];
  if (url.protocol === "https:") return secure;
  return isLoopback(url) ? local : undefined;
}

/** The value of a cookie that a request brings along. */
export function readCookie(url: URL, cookieHeader: string | null, use: CookieUse): string | undefined {
  const name = cookieName(url, use);
  return name === undefined || cookieHeader === null ? undefined : parse(cookieHeader, name)[name];
}

/** The session id that a request brings along. */
export function readSessionCookie(url: URL, cookieHeader: string | null): string | undefined {
  return readCookie(url, cookieHeader, "session");
}

/** `Set-Cookie` that keeps a session; the server ends it earlier when it idles. */
export function keepSessionCookie(url: URL, sessionId: string): string | undefined {
  return writeCookie(url, "session", sessionId, SESSION_ABSOLUTE_MS / 1000);
}

/** `Set-Cookie` that makes the browser forget its session. */
export function dropSessionCookie(url: URL): string | undefined {
  return writeCookie(url, "session", "", 0);
}

/** `Set-Cookie` of a value, for so many seconds; 0 makes the browser forget it. */
export function writeCookie(url: URL, use: CookieUse, value: string, maxAge: number): string | undefined {
  const name = cookieName(url, use);
  if (name === undefined) return undefined;
  const secure = url.protocol === "https:";
  return serialize(name, value, { path: "/", httpOnly: true, sameSite: "Lax", secure, maxAge });
}
