/** Algorithms of the issuer's keys, by place: two of RSA, one of an elliptic curve. */
const KEYS = [
  { kid: "first", alg: "RS256" },
  { kid: "second", alg: "RS256" },
  { kid: "curve", alg: "ES256" },
] as const;

const RSA = {
  name: "RSASSA-PKCS1-v1_5",
  modulusLength: 2048,
  publicExponent: new Uint8Array([1, 0, 1]),
  hash: "SHA-256",
};
const CURVE = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

interface Key {
  readonly kid: string;
  readonly alg: "RS256" | "ES256";
  readonly pair: CryptoKeyPair;
}

/** Made once: all issuers of a test have the same. */
let keys: Promise<readonly Key[]> | undefined;

async function makeKey({ kid, alg }: (typeof KEYS)[number]): Promise<Key> {
  const algorithm = alg === "ES256" ? CURVE : RSA;
  return { kid, alg, pair: (await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"])) as CryptoKeyPair };
}

/** An OpenID issuer without a network whose tokens can be wrong in any one way. */
export class TokenIssuer {
  readonly issuer = "https://issuer.example";
  readonly #keys: readonly Key[];
  /** Which keys are published, by place. */
  published: readonly number[] = [0];
  /** What the next token says; `undefined` leaves a claim out. */
  claims: Record<string, unknown> = {};
  header: Record<string, unknown> = {};
  /** Signs with the key at this place, symmetrically, symmetrically with the public key as the secret, or not at all. */
  signature: number | "hmac" | "public" | "none" = 0;
  hasIdToken = true;
  /** Paths that were asked for, in order. */
  readonly asked: string[] = [];
  /** Answers in place of the issuer, by path. */
  readonly instead = new Map<string, () => Response | Promise<Response>>();

  private constructor(keys: readonly Key[]) {
    this.#keys = keys;
  }

  static async make(): Promise<TokenIssuer> {
    keys ??= Promise.all(KEYS.map(makeKey));
    return new TokenIssuer(await keys);
  }

  readonly fetch = async (url: string, _init: RequestInit): Promise<Response> => {
    const { issuer } = this;
    const path = url.slice(issuer.length);
    this.asked.push(path);
    const instead = this.instead.get(path);
    if (instead) return await instead();
    switch (path) {
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
    return { ...(await crypto.subtle.exportKey("jwk", key.pair.publicKey)), kid: key.kid, use: "sig", alg: key.alg };
  }

  async #idToken(): Promise<string> {
    return await this.sign({ aud: "the-client", ...times(Date.now()), ...this.claims });
  }

  /** An access token as RFC 9068 has it, for the API of {@link API}, good for five minutes. @param now ms */
  async accessToken(now: number): Promise<string> {
    const claims = { aud: API.audience, client_id: "a-program", scope: `openid ${API.scope}`, jti: "1" };
    return await this.sign({ ...claims, ...times(now), ...this.claims }, { typ: "at+jwt" });
  }

  /** A token with exactly these claims besides issuer and subject. */
  async sign(claims: object, header: object = { typ: "JWT" }): Promise<string> {
    const key = typeof this.signature === "number" ? this.#key(this.signature) : undefined;
    const whole = { iss: this.issuer, sub: "ada", ...claims };
    const text = [{ alg: key?.alg ?? "RS256", kid: key?.kid, ...header, ...this.header }, whole].map(encode).join(".");
    return `${text}.${await this.#signatureOf(Buffer.from(text))}`;
  }

  async #signatureOf(text: Uint8Array<ArrayBuffer>): Promise<string> {
    if (this.signature === "none") return "";
    if (this.signature === "hmac") return await hmac(Buffer.from("the-secret"), text);
    if (this.signature === "public") return await hmac(await this.publicPem(), text);
    const { pair, alg } = this.#key(this.signature);
    return Buffer.from(await crypto.subtle.sign(alg === "ES256" ? CURVE : RSA, pair.privateKey, text)).toString(
      "base64url",
    );
  }

  /** The first public key as text, as it would be mistaken for a secret. */
  async publicPem(): Promise<Uint8Array<ArrayBuffer>> {
    const der = await crypto.subtle.exportKey("spki", this.#key(0).pair.publicKey);
    if (!(der instanceof ArrayBuffer)) throw new Error("a key in spki is bytes");
    const key = Buffer.from(der).toString("base64");
    const lines = key.match(/.{1,64}/g) ?? [];
    return Buffer.from(`-----BEGIN PUBLIC KEY-----\n${lines.join("\n")}\n-----END PUBLIC KEY-----\n`);
  }

  #key(at: number): Key {
    const key = this.#keys[at];
    if (!key) throw new Error(`there is no key ${at}`);
    return key;
  }
}

/** What a deployment asks of the issuer's access tokens. */
export const API = { audience: "https://chat.example.com/api", scope: "chat" } as const;

function times(now: number): object {
  const iat = Math.floor(now / 1000);
  return { iat, exp: iat + 300 };
}

async function hmac(secret: Uint8Array<ArrayBuffer>, text: Uint8Array<ArrayBuffer>): Promise<string> {
  const key = await crypto.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return Buffer.from(await crypto.subtle.sign("HMAC", key, text)).toString("base64url");
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
