import type { JWTVerifyGetKey, JWTVerifyResult } from "jose";
import { fromBase64Url } from "../lib/base64url.ts";
import { err, ok, type Result } from "../lib/result.ts";
import type { Config, TokenConfig } from "../protocol/config.ts";
import { MAX_TOKEN_CHARACTERS } from "../protocol/limits.ts";
import { IssuerKeys, KeysAway, withoutSlash } from "./issuer-keys.ts";
import { oidcIdentity } from "./oidc-identity.ts";
import type { FetchLike } from "./provider.ts";
import { checkClaims } from "./token-claims.ts";

/** A token that was proven: whose it is, and when it ends (ms). */
export interface ProvenToken {
  /** `oidc:<base64url of the issuer>:<subject>` */
  readonly identity: string;
  readonly endsAt: number;
}

/** Why a token is not accepted. `away`: the issuer cannot be asked now. The words name no part of the token's secret. */
export interface TokenRefusal {
  readonly kind: "wrong" | "lacks" | "away";
  readonly why: string;
}

/** Asymmetric, and in use by the issuers there are. A shared secret or none proves nothing about who signed. */
const ALGORITHMS = ["RS256", "PS256", "ES256"];
/** How far an issuer's clock may be ahead of ours. A token's end is taken to the second. */
const AHEAD_SECONDS = 60;

const UNTRUSTED: TokenRefusal = {
  kind: "wrong",
  why: "no issuer whose access tokens this deployment takes has signed it",
};

/** Proves access tokens of the providers that are configured with `api`. */
export class AccessTokens {
  readonly #clock: { now(): number };
  readonly #issuers: ReadonlyMap<string, { readonly keys: IssuerKeys; readonly api: TokenConfig }>;

  constructor(config: Config, fetch: FetchLike, clock: { now(): number }) {
    this.#clock = clock;
    this.#issuers = new Map(
      Object.values(config.signIn).flatMap((provider) => {
        if (provider.kind !== "oidc" || provider.api === undefined) return [];
        const { issuer, api } = provider;
        return [[withoutSlash(issuer), { keys: new IssuerKeys(issuer, fetch, clock), api }] as const];
      }),
    );
  }

  /** Whether the deployment takes access tokens at all. */
  get isOn(): boolean {
    return this.#issuers.size > 0;
  }

  async prove(token: string): Promise<Result<ProvenToken, TokenRefusal>> {
    if (token.length > MAX_TOKEN_CHARACTERS) return err(TOO_LONG);
    // Only chooses whose keys are asked: it counts for nothing until one of them has signed it.
    const claimed = issuerOf(token);
    const found = claimed === undefined ? undefined : this.#issuers.get(withoutSlash(claimed));
    if (found === undefined) return err(UNTRUSTED);
    const now = this.#clock.now();
    try {
      const { payload, protectedHeader } = await verify(token, found.keys, found.api.audience, new Date(now));
      const identity = oidcIdentity(payload.iss ?? "", payload.sub);
      if (identity === undefined) return err({ kind: "wrong", why: "it names nobody" });
      const checked = checkClaims(protectedHeader, payload, found.api, now);
      return checked.ok ? ok({ identity, endsAt: checked.value }) : checked;
    } catch (error) {
      return err(await refusalOf(error));
    }
  }
}

const TOO_LONG: TokenRefusal = {
  kind: "wrong",
  why: `it has more than ${MAX_TOKEN_CHARACTERS} characters`,
};

/** @throws an error of the library, or KeysAway. */
async function verify(
  token: string,
  issuerKeys: IssuerKeys,
  audience: string,
  currentDate: Date,
): Promise<JWTVerifyResult> {
  const { errors, jwtVerify } = await import("jose");
  const known = await issuerKeys.read();
  const check = (issuer: string, keys: JWTVerifyGetKey) =>
    jwtVerify(token, keys, {
      issuer,
      audience,
      algorithms: ALGORITHMS,
      currentDate,
      clockTolerance: AHEAD_SECONDS,
      requiredClaims: ["sub", "exp"],
    });
  try {
    return await check(known.issuer, known.keys);
  } catch (error) {
    // Keys change: the issuer may have published this one since. The same id may also stand for another key now.
    const isUnknownKey =
      error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWSSignatureVerificationFailed;
    const newer = isUnknownKey ? await issuerKeys.readNewer(known) : undefined;
    if (newer === undefined) throw error;
    return await check(newer.issuer, newer.keys);
  }
}

/** Of a token whose issuer has signed it, it is told what is wrong; of any other, nothing. */
async function refusalOf(error: unknown): Promise<TokenRefusal> {
  if (error instanceof KeysAway) return { kind: "away", why: error.message };
  const { errors } = await import("jose");
  if (error instanceof errors.JWTExpired) return { kind: "wrong", why: "it has ended" };
  if (error instanceof errors.JWTClaimValidationFailed) {
    return { kind: "wrong", why: `its claim ${error.claim} is not as it must be` };
  }
  if (error instanceof errors.JOSEError) return UNTRUSTED;
  throw error;
}

/** The issuer that a token says it is from. */
function issuerOf(token: string): string | undefined {
  const bytes = fromBase64Url(token.split(".")[1] ?? "");
  if (bytes === undefined) return undefined;
  try {
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes));
    const issuer: unknown = typeof claims === "object" && claims !== null ? Reflect.get(claims, "iss") : undefined;
    return typeof issuer === "string" ? issuer : undefined;
  } catch {
    return undefined;
  }
}
