import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AppServer } from "../kit/app-server/app-server.ts";
import { freePort } from "../kit/app-server/free-port.ts";
import { BrowserJar } from "../kit/browser-jar.ts";
import { API_AUDIENCE, OidcServer } from "../kit/oidc-server.ts";

let server: AppServer;
let oidc: OidcServer;
let other: OidcServer;

beforeAll(async () => {
  const port = await freePort();
  const callback = (name: string) => `http://127.0.0.1:${port}/auth/${name}/callback`;
  [oidc, other] = await Promise.all([OidcServer.start(callback("corp")), OidcServer.start(callback("other"))]);
  const from = ({ issuer, client }: OidcServer, label: string) => {
    return { kind: "oidc" as const, issuer, clientId: client.clientId, secretFrom: "OIDC_SECRET", label };
  };
  server = await AppServer.prepare({
    port,
    config: {
      signIn: { corp: from(oidc, "Corporate"), other: from(other, "Other") },
      people: { provisioning: "member" },
    },
    secrets: { OIDC_SECRET: oidc.client.clientSecret },
  });
  await server.start();
}, 60_000);

afterAll(async () => {
  await Promise.all([server?.remove(), oidc?.stop(), other?.stop()]);
});

const isCallback = (url: URL) => url.pathname.endsWith("/callback");

/** Goes to the provider and back, up to the address that the provider sends the browser to. */
async function goAndCome(browser: BrowserJar, name = "corp", query = ""): Promise<string> {
  return (await browser.follow(`${server.url}/auth/${name}/start${query}`, isCallback)).href;
}

async function where(browser: BrowserJar, url: string): Promise<string | null> {
  return (await browser.get(url)).headers.get("location");
}

async function me(browser: BrowserJar): Promise<{ name: string; tier: string; id: string } | number> {
  const answer = await browser.get(`${server.url}/api/v1/me`);
  if (answer.status !== 200) return answer.status;
  return (await answer.json<{ principal: { name: string; tier: string; id: string } }>()).principal;
}

async function signIn(name = "corp"): Promise<BrowserJar> {
  const browser = new BrowserJar();
  await browser.get(await goAndCome(browser, name));
  return browser;
}

