import { toBase64Url } from "../lib/base64url.ts";
import { err, ok } from "../lib/result.ts";
import { isLoopback } from "./cookie.ts";
import { type FetchLike, PROVIDER_LIMITS, type Provider } from "./provider.ts";
import { showName } from "./show-name.ts";

export interface OidcClient {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Bytes of a subject, as OpenID Connect limits them. */
const MAX_SUBJECT = 255;

/**
 * A provider found by OpenID Connect Discovery: code flow with PKCE, state and nonce. The identity is
 * `oidc:<base64url of the issuer>:<subject>`, so that another issuer under the same name is somebody else.
 */
export function oidcProvider(client: OidcClient, fetch: FetchLike): Provider {
  const discover = async () => {
    // Loaded when somebody signs in: no other request needs it.
    const openid = await import("openid-client");
    const issuer = new URL(client.issuer);
    const config = await openid.discovery(issuer, client.clientId, client.clientSecret, undefined, {
      [openid.customFetch]: (url, { signal, ...init }) =>
        fetch(url, { ...init, ...(signal && { signal }) } as RequestInit),
      timeout: PROVIDER_LIMITS.ms / 1000,
      // The signature of an ID token is checked as well as the connection that it came over.
      execute: [openid.enableNonRepudiationChecks, ...(isLoopback(issuer) ? [openid.allowInsecureRequests] : [])],
    });
    return { openid, config };
  };

  return {
    async authorizeUrl({ redirectUri, state, nonce, verifier }) {
      const { openid, config } = await discover();
      return openid.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: "openid profile",
        state,
        nonce,
        code_challenge: await openid.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
      });
    },

    async identify({ state, nonce, verifier }, callback) {
      const { openid, config } = await discover();
      try {
        const tokens = await openid.authorizationCodeGrant(config, callback, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        });
        const claims = tokens.claims();
        if (claims === undefined || claims.sub === "" || claims.sub.length > MAX_SUBJECT)
          return err("no usable subject");
        const issuer = toBase64Url(new TextEncoder().encode(claims.iss));
        const shown = claims["preferred_username"] ?? claims["name"];
        return ok({ id: `oidc:${issuer}:${claims.sub}`, display: showName(shown) });
      } catch (error) {
        return err(error instanceof Error ? `${error.name}: ${error.message}` : "a value that is no error was thrown");
      }
    },
  };
}
