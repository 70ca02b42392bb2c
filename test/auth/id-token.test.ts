import { beforeEach, describe, expect, it } from "vitest";
import { oidcProvider } from "../../src/auth/oidc.ts";
import { TokenIssuer } from "../kit/token-issuer.ts";

const request = {
  redirectUri: "https://chat.example.com/auth/x/callback",
  state: "s".repeat(43),
  nonce: "n".repeat(43),
  verifier: "v".repeat(43),
};
const callback = new URL(`${request.redirectUri}?code=the-code&state=${request.state}`);
const MINUTE = 60;
const now = () => Math.floor(Date.now() / 1000);
let issuer: TokenIssuer;

beforeEach(async () => {
  issuer = await TokenIssuer.make();
  issuer.claims = { nonce: request.nonce };
});

async function identify(at = callback) {
  const client = { issuer: issuer.issuer, clientId: "the-client", clientSecret: "the-secret" };
  return await oidcProvider(client, issuer.fetch).identify(request, at);
}

describe("an ID token", () => {
  it("[U-47] that is right counts", async () => {
    issuer.claims = { ...issuer.claims, preferred_username: "Ada\u202e\n Lovelace" };
    const id = `oidc:${Buffer.from(issuer.issuer).toString("base64url")}:ada`;
    expect(await identify()).toEqual({ ok: true, value: { id, display: "Ada Lovelace" } });
  });

  it("[U-47] a key that was rotated counts as soon as it is published, and the former no longer", async () => {
    issuer.signature = 1;
    expect(await identify()).toMatchObject({ ok: false });
    issuer.published = [0, 1];
    expect(await identify()).toMatchObject({ ok: true });
    issuer.published = [1];
    issuer.signature = 0;
    expect(await identify()).toMatchObject({ ok: false });
  });

  it.each([
    ["another issuer", { iss: "https://evil.example" }],
    ["an issuer with one more slash", { iss: "https://issuer.example/" }],
    ["another audience", { aud: "another-client" }],
    ["an audience of two without us", { aud: ["a", "b"] }],
    ["no audience", { aud: undefined }],
    ["no subject", { sub: undefined }],
    ["an empty subject", { sub: "" }],
    ["a subject of 256 characters", { sub: "s".repeat(256) }],
    ["another nonce", { nonce: "x".repeat(43) }],
    ["no nonce", { nonce: undefined }],
    ["an end that has passed", { exp: now() - 5 * MINUTE }],
    ["no end", { exp: undefined }],
    ["a beginning that lies ahead", { nbf: now() + 5 * MINUTE }],
  ])("[U-47] with %s is refused", async (_name, claims) => {
    issuer.claims = { ...issuer.claims, ...claims };
    expect(await identify()).toMatchObject({ ok: false });
  });

  it("[U-47] a subject of 255 characters counts", async () => {
    issuer.claims = { ...issuer.claims, sub: "s".repeat(255) };
    expect(await identify()).toMatchObject({ ok: true });
  });

  it.each([
    ["none", "none", { alg: "none" }],
    ["symmetric", "hmac", { alg: "HS256" }],
    ["of another algorithm than it was signed with", 0, { alg: "ES256" }],
    ["missing although promised", "none", {}],
    ["by a key that nobody published", 1, { kid: "first" }],
  ] as const)("[U-47] whose signature is %s is refused", async (_name, signature, header) => {
    issuer.signature = signature;
    issuer.header = header;
    expect(await identify()).toMatchObject({ ok: false });
  });

  it("[U-47] that is missing signs nobody in", async () => {
    issuer.hasIdToken = false;
    expect(await identify()).toMatchObject({ ok: false });
  });

  it("[U-46] [S15] an answer that names another issuer is refused", async () => {
    const mixed = new URL(callback);
    mixed.searchParams.set("iss", "https://evil.example");
    expect(await identify(mixed)).toMatchObject({ ok: false });
  });
});
