import * as z from "zod";
import { toBase64Url } from "../lib/base64url.ts";
import { type FillRandom } from "./secret.ts";

/** How long a sign-in may take, and how long a proven identity waits to be linked. */
export const TRANSACTION_MS = 10 * 60 * 1000;

/** A sign-in under way, as the browser keeps it sealed. */
export const transactionShape = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  /** Where the person goes afterwards: a path of the page. */
  returnTo: z.string(),
  /** Hash of the session that links another identity; absent: somebody signs in. */
  linksFor: z.string().optional(),
  endsAt: z.number(),
});

export type Transaction = z.output<typeof transactionShape>;

/** An identity that its holder has proven, for one session to link. */
export const pendingLinkShape = z.object({
  id: z.string(),
  display: z.string(),
  /** Hash of the session that may link it. */
  session: z.string(),
  endsAt: z.number(),
});

/** A new transaction with state, nonce and verifier of 256 random bits each. */
export function beginTransaction(
  random: FillRandom,
  now: number,
  { returnTo, linksFor }: { readonly returnTo: string | undefined; readonly linksFor: string | undefined },
): Transaction {
  const word = () => {
    const bytes = new Uint8Array(32);
    random(bytes);
    return toBase64Url(bytes);
  };
  return {
    state: word(),
    nonce: word(),
    verifier: word(),
    returnTo: pathOfPage(returnTo),
    ...(linksFor !== undefined && { linksFor }),
    endsAt: now + TRANSACTION_MS,
  };
}

/** The path when it is one of the page's own, else the page's start. Anything else would let a link lead elsewhere. */
function pathOfPage(path: string | undefined): string {
  return path !== undefined && /^\/chat(\/[0-9a-f-]{36})?$/.test(path) ? path : "/chat";
}
