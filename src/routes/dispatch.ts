import type { Context } from "hono";
import * as z from "zod";
import type { AccessTokens } from "../auth/access-token.ts";
import type { AppEnv } from "../env.ts";
import { unreachable } from "../lib/assert.ts";
import { openDatabase } from "../store/database.ts";
import { readBody, readQuery } from "./body.ts";
import { conversationAt } from "./conversation/conversation-at.ts";
import { addressOf, type RateGuard } from "./guards/rate.ts";
import { requirePerson, stillThem } from "./people/session.ts";
import { notFound } from "./refusal.ts";
import type { AppDeps, Call, Route, SignedInCall } from "./route.ts";
import { nothing } from "./shapes.ts";

/** What a request meets here besides the deployment's own parts. */
interface Edge {
  readonly env: AppEnv;
  readonly tokens: AccessTokens;
  readonly rates: RateGuard;
}

/** Runs one route: first who is asking, then what they ask, then the route's own work. */
export async function dispatch(route: Route, context: Context, deps: AppDeps, edge: Edge): Promise<Response> {
  const call = makeCall(context, deps, edge);
  const address = addressOf(call.request);
  edge.rates.refuseOver(address, call.now);
  switch (route.needs) {
    case "nothing":
      edge.rates.count(address, call.now);
      return await route.handle({ ...call, ...(await readInput(route, call)) });
    case "session":
      return await route.handle(await readSignedIn(route, call, edge.rates));
    case "conversation": {
      const signedIn = await readSignedIn(route, call, edge.rates);
      return await route.handle({ ...signedIn, ...conversationAt(edge.env, call.param("id")) });
    }
    default:
      return unreachable(route);
  }
}

function makeCall(context: Context, deps: AppDeps, { env, tokens }: Edge): Call<undefined, undefined> {
  return {
    deps,
    env,
    tokens,
    db: openDatabase(env.DB),
    now: deps.clock.now(),
    request: context.req.raw,
    url: new URL(context.req.url),
    body: undefined,
    query: undefined,
    param(name) {
      const value = context.req.param(name);
      if (value === undefined) throw notFound();
      return value;
    },
  };
}

async function readSignedIn(
  route: Route,
  call: Call<undefined, undefined>,
  rates: RateGuard,
): Promise<SignedInCall<unknown, unknown>> {
  const asked = await requirePerson(call).catch((error: unknown) => {
    rates.count(addressOf(call.request), call.now);
    throw error;
  });
  const { principalId } = asked.caller;
  rates.refuseOver(principalId, call.now);
  rates.count(principalId, call.now);
  const input = await readInput(route, call);
  const { person, now } = await stillThem(call, asked);
  return { ...call, ...input, now, caller: person.caller, person: person.facts };
}

async function readInput(
  route: Route,
  { request, url }: Call<undefined, undefined>,
): Promise<{ readonly body: unknown; readonly query: unknown }> {
  return {
    query: readQuery(url, route.query ?? (route.path.startsWith("/api/") ? nothing : z.unknown())),
    body: route.body === undefined ? undefined : await readBody(request, route.body),
  };
}
