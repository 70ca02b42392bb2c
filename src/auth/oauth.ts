import * as z from "zod";
import { toBase64Url } from "../lib/base64url.ts";
import { err, ok } from "../lib/result.ts";
import { askJson } from "./ask-json.ts";
import type { KnownIdentity } from "./link-code.ts";
import type { FetchLike, Provider } from "./provider.ts";
import { showName } from "./show-name.ts";

/** A vendor that signs people in by plain OAuth 2: its addresses, and how it names a person. */
export interface OAuthVendor {
  readonly authorize: string;
  readonly token: string;
  readonly user: string;
  readonly scope: string;
  readonly userHeaders: Readonly<Record<string, string>>;
  readUser(body: unknown): KnownIdentity | undefined;
}

export const GITHUB: OAuthVendor = {
  authorize: "https://github.com/login/oauth/authorize",
  token: "https://github.com/login/oauth/access_token",
  user: "https://api.github.com/user",
  scope: "",
  userHeaders: { accept: "application/vnd.github+json", "x-github-api-version": "2022-11-28" },
  readUser(body) {
    const user = z.object({ id: z.number().int().positive(), login: z.string() }).safeParse(body).data;
    return user && { id: `github:${user.id}`, display: showName(user.login) };
  },
};

export const DISCORD: OAuthVendor = {
  authorize: "https://discord.com/oauth2/authorize",
  token: "https://discord.com/api/v10/oauth2/token",
  user: "https://discord.com/api/v10/users/@me",
  scope: "identify",
  userHeaders: { accept: "application/json" },
  readUser(body) {
    const shape = z.object({
      id: z.string().regex(/^\d{1,20}$/),
      username: z.string(),
      bot: z.literal(false).optional(),
    });
    const user = shape.safeParse(body).data;
    return user && { id: `discord:${user.id}`, display: showName(user.username) };
  },
};

const tokenShape = z.object({ access_token: z.string().min(1), token_type: z.string().regex(/^bearer$/i) });

/** A provider that speaks OAuth 2: code flow with PKCE and state; the person is whom its user endpoint names. */
export function oauthProvider(
  vendor: OAuthVendor,
  client: { readonly clientId: string; readonly clientSecret: string },
  fetch: FetchLike,
): Provider {
  return {
    async authorizeUrl({ redirectUri, state, verifier }) {
      const url = new URL(vendor.authorize);
      url.search = new URLSearchParams({
        response_type: "code",
        client_id: client.clientId,
        redirect_uri: redirectUri,
        state,
        code_challenge: await challengeOf(verifier),
        code_challenge_method: "S256",
        ...(vendor.scope !== "" && { scope: vendor.scope }),
      }).toString();
      return url;
    },

    async identify({ redirectUri, state, verifier }, callback) {
      const told = callback.searchParams;
      if (told.get("state") !== state || told.getAll("state").length !== 1) return err("the state is another one");
      const code = told.get("code");
      if (code === null) return err(`no code, but ${(told.get("error") ?? "nothing").slice(0, 60)}`);
      const token = await askJson(fetch, vendor.token, {
        method: "POST",
        headers: { accept: "application/json", "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams({
          grant_type: "authorization_code",
          client_id: client.clientId,
          client_secret: client.clientSecret,
          code,
          redirect_uri: redirectUri,
          code_verifier: verifier,
        }).toString(),
      });
      if (!token.ok) return token;
      const granted = tokenShape.safeParse(token.value).data;
      if (granted === undefined) return err("the code was not accepted");
      const headers = {
        ...vendor.userHeaders,
        "user-agent": "Althing",
        authorization: `Bearer ${granted.access_token}`,
      };
      const user = await askJson(fetch, vendor.user, { headers });
      if (!user.ok) return user;
      const identity = vendor.readUser(user.value);
      return identity === undefined ? err("the user endpoint names nobody") : ok(identity);
    },
  };
}

/** PKCE's S256 challenge of a verifier. */
async function challengeOf(verifier: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier)));
  return toBase64Url(digest);
}
