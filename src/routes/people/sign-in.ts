import * as z from "zod";
import { keepSessionCookie, readCookie, readSessionCookie, writeCookie } from "../../auth/cookie.ts";
import { type ReadyProvider, readyProviders } from "../../auth/providers.ts";
import { sealedBy } from "../../auth/seal.ts";
import { signInByIdentity } from "../../auth/sign-in.ts";
import { beginTransaction, TRANSACTION_MS, type Transaction, transactionShape } from "../../auth/transaction.ts";
import { readSecret } from "../../env.ts";
import { invitationBody, signInShape, startQuery } from "../../protocol/people.ts";
import { json, noContent } from "../answers.ts";
import { notFound, Refuse } from "../refusal.ts";
import { type Call, openRoute } from "../route.ts";
import { requirePerson } from "./session.ts";

const SECONDS = TRANSACTION_MS / 1000;

export const signInProviders = openRoute({
  method: "GET",
  path: "/api/v1/sign-in",
  summary: "The providers that people can sign in with.",
  answers: { 200: signInShape },
  async handle(call) {
    return json({ providers: ready(call).map(({ name, label }) => ({ name, label })) });
  },
});

export const startSignIn = openRoute({
  method: "GET",
  path: "/auth/:name/start",
  summary: "Sends the browser to a provider, to sign in or to link another identity.",
  query: startQuery,
  answers: { 302: "empty" },
  async handle(call) {
    const { now, deps, url, query } = call;
    const found = providerOf(call);
    const linksFor = query.intent === "link" ? (await requirePerson(call)).caller.sessionHash : undefined;
    const transaction = beginTransaction(deps.random, now, { returnTo: query.return, linksFor });
    const location = await found.provider.authorizeUrl(requestOf(call, found, transaction)).catch((error: unknown) => {
      const why = error instanceof Error ? `${error.name}: ${error.message}` : "unknown";
      deps.log("error", { event: "auth.provider_away", provider: found.name, why });
      throw new Refuse({ code: "unavailable", message: `${found.label} cannot be asked now; try again.` });
    });
    return redirect(location.href, [writeCookie(url, "signIn", await found.transactions.close(transaction), SECONDS)]);
  },
});

export const signInCallback = openRoute({
  method: "GET",
  path: "/auth/:name/callback",
  summary: "Where a provider sends the browser back to.",
  query: z.unknown(),
  answers: { 302: "empty" },
  async handle(call) {
    const { db, now, deps, request, url } = call;
    const found = providerOf(call);
    const cookies = request.headers.get("cookie");
    const spent = writeCookie(url, "signIn", "", 0);
    const refuse = (reason: string, why: string) => {
      deps.log("info", { event: "auth.sign_in_refused", provider: found.name, reason, why });
      return redirect(`/chat#sign-in=${reason}`, [spent]);
    };
    const sealed = readCookie(url, cookies, "signIn") ?? "";
    const transaction = await found.transactions.open(sealed, transactionShape, now);
    if (transaction === undefined) return refuse("start-again", "no sign-in of this browser is under way");
    if (url.searchParams.has("error") && url.searchParams.get("state") === transaction.state) {
      return refuse("cancelled", "the provider sent nobody");
    }
    const identified = await found.provider.identify(requestOf(call, found, transaction), url);
    if (!identified.ok) return refuse("failed", identified.error);
    const identity = identified.value;
    const { linksFor, returnTo } = transaction;
    if (linksFor !== undefined) {
      const { caller } = await requirePerson(call);
      if (caller.sessionHash !== linksFor) return refuse("start-again", "another session began this");
      const link = await found.links.close({ ...identity, session: linksFor, endsAt: now + TRANSACTION_MS });
      return redirect(`${returnTo}#link`, [spent, writeCookie(url, "link", link, SECONDS)]);
    }
    const brought = {
      oldSessionId: readSessionCookie(url, cookies),
      invitation: readCookie(url, cookies, "invitation"),
    };
    const signedIn = await signInByIdentity({ db, now, random: deps.random }, deps.config.people, identity, brought);
    if (signedIn === undefined)
      return refuse("not-admitted", "the identity is nobody's here, or its person is switched off");
    deps.log("info", { event: "auth.signed_in", provider: found.name, principal: signedIn.principalId });
    const forgotten = writeCookie(url, "invitation", "", 0);
    return redirect(returnTo, [spent, forgotten, keepSessionCookie(url, signedIn.sessionId)]);
  },
});

export const bringInvitation = openRoute({
  method: "POST",
  path: "/auth/invitation",
  summary: "Keeps the code of an invitation in this browser until its holder has signed in.",
  body: invitationBody,
  answers: { 204: "empty" },
  async handle({ url, body }) {
    const cookie = writeCookie(url, "invitation", body.code, SECONDS);
    return noContent(cookie === undefined ? {} : { "set-cookie": cookie });
  },
});

/** The providers of this deployment whose secrets are set. */
function ready({ deps, env }: Call<unknown, unknown>): readonly ReadyProvider[] {
  return readyProviders(deps.config, (name) => readSecret(env, name), deps.fetch);
}

/** The provider that sealed a value. */
export function sealer(call: Call<unknown, unknown>, sealed: string): ReadyProvider | undefined {
  return ready(call).find(({ name }) => name === sealedBy(sealed));
}

function providerOf(call: Call<unknown, unknown>): ReadyProvider {
  const found = ready(call).find(({ name }) => name === call.param("name"));
  if (found === undefined) throw notFound();
  return found;
}

function requestOf({ url }: Call<unknown, unknown>, { name }: ReadyProvider, transaction: Transaction) {
  const { state, nonce, verifier } = transaction;
  return { redirectUri: `${url.origin}/auth/${name}/callback`, state, nonce, verifier };
}

function redirect(location: string, cookies: readonly (string | undefined)[]): Response {
  const headers = new Headers({ location, "cache-control": "no-store" });
  for (const cookie of cookies) if (cookie !== undefined) headers.append("set-cookie", cookie);
  return new Response(null, { status: 302, headers });
}
