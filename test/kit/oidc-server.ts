import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { Provider } from "oidc-provider";
import * as z from "zod";
import { freePort } from "./app-server/free-port.ts";
import { BrowserJar } from "./browser-jar.ts";

const CLIENT_SECRET = "a-client-secret-of-sufficient-length-0123456789";

/** Resources that the provider gives access tokens for. */
export const API_AUDIENCE = "https://althing.example/api";
export const OTHER_AUDIENCE = "https://other.example/api";

/** A client of the provider that is not the deployment: somebody's program. */
const PROGRAM = { clientId: "a-program", redirectUri: "http://127.0.0.1:9/back" } as const;

const tokensShape = z.object({ access_token: z.string(), id_token: z.string().optional() });
type ProgramTokens = z.output<typeof tokensShape>;

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
      clients: [
        { client_id: "althing", client_secret: CLIENT_SECRET, redirect_uris: [redirectUri] },
        {
          client_id: PROGRAM.clientId,
          client_secret: CLIENT_SECRET,
          redirect_uris: [PROGRAM.redirectUri],
          grant_types: ["authorization_code", "client_credentials"],
        },
      ],
      cookies: { keys: ["for the tests of this deployment"] },
      pkce: { required: () => true },
      claims: { openid: ["sub"], profile: ["preferred_username"] },
      conformIdTokenClaims: false,
      ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 600, IdToken: 600 },
      features: {
        devInteractions: { enabled: false },
        clientCredentials: { enabled: true },
        resourceIndicators: {
          enabled: true,
          useGrantedResource: () => true,
          getResourceServerInfo: (_context: unknown, audience: string) => {
            return { audience, scope: "chat other", accessTokenFormat: "jwt", jwt: { sign: { alg: "RS256" } } };
          },
        },
      },
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
        for (const resource of [API_AUDIENCE, OTHER_AUDIENCE]) grant.addResourceScope(resource, "chat other");
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

  /** A program signs `person` in by code flow and gets tokens for a resource. */
  async programTokens(resource: string, scope: string): Promise<ProgramTokens> {
    const verifier = "v".repeat(43);
    const back = await this.programCode({ resource, scope, verifier });
    const code = back.searchParams.get("code") ?? "";
    const { redirectUri: redirect_uri } = PROGRAM;
    return await this.#token({
      grant_type: "authorization_code",
      code,
      redirect_uri,
      code_verifier: verifier,
      resource,
    });
  }

  /** Where a program's browser comes back to, with a code for the program. */
  async programCode(asked: {
    readonly resource: string;
    readonly scope: string;
    readonly verifier: string;
  }): Promise<URL> {
    const url = new URL(`${this.issuer}/auth`);
    url.search = new URLSearchParams({
      client_id: PROGRAM.clientId,
      redirect_uri: PROGRAM.redirectUri,
      response_type: "code",
      scope: `openid ${asked.scope}`,
      resource: asked.resource,
      code_challenge: createHash("sha256").update(asked.verifier).digest("base64url"),
      code_challenge_method: "S256",
    }).toString();
    return await new BrowserJar().follow(url.href, ({ href }) => href.startsWith(PROGRAM.redirectUri));
  }

  /** A token of the program itself, of no person. */
  async appToken(resource: string, scope: string): Promise<string> {
    return (await this.#token({ grant_type: "client_credentials", resource, scope })).access_token;
  }

  async #token(form: Readonly<Record<string, string>>): Promise<ProgramTokens> {
    const authorization = `Basic ${Buffer.from(`${PROGRAM.clientId}:${CLIENT_SECRET}`).toString("base64")}`;
    const init = { method: "POST", headers: { authorization }, body: new URLSearchParams(form) };
    const answer = await fetch(`${this.issuer}/token`, init);
    if (!answer.ok) throw new Error(`the provider answered ${answer.status}: ${await answer.text()}`);
    return tokensShape.parse(await answer.json());
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}
