import { beforeEach, describe, expect, it } from "vitest";
import { AccessTokens, type ProvenToken, type TokenRefusal } from "../../src/auth/access-token.ts";
import type { Result } from "../../src/lib/result.ts";
import { checkConfig } from "../../src/protocol/check-config.ts";
import type { ConfigInput } from "../../src/protocol/config.ts";
import { MAX_TOKEN_CHARACTERS } from "../../src/protocol/limits.ts";
import { testClock } from "../kit/directory.ts";
import { API, TokenIssuer } from "../kit/token-issuer.ts";

const clock = testClock(Date.now());
const second = () => Math.floor(clock.now() / 1000);
const DAY = 24 * 60 * 60;
let issuer: TokenIssuer;
let tokens: AccessTokens;

interface Api {
  readonly audience: string;
  readonly scope?: string;
  readonly role?: string;
}

function configOf(api: Api, more: ConfigInput = {}): ConfigInput {
  const corp = { kind: "oidc", issuer: issuer.issuer, clientId: "the-client", secretFrom: "SECRET", api } as const;
  return { signIn: { corp }, ...more };
}

function take(api: Api = API): AccessTokens {
  return new AccessTokens(checkConfig(configOf(api)), issuer.fetch, clock);
}

beforeEach(async () => {
  issuer = await TokenIssuer.make();
  tokens = take();
});

async function prove(at = tokens): Promise<Result<ProvenToken, TokenRefusal>> {
  return await at.prove(await issuer.accessToken(clock.now()));
}

const UNTRUSTED = { kind: "wrong", why: "no issuer whose access tokens this deployment takes has signed it" };

