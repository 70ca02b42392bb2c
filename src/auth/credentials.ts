import { readSessionCookie } from "./cookie.ts";

/**
 * What a request brings along to say who sends it. `both`: a session's cookie and a token at once, where either could be
 * meant. `broken`: an Authorization header that says Bearer and holds no one token.
 */
export type Credentials =
  | { readonly kind: "none" | "both" | "broken" }
  | { readonly kind: "session"; readonly id: string }
  | { readonly kind: "token"; readonly token: string };

/** Reads what a request brings along. Two Authorization headers arrive as one with a comma, and so are broken. */
export function readCredentials(url: URL, headers: Headers): Credentials {
  const id = readSessionCookie(url, headers.get("cookie"));
  const said = headers.get("authorization") ?? "";
  // Other schemes are not ours: what stands before this deployment may use them.
  if (!/^bearer\b/i.test(said)) return id === undefined ? { kind: "none" } : { kind: "session", id };
  if (id !== undefined) return { kind: "both" };
  const [, token] = /^bearer +([\w.~+/-]+=*)$/i.exec(said) ?? [];
  return token === undefined ? { kind: "broken" } : { kind: "token", token };
}