describe("signing in at a real provider, in the real Worker", () => {
  it("[U-44] [U-45] gives a session to the person of the identity, the same each time", async () => {
    oidc.person = "ada";
    const browser = new BrowserJar();
    const back = await goAndCome(browser, "corp", "?return=%2Fchat%2F0b8d6b0e-1111-4222-8333-444455556666");
    expect(await where(browser, back)).toBe("/chat/0b8d6b0e-1111-4222-8333-444455556666");
    expect(await me(browser)).toMatchObject({ name: "ada of the tests", tier: "member" });
    expect(await me(await signIn())).toEqual(await me(browser));
    const answer = await browser.get(`${server.url}/api/v1/me/identities`);
    const { identities } = await answer.json<{ identities: { id: string }[] }>();
    expect(identities.map(({ id }) => id)).toEqual([`oidc:${Buffer.from(oidc.issuer).toString("base64url")}:ada`]);
  });

  it("[U-45] the same subject at another issuer is somebody else", async () => {
    oidc.person = "ada";
    other.person = "ada";
    expect(await me(await signIn("other"))).not.toEqual(await me(await signIn("corp")));
  });

  it("[U-46] a code that was used is refused, also in the browser that used it", async () => {
    const browser = new BrowserJar();
    const back = await goAndCome(browser);
    const thief = browser.copy();
    await browser.get(back);
    expect(await where(browser, back)).toBe("/chat#sign-in=start-again");
    expect(await where(thief, back)).toBe("/chat#sign-in=failed");
    expect(await me(thief)).toBe(401);
  });

  it("[U-46] [S15] what another browser began is refused", async () => {
    const back = await goAndCome(new BrowserJar());
    const victim = new BrowserJar();
    expect(await where(victim, back)).toBe("/chat#sign-in=start-again");
    await goAndCome(victim);
    expect(await where(victim, back)).toBe("/chat#sign-in=failed");
    expect(await me(victim)).toBe(401);
  });

  it("[U-46] [S15] what was begun with another provider is refused", async () => {
    const browser = new BrowserJar();
    const back = await goAndCome(browser, "corp");
    expect(await where(browser, back.replace("/auth/corp/", "/auth/other/"))).toBe("/chat#sign-in=start-again");
    expect(await me(browser)).toBe(401);
  });

  it("[U-46] another state and no state are refused", async () => {
    const browser = new BrowserJar();
    const back = new URL(await goAndCome(browser));
    const thief = browser.copy();
    back.searchParams.set("state", "x".repeat(43));
    expect(await where(browser, back.href)).toBe("/chat#sign-in=failed");
    back.searchParams.delete("state");
    expect(await where(thief, back.href)).toBe("/chat#sign-in=failed");
  });

  it("[U-46] [S15] a code that another client of the provider was given is refused", async () => {
    const browser = new BrowserJar();
    const back = new URL(await goAndCome(browser));
    const stolen = await oidc.programCode({ resource: API_AUDIENCE, scope: "chat", verifier: "v".repeat(43) });
    back.searchParams.set("code", stolen.searchParams.get("code") ?? "");
    expect(await where(browser, back.href)).toBe("/chat#sign-in=failed");
    expect(await me(browser)).toBe(401);
  });

  it("[U-46] [S15] a code that was begun with another verifier is refused, under this browser's own state", async () => {
    const [attacker, victim] = [new BrowserJar(), new BrowserJar()];
    const theirs = new URL(await goAndCome(attacker));
    const back = new URL(await goAndCome(victim));
    back.searchParams.set("code", theirs.searchParams.get("code") ?? "");
    expect(await where(victim, back.href)).toBe("/chat#sign-in=failed");
    expect(await me(victim)).toBe(401);
  });

  it("[U-49] [S15] an address elsewhere is never gone to, at the start or at the end", async () => {
    for (const elsewhere of [
      "https://evil.example",
      "//evil.example",
      "/\\evil.example",
      "/chat/../evil",
      "javascript:x",
    ]) {
      const browser = new BrowserJar();
      const back = await goAndCome(browser, "corp", `?return=${encodeURIComponent(elsewhere)}`);
      expect(new URL(back).origin).toBe(server.url);
      expect(await where(browser, back)).toBe("/chat");
    }
  });

  it("[U-52] linking shows the identity first and links it when the same session confirms", async () => {
    oidc.person = "berta";
    other.person = "berta-elsewhere";
    const browser = await signIn("corp");
    const before = await me(browser);
    const back = await goAndCome(browser, "other", "?intent=link");
    expect(await where(browser, back)).toBe("/chat#link");
    const pending = await browser.get(`${server.url}/api/v1/me/identities/pending`);
    const shown = await pending.json<{ identity: { id: string; display: string }; to: { name: string } }>();
    expect(shown).toMatchObject({
      identity: { display: "berta-elsewhere of the tests" },
      to: { name: "berta of the tests" },
    });
    const confirm = async (identity: string) =>
      (await browser.post(`${server.url}/api/v1/me/identities/pending`, { identity })).status;
    expect(await confirm("oidc:x:berta-elsewhere")).toBe(404);
    expect(await confirm(shown.identity.id)).toBe(204);
    expect(await confirm(shown.identity.id)).toBe(404);
    expect(await me(await signIn("other"))).toEqual(before);
  });

  it("[V-81] what was proven and then refused is forgotten", async () => {
    oidc.person = "gerda";
    other.person = "not-gerda";
    const browser = await signIn("corp");
    await browser.get(await goAndCome(browser, "other", "?intent=link"));
    const pending = `${server.url}/api/v1/me/identities/pending`;
    const { identity } = await (await browser.get(pending)).json<{ identity: { id: string } }>();
    expect((await browser.send("DELETE", pending)).status).toBe(204);
    expect((await browser.get(pending)).status).toBe(404);
    expect((await browser.post(pending, { identity: identity.id })).status).toBe(404);
    expect(await me(await signIn("other"))).not.toEqual(await me(browser));
  });

  it("[U-52] [S15] linking that one person began ends in nobody else's browser, signed in or not", async () => {
    oidc.person = "carla";
    const attacker = await signIn("corp");
    other.person = "attackers-own";
    const back = await goAndCome(attacker, "other", "?intent=link");
    oidc.person = "doris";
    const victim = await signIn("corp");
    expect(await where(victim, back)).toBe("/chat#sign-in=start-again");
    expect((await victim.get(`${server.url}/api/v1/me/identities/pending`)).status).toBe(404);
  });

  it("[U-52] [S15] what was begun or proven in one session is nothing to another, even with its cookie", async () => {
    oidc.person = "emil";
    const attacker = await signIn("corp");
    other.person = "emils-other";
    const back = await goAndCome(attacker, "other", "?intent=link");
    oidc.person = "frida";
    const victim = await signIn("corp");
    victim.take(attacker, server.url, "althing_dev_sign_in");
    expect(await where(victim, back)).toBe("/chat#sign-in=start-again");
    const again = await goAndCome(attacker, "other", "?intent=link");
    expect(await where(attacker, again)).toBe("/chat#link");
    victim.take(attacker, server.url, "althing_dev_link");
    expect((await victim.get(`${server.url}/api/v1/me/identities/pending`)).status).toBe(404);
    expect((await attacker.get(`${server.url}/api/v1/me/identities/pending`)).status).toBe(200);
  });

  it("[U-52] linking needs somebody who is signed in", async () => {
    expect((await new BrowserJar().get(`${server.url}/auth/corp/start?intent=link`)).status).toBe(401);
  });
});
