import { isLoopback } from "../../auth/cookie.ts";
import { Refuse } from "../refusal.ts";

/** The hosts that this deployment answers to, as `Host` spells them. */
export function allowedHosts(configured: readonly string[], localPort: string | undefined): ReadonlySet<string> {
  const local = localPort === undefined ? [] : [`127.0.0.1:${localPort}`, `localhost:${localPort}`];
  return new Set([...configured.map((host) => host.toLowerCase()), ...local]);
}

/**
 * Refuses a request for a host that is not this deployment's. A page elsewhere can make a name of its own point here
 * (DNS rebinding); its requests still carry that name.
 * @throws Refuse with status 421.
 */
export function guardHost(url: URL, hostHeader: string | null, allowed: ReadonlySet<string>): void {
  const header = hostHeader?.toLowerCase() ?? url.host;
  if (allowed.has(url.host) && allowed.has(withoutDefaultPort(header, url.protocol))) return;
  throw new Refuse({
    code: "forbidden",
    status: 421,
    message:
      "This deployment does not answer to that host name. Its operator lists names in allowedHosts of althing.config.ts.",
  });
}

function withoutDefaultPort(host: string, protocol: string): string {
  const suffix = protocol === "https:" ? ":443" : ":80";
  return host.endsWith(suffix) ? host.slice(0, -suffix.length) : host;
}

/**
 * Plain http may be used on this machine only. Elsewhere a page is sent to https, and anything else refused.
 * @returns where to go instead, if anywhere.
 * @throws Refuse for what must not be repeated.
 */
export function guardScheme(url: URL, method: string): URL | undefined {
  if (url.protocol === "https:" || isLoopback(url)) return undefined;
  if (method !== "GET" && method !== "HEAD") {
    throw new Refuse({ code: "forbidden", message: "This deployment is reached over https only." });
  }
  const secure = new URL(url);
  secure.protocol = "https:";
  return secure;
}
