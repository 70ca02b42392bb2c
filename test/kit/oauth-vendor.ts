import { createHash } from "node:crypto";

/** Addresses and answers of a vendor, as it documents them. */
interface Vendor {
  readonly token: string;
  readonly user: string;
  /** What it answers to a code that it does not accept. */
  readonly refuseCode: () => Response;
  readonly checkUser: (headers: Headers) => boolean;
}

const VENDORS: Readonly<Record<"github" | "discord", Vendor>> = {
  // docs.github.com: "Authorizing OAuth apps", "Get the authenticated user". A bad code is answered with 200.
  github: {
    token: "https://github.com/login/oauth/access_token",
    user: "https://api.github.com/user",
    refuseCode: () =>
      Response.json({ error: "bad_verification_code", error_description: "The code passed is incorrect or expired." }),
    // Requests without a User-Agent are refused.
    checkUser: (headers) => (headers.get("user-agent") ?? "") !== "",
  },
  // discord.com/developers: "OAuth2", "Get Current User".
  discord: {
    token: "https://discord.com/api/v10/oauth2/token",
    user: "https://discord.com/api/v10/users/@me",
    refuseCode: () =>
      Response.json({ error: "invalid_grant", error_description: 'Invalid "code" in request.' }, { status: 400 }),
    checkUser: () => true,
  },
};

/** A code that the vendor has given for an authorization request. */
interface Grant {
  readonly challenge: string;
  readonly redirectUri: string;
}

/** GitHub or Discord without a network: refuses whatever their documentation does not allow. */
export class OAuthVendorFake {
  readonly #vendor: Vendor;
  readonly #codes = new Map<string, Grant>();
  readonly #client: { readonly clientId: string; readonly clientSecret: string };
  /** What the user endpoint answers. */
  user: object;
  /** Answers in place of the vendor, by address. */
  readonly instead = new Map<string, () => Response>();

  constructor(
    kind: "github" | "discord",
    client: { readonly clientId: string; readonly clientSecret: string },
    user: object,
  ) {
    this.#vendor = VENDORS[kind];
    this.#client = client;
    this.user = user;
  }

  /** The person agrees: the address that the browser comes back to. @throws when the request is not as documented. */
  agree(authorize: URL): URL {
    const asked = authorize.searchParams;
    const isWhole =
      asked.get("response_type") === "code" &&
      asked.get("client_id") === this.#client.clientId &&
      asked.get("code_challenge_method") === "S256" &&
      (asked.get("code_challenge") ?? "").length === 43 &&
      (asked.get("state") ?? "").length >= 43;
    const redirectUri = asked.get("redirect_uri");
    if (!isWhole || redirectUri === null) throw new Error(`not an authorization request: ${authorize.href}`);
    const code = `code-${this.#codes.size}-${crypto.randomUUID()}`;
    this.#codes.set(code, { challenge: asked.get("code_challenge") ?? "", redirectUri });
    const back = new URL(redirectUri);
    back.searchParams.set("code", code);
    back.searchParams.set("state", asked.get("state") ?? "");
    return back;
  }

  readonly fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const instead = this.instead.get(url);
    if (instead) return instead();
    const request = new Request(url, init);
    if (url === this.#vendor.token) return await this.#answerToken(request);
    if (url === this.#vendor.user) return this.#answerUser(request);
    throw new Error(`nobody asks ${url}`);
  };

  async #answerToken(request: Request): Promise<Response> {
    const isForm = request.headers.get("content-type") === "application/x-www-form-urlencoded";
    if (request.method !== "POST" || !isForm || request.headers.get("accept") !== "application/json") {
      return new Response("not as documented", { status: 415 });
    }
    const form = new URLSearchParams(new TextDecoder().decode(await request.arrayBuffer()));
    const { clientId, clientSecret } = this.#client;
    if (form.get("client_id") !== clientId || form.get("client_secret") !== clientSecret) {
      return Response.json({ error: "invalid_client" }, { status: 401 });
    }
    const code = form.get("code") ?? "";
    const grant = this.#codes.get(code);
    this.#codes.delete(code);
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    const isGood =
      form.get("grant_type") === "authorization_code" &&
      grant?.challenge === challenge &&
      grant.redirectUri === form.get("redirect_uri");
    if (!isGood) return this.#vendor.refuseCode();
    return Response.json({ access_token: "the-access-token", token_type: "bearer", scope: "identify" });
  }

  #answerUser(request: Request): Response {
    if (request.headers.get("authorization") !== "Bearer the-access-token") return new Response(null, { status: 401 });
    if (!this.#vendor.checkUser(request.headers)) return new Response("not as documented", { status: 403 });
    return Response.json(this.user);
  }
}
