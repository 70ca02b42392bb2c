import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { Provider } from "oidc-provider";
import { freePort } from "./app-server/free-port.ts";

const CLIENT_SECRET = "a-client-secret-of-sufficient-length-0123456789";

/** A real OpenID provider on loopback. Whoever comes is logged in at once, as `person`. */
export class OidcServer {
  readonly issuer: string;
  readonly client = { clientId: "althing", clientSecret: CLIENT_SECRET };
  person = "ada";
  readonly #server: Server;

  private constructor(issuer: string, server: Server) {
    this.issuer = issuer;
    this.#server = server;
  }

  /** @param redirectUri the only address that it sends browsers back to. */
  static async start(redirectUri: string): Promise<OidcServer> {
    const port = await freePort();
    const issuer = `http://127.0.0.1:${port}`;
    const provider = new Provider(issuer, {
      clients: [{ client_id: "althing", client_secret: CLIENT_SECRET, redirect_uris: [redirectUri] }],
      cookies: { keys: ["for the tests of this deployment"] },
      pkce: { required: () => true },
      claims: { openid: ["sub"], profile: ["preferred_username"] },
      conformIdTokenClaims: false,
      ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 600, IdToken: 600 },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_context: unknown, { uid }: { readonly uid: string }) => `/interaction/${uid}` },
      findAccount: (_context: unknown, accountId: string) => ({
        accountId,
        claims: () => ({ sub: accountId, preferred_username: `${accountId} of the tests` }),
      }),
      async loadExistingGrant(context: {
        readonly oidc: {
          readonly client: { readonly clientId: string };
          readonly session: { readonly accountId: string };
        };
      }) {
        const { client, session } = context.oidc;
        const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
        grant.addOIDCScope("openid profile");
        await grant.save();
        return grant;
      },
    });
    const answer = provider.callback();
    const server = createServer((request, response) => {
      if (request.url?.startsWith("/interaction/") !== true) return answer(request, response);
      void provider.interactionFinished(request, response, { login: { accountId: self.person } });
    }).listen(port, "127.0.0.1");
    await once(server, "listening");
    const self = new OidcServer(issuer, server);
    return self;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}
