import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { AppServer } from "../kit/app-server/app-server.ts";
import { freePort } from "../kit/app-server/free-port.ts";
import { BrowserJar } from "../kit/browser-jar.ts";
import { API_AUDIENCE, OidcServer, OTHER_AUDIENCE } from "../kit/oidc-server.ts";

let server: AppServer;
let oidc: OidcServer;

beforeAll(async () => {
  const port = await freePort();
  oidc = await OidcServer.start(`http://127.0.0.1:${port}/auth/corp/callback`);
  const { issuer, client } = oidc;
  const api = { audience: API_AUDIENCE, scope: "chat" };
  const corp = { kind: "oidc" as const, issuer, clientId: client.clientId, secretFrom: "OIDC_SECRET", api };
  server = await AppServer.prepare({
    port,
    config: { signIn: { corp }, people: { provisioning: "member" } },
    secrets: { OIDC_SECRET: client.clientSecret },
  });
  await server.start();
}, 60_000);

afterAll(async () => {
  await Promise.all([server?.remove(), oidc?.stop()]);
});

async function me(authorization: string): Promise<number> {
  return (await fetch(`${server.url}/api/v1/me`, { headers: { authorization } })).status;
}

/** The provider's person signs in on the page, and so is somebody here. */
async function admit(person: string): Promise<BrowserJar> {
  oidc.person = person;
  const browser = new BrowserJar();
  const back = await browser.follow(`${server.url}/auth/corp/start`, ({ pathname }) => pathname.endsWith("/callback"));
  await browser.get(back.href);
  return browser;
}

describe("a program with a real provider's token, at the real Worker", () => {
  it("[U-60] [U-67] is the person who has signed in on the page, and nobody before", async () => {
    oidc.person = "ada";
    const { access_token } = await oidc.programTokens(API_AUDIENCE, "chat");
    expect(await me(`Bearer ${access_token}`)).toBe(403);
    const browser = await admit("ada");
    const ofPage = await (await browser.get(`${server.url}/api/v1/me`)).text();
    const headers = { authorization: `Bearer ${access_token}` };
    expect(await (await fetch(`${server.url}/api/v1/me`, { headers })).text()).toBe(ofPage);
  });

  it("[U-71] [U-73] creates a conversation, talks over its socket, and hears the answer", async () => {
    await admit("berta");
    const { access_token } = await oidc.programTokens(API_AUDIENCE, "chat other");
    const headers = { authorization: `Bearer ${access_token}`, "content-type": "application/json" };
    const id = crypto.randomUUID();
    const body = JSON.stringify({ id });
    const created = await fetch(`${server.url}/api/v1/conversations`, { method: "POST", headers, body });
    expect(created.status).toBe(201);
    const address = `${server.url.replace("http", "ws")}/chat/ws?conversation=${id}`;
    const socket = new WebSocket(address, "althing.chat.v1", { headers: { authorization: headers.authorization } });
    const frames: string[] = [];
    const heard = new Promise<void>((resolve, reject) => {
      socket.on("error", reject);
      socket.on("open", () => {
        socket.send(JSON.stringify({ type: "hello" }));
        socket.send(JSON.stringify({ type: "send", id: "1", text: "What time is it in Tokyo?" }));
      });
      socket.on("message", (data: Buffer) => {
        frames.push(data.toString());
        if (data.toString().includes('"core.assistant"')) resolve();
      });
    });
    await heard;
    socket.close();
    expect(frames.some((frame) => frame.includes('"type":"receipt"'))).toBe(true);
  });

  it.each([
    ["[U-62] its ID token", async () => (await oidc.programTokens(API_AUDIENCE, "chat")).id_token ?? "", 401],
    [
      "[U-61] a token for another resource",
      async () => (await oidc.programTokens(OTHER_AUDIENCE, "chat")).access_token,
      401,
    ],
    [
      "[U-64] a token without the scope",
      async () => (await oidc.programTokens(API_AUDIENCE, "other")).access_token,
      403,
    ],
    ["[U-63] a token of the program itself", () => oidc.appToken(API_AUDIENCE, "chat"), 401],
  ])("%s is refused", async (_name, get, status) => {
    await admit("carla");
    expect(await me(`Bearer ${await get()}`)).toBe(status);
  });

  it("[U-72] two Authorization headers on the line are refused, also when one of them is right", async () => {
    await admit("doris");
    const { access_token } = await oidc.programTokens(API_AUDIENCE, "chat");
    const right = `Bearer ${access_token}`;
    const ask = (headers: readonly string[]) =>
      new Promise<number>((resolve, reject) => {
        const host = `127.0.0.1:${server.port}`;
        const lines = ["host", host, ...headers.flatMap((value) => ["authorization", value])];
        request(`${server.url}/api/v1/me`, { headers: lines }, (answer) => {
          answer.resume();
          resolve(answer.statusCode ?? 0);
        })
          .on("error", reject)
          .end();
      });
    expect(await ask([right])).toBe(200);
    expect(await ask([right, "Bearer a.b.c"])).toBe(401);
    expect(await ask(["Bearer a.b.c", right])).toBe(401);
  });
});

describe("over a death of the server", () => {
  let authorization = "";
  let before = 0;
  beforeAll(async () => {
    const browser = await admit("emil");
    authorization = `Bearer ${(await oidc.programTokens(API_AUDIENCE, "chat")).access_token}`;
    before = await me(authorization);
    await browser.post(`${server.url}/auth/signout`, { everywhere: true });
    await server.kill();
    await server.start();
  }, 60_000);

  it("[U-69] a token that signing out everywhere has ended stays ended", async () => {
    expect([before, await me(authorization)]).toEqual([200, 401]);
  });
});
