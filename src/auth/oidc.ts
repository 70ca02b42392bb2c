import { err, ok } from "../lib/result.ts";
import { isLoopback } from "./cookie.ts";
import { oidcIdentity } from "./oidc-identity.ts";
import { type FetchLike, PROVIDER_LIMITS, type Provider } from "./provider.ts";
import { showName } from "./show-name.ts";

export interface OidcClient {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** A provider found by OpenID Connect Discovery: code flow with PKCE, state and nonce. */
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
        const id = claims && oidcIdentity(claims.iss, claims.sub);
        if (id === undefined) return err("no usable subject");
        return ok({ id, display: showName(claims?.["preferred_username"] ?? claims?.["name"]) });
      } catch (error) {
        return err(error instanceof Error ? `${error.name}: ${error.message}` : "a value that is no error was thrown");
      }
    },
  };
}
