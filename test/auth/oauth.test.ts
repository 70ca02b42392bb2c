import { describe, expect, it } from "vitest";
import { DISCORD, GITHUB, oauthProvider } from "../../src/auth/oauth.ts";
import { beginTransaction } from "../../src/auth/transaction.ts";
import { OAuthVendorFake } from "../kit/oauth-vendor.ts";

const client = { clientId: "the-client", clientSecret: "the-secret" };
const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);
const cases = {
  github: {
    vendor: GITHUB,
    user: { id: 583231, login: "octocat", type: "User" },
    is: { id: "github:583231", display: "octocat" },
  },
  discord: {
    vendor: DISCORD,
    user: { id: "80351110224678912", username: "nelly", discriminator: "0", avatar: null },
    is: { id: "discord:80351110224678912", display: "nelly" },
  },
} as const;

function setUp(kind: "github" | "discord") {
  const fake = new OAuthVendorFake(kind, client, cases[kind].user);
  const provider = oauthProvider(cases[kind].vendor, client, fake.fetch);
  const { state, nonce, verifier } = beginTransaction(random, 0, { returnTo: undefined, linksFor: undefined });
  const request = { redirectUri: "https://chat.example.com/auth/x/callback", state, nonce, verifier };
  const comeBack = async () => fake.agree(await provider.authorizeUrl(request));
  return { fake, provider, request, comeBack };
}

describe.each(["github", "discord"] as const)("%s", (kind) => {
  it("[U-44] [U-45] [U-48] says who came", async () => {
    const { provider, request, comeBack } = setUp(kind);
    expect(await provider.identify(request, await comeBack())).toEqual({ ok: true, value: cases[kind].is });
  });

  it("[U-46] accepts a code once", async () => {
    const { provider, request, comeBack } = setUp(kind);
    const back = await comeBack();
    await provider.identify(request, back);
    expect(await provider.identify(request, back)).toMatchObject({ ok: false });
  });

  it.each([
    ["another state", { state: "x".repeat(43) }],
    ["another verifier", { verifier: "x".repeat(43) }],
    ["another address", { redirectUri: "https://chat.example.com/auth/y/callback" }],
  ])("[U-46] refuses %s", async (_name, changed) => {
    const { provider, request, comeBack } = setUp(kind);
    expect(await provider.identify({ ...request, ...changed }, await comeBack())).toMatchObject({ ok: false });
  });

  it("[U-46] refuses a state that is there twice, and no code", async () => {
    const { provider, request, comeBack } = setUp(kind);
    const twice = await comeBack();
    twice.searchParams.append("state", "other");
    expect(await provider.identify(request, twice)).toMatchObject({ ok: false });
    const none = await comeBack();
    none.searchParams.delete("code");
    expect(await provider.identify(request, none)).toMatchObject({ ok: false });
  });

  const nobodies: readonly (readonly [string, object])[] = [
    ["no user", {}],
    ["a name in place of an id", { login: "octocat", username: "nelly", name: "Owner" }],
    ["an id of another type", kind === "github" ? { id: "583231", login: "o" } : { id: 80351110, username: "n" }],
    ["an id with more in it", { id: "1:2", login: "o", username: "n" }],
    ...(kind === "discord" ? [["a bot", { id: "1", username: "n", bot: true }] as const] : []),
  ];

  it.each(nobodies)("[U-48] signs nobody in for %s", async (_name, user) => {
    const { fake, provider, request, comeBack } = setUp(kind);
    fake.user = user;
    expect(await provider.identify(request, await comeBack())).toMatchObject({ ok: false });
  });

  it.each([
    ["a failure", () => new Response("away", { status: 503 })],
    ["a redirect", () => new Response(null, { status: 302, headers: { location: "https://evil.example/" } })],
    ["no JSON", () => new Response("<html>")],
    ["too much", () => new Response(`${" ".repeat(256 * 1024)}{}`)],
    ["a token of another type", () => Response.json({ access_token: "the-access-token", token_type: "mac" })],
  ])(
    "[U-48] [U-54] signs nobody in when the answer is %s, and tells neither code nor secret",
    async (_name, answer) => {
      const { fake, provider, request, comeBack } = setUp(kind);
      const back = await comeBack();
      fake.instead.set(cases[kind].vendor.token, answer);
      const refused = await provider.identify(request, back);
      expect(refused).toMatchObject({ ok: false });
      const told = JSON.stringify(refused);
      for (const secret of [
        back.searchParams.get("code") ?? "",
        client.clientSecret,
        request.verifier,
        "the-access-token",
      ]) {
        expect(told).not.toContain(secret);
      }
    },
  );

  it("[U-48] a wrong client secret signs nobody in", async () => {
    const { fake, request, comeBack } = setUp(kind);
    const wrong = oauthProvider(cases[kind].vendor, { ...client, clientSecret: "wrong" }, fake.fetch);
    expect(await wrong.identify(request, await comeBack())).toMatchObject({ ok: false });
  });
});

it("[U-48] the fake itself refuses what is not as documented", async () => {
  const fake = new OAuthVendorFake("github", client, {});
  const token = "https://github.com/login/oauth/access_token";
  expect((await fake.fetch(token, {})).status).toBe(415);
  expect(() => fake.agree(new URL("https://github.com/login/oauth/authorize?client_id=the-client"))).toThrow(
    "not an authorization request",
  );
  await expect(fake.fetch("https://github.com/", {})).rejects.toThrow("nobody asks");
  expect((await fake.fetch("https://api.github.com/user", {})).status).toBe(401);
});
