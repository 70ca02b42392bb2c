/** An OpenID issuer without a network whose ID tokens can be wrong in any one way. */
export class TokenIssuer {
  readonly issuer = "https://issuer.example";
  readonly #keys: { readonly kid: string; readonly pair: CryptoKeyPair }[];
  /** Which keys are published, by place. */
  published: readonly number[] = [0];
  /** What the next token says; `undefined` leaves a claim out. */
  claims: Record<string, unknown> = {};
  header: Record<string, unknown> = {};
  /** Signs with the key at this place, symmetrically, or not at all. */
  signature: number | "hmac" | "none" = 0;
  hasIdToken = true;

  private constructor(keys: { readonly kid: string; readonly pair: CryptoKeyPair }[]) {
    this.#keys = keys;
  }

  static async make(): Promise<TokenIssuer> {
    const algorithm = {
      name: "RSASSA-PKCS1-v1_5",
      modulusLength: 2048,
      publicExponent: new Uint8Array([1, 0, 1]),
      hash: "SHA-256",
    };
    const keys = ["first", "second"].map(async (kid) => {
      return { kid, pair: (await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"])) as CryptoKeyPair };
    });
    return new TokenIssuer(await Promise.all(keys));
  }

  readonly fetch = async (url: string, _init: RequestInit): Promise<Response> => {
    const { issuer } = this;
    switch (url.slice(issuer.length)) {
      case "/.well-known/openid-configuration":
        return Response.json({
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/jwks`,
          response_types_supported: ["code"],
          subject_types_supported: ["public"],
          id_token_signing_alg_values_supported: ["RS256"],
        });
      case "/jwks":
        return Response.json({ keys: await Promise.all(this.published.map((at) => this.#publicKey(at))) });
      case "/token":
        return Response.json({
          access_token: "opaque",
          token_type: "bearer",
          ...(this.hasIdToken && { id_token: await this.#idToken() }),
        });
      default:
        throw new Error(`nobody asks ${url}`);
    }
  };

  async #publicKey(at: number): Promise<object> {
    const key = this.#key(at);
    return { ...(await crypto.subtle.exportKey("jwk", key.pair.publicKey)), kid: key.kid, use: "sig", alg: "RS256" };
  }

  async #idToken(): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const kid = typeof this.signature === "number" ? this.#key(this.signature).kid : undefined;
    const claims = { iss: this.issuer, aud: "the-client", sub: "ada", iat: now, exp: now + 300, ...this.claims };
    const text = [{ alg: "RS256", typ: "JWT", kid, ...this.header }, claims].map(encode).join(".");
    return `${text}.${await this.#sign(Buffer.from(text))}`;
  }

  async #sign(text: Uint8Array<ArrayBuffer>): Promise<string> {
    if (this.signature === "none") return "";
    if (this.signature === "hmac") {
      const algorithm = { name: "HMAC", hash: "SHA-256" };
      const key = await crypto.subtle.importKey("raw", Buffer.from("the-secret"), algorithm, false, ["sign"]);
      return Buffer.from(await crypto.subtle.sign("HMAC", key, text)).toString("base64url");
    }
    const { privateKey } = this.#key(this.signature).pair;
    return Buffer.from(await crypto.subtle.sign("RSASSA-PKCS1-v1_5", privateKey, text)).toString("base64url");
  }

  #key(at: number): { readonly kid: string; readonly pair: CryptoKeyPair } {
    const key = this.#keys[at];
    if (!key) throw new Error(`there is no key ${at}`);
    return key;
  }
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
