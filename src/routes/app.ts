import { type Context, Hono } from "hono";
import { AccessTokens } from "../auth/access-token.ts";
import { type AppEnv, checkEnv } from "../env.ts";
import { ulid } from "../lib/ulid.ts";
import { dispatch } from "./dispatch.ts";
import { describeFailure, refusalOf } from "./failure.ts";
import { secureResponse } from "./guards/headers.ts";
import { allowedHosts, guardHost, guardScheme } from "./guards/host.ts";
import { guardOrigin } from "./guards/origin.ts";
import { RateGuard } from "./guards/rate.ts";
import { OwnersSync } from "./people/owners-sync.ts";
import { LedgerCheck } from "./plugins/ledger-check.ts";
import { notFound, Refuse, renderRefusal } from "./refusal.ts";
import type { AppDeps, Route } from "./route.ts";

export interface App {
  fetch(request: Request, env: object): Promise<Response>;
}

/** What lives as long as the isolate. */
interface Parts {
  readonly deps: AppDeps;
  /** What has to hold before the first request of an isolate is answered. */
  readonly checks: readonly { once(env: AppEnv): Promise<void> }[];
  readonly tokens: AccessTokens;
  readonly rates: RateGuard;
}

/** The Worker's whole edge: guards, then the route table, then one place that turns errors into answers. */
export function createApp(routes: readonly Route[], deps: AppDeps): App {
  const parts: Parts = {
    deps,
    checks: [new LedgerCheck(deps), new OwnersSync(deps)],
    tokens: new AccessTokens(deps.config, deps.fetch, deps.clock),
    rates: new RateGuard(deps.requestsPerMinute),
  };
  const router = new Hono<{ Bindings: AppEnv }>();
  for (const route of routes) {
    router.on(route.method, route.path, (context) => answer(route, context, parts));
  }
  router.notFound(() => renderRefusal(notFound()));
  router.onError((error) => {
    throw error;
  });

  return {
    async fetch(request, bindings) {
      const url = new URL(request.url);
      try {
        const env = checkEnv(bindings);
        const elsewhere = guard(request, url, deps, env);
        if (elsewhere !== undefined) return secureResponse(redirect(elsewhere), url);
        return secureResponse(await router.fetch(request, env), url);
      } catch (error) {
        return secureResponse(answerError(error, { method: request.method, route: "before any route" }, deps), url);
      }
    },
  };
}

function guard(request: Request, url: URL, deps: AppDeps, env: AppEnv): URL | undefined {
  guardHost(url, request.headers.get("host"), allowedHosts(deps.config.allowedHosts, env.ALTHING_LOCAL_PORT));
  const secure = guardScheme(url, request.method);
  if (secure === undefined) guardOrigin(url, request.method, request.headers);
  return secure;
}

function redirect(url: URL): Response {
  return new Response(null, { status: 308, headers: { location: url.href } });
}

async function answer(
  route: Route,
  context: Context<{ Bindings: AppEnv }>,
  { deps, checks, tokens, rates }: Parts,
): Promise<Response> {
  try {
    if (route.needs !== "nothing") for (const check of checks) await check.once(context.env);
    return await dispatch(route, context, deps, { env: context.env, tokens, rates });
  } catch (error) {
    return answerError(error, { method: route.method, route: route.path }, deps);
  }
}

/** The one error path: a refusal is answered as it is, anything else is logged once under an id that is also told. */
function answerError(
  error: unknown,
  request: { readonly method: string; readonly route: string },
  deps: AppDeps,
): Response {
  if (error instanceof Refuse) return renderRefusal(error);
  const id = ulid(deps.clock.now(), deps.random);
  deps.log("error", describeFailure(error, id, request));
  return renderRefusal(refusalOf(error, id));
}
