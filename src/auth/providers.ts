import { unreachable } from "../lib/assert.ts";
import type { Config, SignInConfig } from "../protocol/config.ts";
import { DISCORD, GITHUB, oauthProvider } from "./oauth.ts";
import { oidcProvider } from "./oidc.ts";
import type { FetchLike, Provider } from "./provider.ts";
import { makeSeal, type Seal } from "./seal.ts";

/** A configured provider whose secret is set. */
export interface ReadyProvider {
  readonly name: string;
  readonly label: string;
  readonly provider: Provider;
  /** For a sign-in that is under way. */
  readonly transactions: Seal;
  /** For an identity that waits to be linked. */
  readonly links: Seal;
}

/** The providers that people can sign in with now. @param secret reads a secret of the deployment by its name. */
export function readyProviders(
  config: Config,
  secret: (name: string) => string | undefined,
  fetch: FetchLike,
): readonly ReadyProvider[] {
  return Object.entries(config.signIn).flatMap(([name, each]) => {
    const clientSecret = secret(each.secretFrom);
    if (clientSecret === undefined) return [];
    return [
      {
        name,
        label: each.label ?? name,
        provider: makeProvider(each, clientSecret, fetch),
        transactions: makeSeal(name, "transaction", clientSecret),
        links: makeSeal(name, "link", clientSecret),
      },
    ];
  });
}

function makeProvider(config: SignInConfig, clientSecret: string, fetch: FetchLike): Provider {
  const client = { clientId: config.clientId, clientSecret };
  switch (config.kind) {
    case "oidc":
      return oidcProvider({ ...client, issuer: config.issuer }, fetch);
    case "github":
      return oauthProvider(GITHUB, client, fetch);
    case "discord":
      return oauthProvider(DISCORD, client, fetch);
    default:
      return unreachable(config);
  }
}
