import * as z from "zod";
import type { Lookup, PageFetch } from "../../lib/guarded-fetch.ts";
import { err, ok, type Result } from "../../lib/result.ts";

/** DNS over HTTPS: the runtime has no resolver that a Worker could ask. */
const RESOLVER = "https://cloudflare-dns.com/dns-query";
const A = 1;
const AAAA = 28;
const NO_ERROR = 0;
const NO_SUCH_NAME = 3;

const answer = z.object({
  Status: z.number(),
  Answer: z.array(z.object({ type: z.number(), data: z.string() })).optional(),
});

/** Looks up IPv4 and IPv6 addresses of a name by DNS over HTTPS. */
export function createLookup(fetch: PageFetch): Lookup {
  return async (host, signal) => {
    const answers = await Promise.all([ask(fetch, host, A, signal), ask(fetch, host, AAAA, signal)]);
    const addresses: string[] = [];
    for (const one of answers) {
      if (!one.ok) return one;
      addresses.push(...one.value);
    }
    return ok(addresses);
  };
}

async function ask(
  fetch: PageFetch,
  host: string,
  type: typeof A | typeof AAAA,
  signal: AbortSignal,
): Promise<Result<readonly string[], string>> {
  const url = `${RESOLVER}?name=${encodeURIComponent(host)}&type=${type}`;
  const headers = { accept: "application/dns-json" };
  const response = await fetch(url, { method: "GET", headers, redirect: "manual", signal });
  if (!response.ok) return err(`the resolver answered with status ${response.status}`);
  const parsed = answer.safeParse(await response.json());
  if (!parsed.success) return err("the resolver's answer was not understood");
  const { Status: status, Answer: records = [] } = parsed.data;
  if (status === NO_SUCH_NAME) return ok([]);
  if (status !== NO_ERROR) return err(`the resolver reported error ${status}`);
  return ok(records.filter((record) => record.type === type).map((record) => record.data));
}
