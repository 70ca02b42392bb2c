import type { Lookup, PageFetch } from "../../../src/lib/guarded-fetch.ts";
import { ok } from "../../../src/lib/result.ts";

type Page = Response | (() => Response | Promise<Response>);

export interface SentRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly redirect: string;
}

/** A web of pages by address. It keeps what was sent; an address without a page is a failed connection. */
export function fakeWeb(pages: Record<string, Page>): { fetch: PageFetch; readonly sent: SentRequest[] } {
  const sent: SentRequest[] = [];
  const fetch: PageFetch = async (url, { method, headers, redirect }) => {
    sent.push({ url, method, headers, redirect });
    const page = pages[url];
    if (page === undefined) throw new TypeError(`connect ECONNREFUSED for ${url}`);
    return typeof page === "function" ? page() : page.clone();
  };
  return { fetch, sent };
}

/** Names and their addresses; any other name is public. */
export function fakeNames(names: Record<string, readonly string[]> = {}): Lookup {
  return async (host) => ok(names[host] ?? ["93.184.216.34"]);
}

export function html(body: string, headers: Record<string, string> = {}): Response {
  return new Response(body, { headers: { "content-type": "text/html; charset=utf-8", ...headers } });
}

export function redirectTo(location: string, status = 302): Response {
  return new Response(null, { status, headers: { location, "set-cookie": "session=1" } });
}
