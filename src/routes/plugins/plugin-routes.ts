import * as z from "zod";
import { MAX_ROUTE_BODY_BYTES, MAX_ROUTE_MS, matchRoute } from "../../host/index.ts";
import { type PersonFacts, type Tier, tierAtLeast } from "../../people/facts.ts";
import { readText } from "../body.ts";
import { stillThem } from "../people/session.ts";
import { notFound, Refuse } from "../refusal.ts";
import { type Route, type SignedInCall, signedInRoute } from "../route.ts";
import { runPluginRoute } from "./run-plugin-route.ts";

const METHODS = ["GET", "POST", "DELETE"] as const;

/** What plugins answer to, under `/plugins/<name>/`: for people who are signed in, of the tier that the route names. */
export const pluginRoutes: readonly Route[] = METHODS.map((method) =>
  signedInRoute({
    method,
    path: "/plugins/:plugin/*",
    summary: "A plugin's own route.",
    query: z.unknown(),
    answers: {},
    handle: answer,
  }),
);

async function answer(call: SignedInCall<undefined, unknown>): Promise<Response> {
  const { deps, env, request, url, caller, person } = call;
  const plugin = call.param("plugin");
  const path = url.pathname.slice(`/plugins/${plugin}`.length);
  const found = matchRoute(deps.host(env).routesOf(plugin), request.method, path);
  if (!found) throw notFound();
  const { route, params } = found;
  requireTier(person, route.tier);
  const signal = AbortSignal.timeout(MAX_ROUTE_MS);
  const body = await readText(request, MAX_ROUTE_BODY_BYTES);
  const { facts } = (await stillThem(call, { caller, facts: person })).person;
  requireTier(facts, route.tier);
  const { principalId, tier } = facts;
  return await runPluginRoute(plugin, route, { principalId, tier, url, params, body, signal });
}

function requireTier({ tier }: PersonFacts, needed: Tier): void {
  if (tierAtLeast(tier, needed)) return;
  throw new Refuse({
    code: "forbidden",
    message: `This needs the tier ${needed}, and yours is ${tier}. Ask an owner.`,
  });
}