describe("an access token", () => {
  it("[U-60] [U-61] that is right counts, until its own end", async () => {
    const identity = `oidc:${Buffer.from(issuer.issuer).toString("base64url")}:ada`;
    expect(await prove()).toEqual({ ok: true, value: { identity, endsAt: (second() + 300) * 1000 } });
  });

  it.each([
    ["with our audience among others", { aud: ["https://other.example", API.audience] }, {}],
    ["of the type that most issuers write", {}, { typ: "JWT" }],
    ["without a type", {}, { typ: undefined }],
    ["without a key id, where there is one key", {}, { kid: undefined }],
    ["that begins a minute from now, by a clock ahead", { nbf: second() + 60 }, {}],
    ["that ends in 60 days", { exp: second() + 60 * DAY }, {}],
    ["whose end has fractions", { exp: second() + 60.1234 }, {}],
    ["with the scope in a list", { scope: undefined, scp: ["other", "chat"] }, {}],
  ])("[U-61] %s counts", async (_name, claims, header) => {
    issuer.claims = claims;
    issuer.header = header;
    const proven = await prove();
    expect(proven.ok && Number.isInteger(proven.value.endsAt)).toBe(true);
  });

  it("[U-61] by a key of an elliptic curve counts", async () => {
    issuer.published = [0, 2];
    issuer.signature = 2;
    expect((await prove()).ok).toBe(true);
  });

  it.each([
    ["another issuer's", { iss: "https://evil.example" }, UNTRUSTED],
    ["of an issuer with one more slash", { iss: "https://issuer.example/" }, "iss"],
    ["of an issuer that is a list", { iss: ["https://issuer.example"] }, UNTRUSTED],
    ["of no issuer", { iss: undefined }, UNTRUSTED],
    ["for another audience", { aud: "https://chat.example.com/other" }, "aud"],
    ["for an audience that ours begins", { aud: `${API.audience}/more` }, "aud"],
    ["for an audience that begins ours", { aud: API.audience.slice(0, -1) }, "aud"],
    ["for ours as a part of a text", { aud: `https://other.example ${API.audience}` }, "aud"],
    ["for two audiences without ours", { aud: ["https://a.example", "https://b.example"] }, "aud"],
    ["for no audience", { aud: undefined }, "aud"],
    ["without an end", { exp: undefined }, "exp"],
    ["whose end is a text", { exp: "9999999999" }, "exp"],
    ["that has ended", { exp: second() - 1 }, "it has ended"],
    ["that ends now", { exp: second() }, "it has ended"],
    ["that ended long ago", { exp: second() - 3600 }, "it has ended"],
    ["that begins later", { nbf: second() + 62 }, "nbf"],
    ["without a subject", { sub: undefined }, "sub"],
    ["with an empty subject", { sub: "" }, "it names nobody"],
    ["with a subject of 256 characters", { sub: "s".repeat(256) }, "it names nobody"],
    ["with a subject that is a number", { sub: 7 }, "it names nobody"],
  ] as const)("[U-61] %s is refused", async (_name, claims, why) => {
    issuer.claims = claims;
    const refused = await prove();
    const error = typeof why === "string" ? { kind: "wrong", why: expect.stringContaining(why) as string } : why;
    expect(refused).toEqual({ ok: false, error });
  });

  it.each([
    ["nobody has signed", "none", { alg: "none" }],
    ["nobody has signed, under a promise", "none", {}],
    ["was signed with a shared secret", "hmac", { alg: "HS256" }],
    ["was signed with the public key as a secret", "public", { alg: "HS256", kid: "first" }],
    ["names another algorithm than its key's", 0, { alg: "ES256" }],
    ["names an algorithm that nobody here takes", 0, { alg: "RS512" }],
    ["was signed by a key that nobody publishes", 1, {}],
    ["was signed by another key than it names", 1, { kid: "first" }],
    ["names a key by what is no text", 0, { kid: 1 }],
    ["brings its own key", 1, { kid: undefined, jwk: { kty: "RSA", n: "AQAB", e: "AQAB" } }],
    ["says where its key is", 1, { jku: "https://evil.example/jwks", kid: "second" }],
    ["asks for an extension that must be understood", 0, { crit: ["b64"], b64: false }],
    ["asks for an unknown extension", 0, { crit: ["urn:example:x"], "urn:example:x": 1 }],
    ["asks for extensions without naming any", 0, { crit: [] }],
  ] as const)("[U-61] that %s is refused", async (_name, signature, header) => {
    issuer.signature = signature;
    issuer.header = header;
    expect(await prove()).toEqual({ ok: false, error: UNTRUSTED });
  });

  it.each(["", "x", "a.b.c", "...", "e30.e30.", "e30.bnVsbA.x", "e30.W10.x", "€.€.€"])(
    "[U-61] %j is refused, and nobody is asked about it",
    async (text) => {
      expect(await tokens.prove(text)).toEqual({ ok: false, error: UNTRUSTED });
      expect(issuer.asked).toEqual([]);
    },
  );

  it("[U-61] whose words were changed is refused", async () => {
    const [header = "", , signature = ""] = (await issuer.accessToken(clock.now())).split(".");
    const claims = { iss: issuer.issuer, sub: "the-owner", aud: API.audience, exp: second() + 300, scope: "chat" };
    const forged = `${header}.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.${signature}`;
    expect(await tokens.prove(forged)).toEqual({ ok: false, error: UNTRUSTED });
  });

  it.each([
    ["an ID token for the same audience", { nonce: "n" }, { typ: "JWT" }],
    ["an ID token of a hybrid flow", { c_hash: "h" }, { typ: "JWT" }],
    ["an ID token beside an access token", { at_hash: "h" }, { typ: "JWT" }],
    ["a logout token", { events: {} }, { typ: "JWT" }],
    ["typed as a logout token", {}, { typ: "logout+jwt" }],
    ["typed as a proof", {}, { typ: "dpop+jwt" }],
    ["typed by what is no text", {}, { typ: 1 }],
    ["bound to a key", { cnf: { jkt: "x" } }, {}],
  ])("[U-62] %s is no access token", async (_name, claims, header) => {
    issuer.claims = claims;
    issuer.header = header;
    expect(await prove()).toMatchObject({ ok: false, error: { kind: "wrong" } });
  });

  it("[U-62] the ID token of a sign-in is refused: its audience is the client", async () => {
    const idToken = await issuer.sign({ aud: "the-client", iat: second(), exp: second() + 300, scope: "chat" });
    expect(await tokens.prove(idToken)).toMatchObject({ ok: false, error: { kind: "wrong" } });
  });

  it.each([
    ["its client", { sub: "a-program" }],
    ["its authorized party", { sub: "app", azp: "app", client_id: undefined }],
    ["an application, as the issuer marks it", { idtyp: "app" }],
    ["a grant of client credentials", { gty: "client-credentials" }],
    ["a service principal", { sub: "0b8d", oid: "0b8d" }],
  ])("[U-63] of nobody but %s is refused", async (_name, claims) => {
    issuer.claims = claims;
    const why = "it is an application's own, of no person";
    expect(await prove()).toEqual({ ok: false, error: { kind: "wrong", why } });
  });

  it.each([
    ["without any scope", { scope: undefined }],
    ["with another scope", { scope: "openid profile" }],
    ["whose scope has ours as a part", { scope: "chatter webchat" }],
    ["whose scope is ours in other letters", { scope: "Chat" }],
    ["whose scope is an object", { scope: { chat: true } }],
  ])("[U-64] %s is not enough", async (_name, claims) => {
    issuer.claims = claims;
    expect(await prove()).toEqual({ ok: false, error: { kind: "lacks", why: "it lacks the scope chat" } });
  });

  it.each([
    ["in the list", ["Chat.User", "Other"], true],
    ["not in the list", ["Chat.User.Read"], false],
    ["in a text", "Chat.User", false],
    ["as a part of a text", "Chat.User Other", false],
    ["nowhere", undefined, false],
  ])("[U-64] a role that is %s", async (_name, roles, counts) => {
    issuer.claims = { roles };
    expect((await prove(take({ audience: API.audience, role: "Chat.User" }))).ok).toBe(counts);
  });

  it("[U-64] where scope and role are asked for, both are needed", async () => {
    const both = take({ ...API, role: "user" });
    expect((await prove(both)).ok).toBe(false);
    issuer.claims = { roles: ["user"] };
    expect((await prove(both)).ok).toBe(true);
    issuer.claims = { roles: ["user"], scope: "other" };
    expect((await prove(both)).ok).toBe(false);
  });

  it.each([
    ["90 days", 90 * DAY, true],
    ["90 days and a second", 90 * DAY + 1, false],
    ["a thousand years", 365_000 * DAY, false],
    ["no number of seconds", 1e300, false],
  ])("[U-65] that ends in %s", async (_name, seconds, counts) => {
    clock.time = second() * 1000;
    issuer.claims = { exp: second() + seconds };
    expect((await prove()).ok).toBe(counts);
  });

  it("[U-72] of 8,192 characters is read, one of 8,193 is not", async () => {
    // Base64 reaches not every length: the header's few make up for what the claims' many leave.
    const lengths = new Map<number, string>();
    const bare = (await issuer.accessToken(clock.now())).length;
    const room = Math.floor(((MAX_TOKEN_CHARACTERS - bare) * 3) / 4);
    for (let i = 0; i < 80; i++) {
      issuer.header = { x: "x".repeat(i % 4) };
      issuer.claims = { pad: "x".repeat(room - 25 + Math.floor(i / 4)) };
      const token = await issuer.accessToken(clock.now());
      lengths.set(token.length, token);
    }
    expect(await tokens.prove(lengths.get(MAX_TOKEN_CHARACTERS) ?? "")).toMatchObject({ ok: true });
    const why = "it has more than 8192 characters";
    expect(await tokens.prove("x".repeat(MAX_TOKEN_CHARACTERS + 1))).toEqual({
      ok: false,
      error: { kind: "wrong", why },
    });
  });

  it("[U-60] without `api` in the configuration is refused whatever it says", async () => {
    const { issuer: at } = issuer;
    const corp = { kind: "oidc", issuer: at, clientId: "the-client", secretFrom: "SECRET" } as const;
    const none = new AccessTokens(checkConfig({ signIn: { corp } }), issuer.fetch, clock);
    expect(none.isOn).toBe(false);
    expect(await prove(none)).toEqual({ ok: false, error: UNTRUSTED });
    expect(issuer.asked).toEqual([]);
  });
});
