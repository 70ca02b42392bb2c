import { err, ok, type Result } from "../lib/result.ts";
import type { Refused } from "../people/may-act.ts";
import { type Person, readPersonBySession } from "../people/read-person.ts";
import type { Database } from "../store/database.ts";
import { writeTokenSession } from "../store/token-sessions.ts";
import type { AccessTokens, TokenRefusal } from "./access-token.ts";
import { sha256Hex } from "./secret.ts";

/** Access tokens of one person that were used here and have not ended. */
export const MAX_TOKENS = 1_000;
/** Clocks differ between machines: a token's line outlives it by this much, so that one that was revoked stays so. */
const KEEP_ENDED_MS = 60 * 60 * 1000;

const NOT_ADMITTED: Refused = {
  code: "forbidden",
  message: "Whoever this access token speaks for is not admitted here. Sign in on the page first, or ask an owner.",
};
const TOO_MANY: Refused = {
  code: "rate_limited",
  message: `You have used ${MAX_TOKENS} access tokens that have not ended, which is the most. Use one until it ends.`,
};

/** Why a token was refused: for its bearer, and in words for the log. */
export interface TokenRefused extends Refused {
  readonly why: string;
}

/**
 * Who brings an access token: the person to whom its identity is linked now. It is proven at each use; its session in the
 * directory holds a hash of it and its end, and is revoked like any other.
 */
export async function readPersonByToken(
  { db, now, tokens }: { readonly db: Database; readonly now: number; readonly tokens: AccessTokens },
  token: string,
): Promise<Result<Person, TokenRefused>> {
  const proven = await tokens.prove(token);
  if (!proven.ok) return err(wordsOf(proven.error));
  const { identity, endsAt } = proven.value;
  const hash = await sha256Hex(token);
  const known = await readPersonBySession(db, hash, now);
  if (known !== undefined) return ok(known);
  const sweepEndedBefore = now - KEEP_ENDED_MS;
  const opened = await writeTokenSession(db, {
    hash,
    identity,
    now,
    expiresAt: endsAt,
    limit: MAX_TOKENS,
    sweepEndedBefore,
  });
  const person = opened.isOpen ? await readPersonBySession(db, hash, now) : undefined;
  if (person !== undefined) return ok(person);
  const refused = opened.isKnown ? TOO_MANY : NOT_ADMITTED;
  return err({ ...refused, why: opened.isKnown ? "too many tokens" : "the identity is nobody's here" });
}

function wordsOf({ kind, why }: TokenRefusal): TokenRefused {
  switch (kind) {
    case "wrong":
      return { code: "unauthenticated", message: `This access token is not accepted: ${why}.`, why };
    case "lacks":
      return { code: "forbidden", message: `This access token is not enough: ${why}.`, why };
    case "away":
      return { code: "unavailable", message: "The token's issuer cannot be asked now; try again.", why };
  }
}
