import type { Context } from "hono";
import * as z from "zod";
import type { AppEnv } from "../env.ts";
import { unreachable } from "../lib/assert.ts";
import { openDatabase } from "../store/database.ts";
import { readBody, readQuery } from "./body.ts";
import { conversationAt } from "./conversation-at.ts";
import { notFound } from "./refusal.ts";
import type { AppDeps, Call, Route, SignedInCall } from "./route.ts";
import { requirePerson } from "./session.ts";
import { nothing } from "./shapes.ts";

/** Runs one route: first who is asking, then what they ask, then the route's own work. */
export async function dispatch(route: Route, context: Context, deps: AppDeps, env: AppEnv): Promise<Response> {
  const call = makeCall(context, deps, env);
  switch (route.needs) {
    case "nothing":
      return await route.handle({ ...call, ...(await readInput(route, call)) });
    case "session":
      return await route.handle(await readSignedIn(route, call));
    case "conversation": {
      const signedIn = await readSignedIn(route, call);
      return await route.handle({ ...signedIn, ...conversationAt(env, call.param("id")) });
    }
    default:
      return unreachable(route);
  }
}

function makeCall(context: Context, deps: AppDeps, env: AppEnv): Call<undefined, undefined> {
  return {
    deps,
    env,
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

async function readSignedIn(route: Route, call: Call<undefined, undefined>): Promise<SignedInCall<unknown, unknown>> {
  const { caller, facts } = await requirePerson(call.db, call.request, call.url, call.now);
  return { ...call, ...(await readInput(route, call)), caller, person: facts };
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
