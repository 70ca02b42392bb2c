import type { JWTHeaderParameters, JWTPayload } from "jose";
import { err, ok, type Result } from "../lib/result.ts";
import type { TokenConfig } from "../protocol/config.ts";

/** The longest that an access token may still live; a session lives no longer either. */
const MAX_TOKEN_LIFE_MS = 90 * 24 * 60 * 60 * 1000;

/** Why claims are refused. `lacks`: the token is right, but gives no right here. */
export interface ClaimFault {
  readonly kind: "wrong" | "lacks";
  readonly why: string;
}

/** Types of tokens that are access tokens: RFC 9068's, and the bare one of the many issuers that came before it. */
const TYPES: ReadonlySet<string> = new Set(["at+jwt", "application/at+jwt", "jwt"]);
/** Claims of an ID token (the first four) and of a logout token, which are for the client alone. */
const NOT_OF_ACCESS = ["nonce", "at_hash", "c_hash", "s_hash", "events"] as const;

/**
 * What is asked of a token besides signature, issuer, audience and times: that it is an access token, of a person, with the
 * right that the operator named. Pure.
 * @returns when it ends, ms.
 */
export function checkClaims(
  header: JWTHeaderParameters,
  claims: JWTPayload,
  { scope, role }: TokenConfig,
  now: number,
): Result<number, ClaimFault> {
  const type: unknown = header.typ ?? "JWT";
  if (typeof type !== "string" || !TYPES.has(type.toLowerCase())) return wrong("its type is no access token's");
  const foreign = NOT_OF_ACCESS.find((name) => claims[name] !== undefined);
  if (foreign !== undefined) return wrong(`it has the claim ${foreign}, so it is no access token`);
  if (claims["cnf"] !== undefined)
    return wrong("it is bound to a key, and nothing here proves that its bearer holds it");
  if (isOfAnApp(claims)) return wrong("it is an application's own, of no person");
  const endsAt = Math.floor((claims.exp ?? 0) * 1000);
  if (endsAt <= now) return wrong("it has ended");
  if (!(endsAt - now <= MAX_TOKEN_LIFE_MS))
    return wrong("it ends more than 90 days from now; take one that ends sooner");
  if (scope !== undefined && !scopesOf(claims).includes(scope)) return lacks(`it lacks the scope ${scope}`);
  if (role !== undefined && !listOf(claims["roles"]).includes(role)) return lacks(`it lacks the role ${role}`);
  return ok(endsAt);
}

/** Of an application that signed in as itself, as RFC 9068 and the large issuers mark it. */
function isOfAnApp(claims: JWTPayload): boolean {
  const { sub } = claims;
  const clients = ["client_id", "azp", "appid", "cid"].map((name) => claims[name]);
  return (
    claims["idtyp"] === "app" ||
    claims["gty"] === "client-credentials" ||
    clients.includes(sub) ||
    // A person's `sub` is made for one client and never their object's id; a service principal's is.
    (claims["oid"] !== undefined && claims["oid"] === sub)
  );
}

/** `scope` or `scp`: words in one text, or a list. */
function scopesOf(claims: JWTPayload): readonly unknown[] {
  return [claims["scope"], claims["scp"]].flatMap((said) =>
    typeof said === "string" ? said.split(" ") : listOf(said),
  );
}

/** A text is no list: its parts would match. */
function listOf(said: unknown): readonly unknown[] {
  return Array.isArray(said) ? said : [];
}

function wrong(why: string): Result<never, ClaimFault> {
  return err({ kind: "wrong", why });
}

function lacks(why: string): Result<never, ClaimFault> {
  return err({ kind: "lacks", why });
}
