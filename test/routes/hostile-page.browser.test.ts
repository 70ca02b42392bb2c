import { createServer, type Server } from "node:http";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AppServer } from "../kit/app-server/app-server.ts";
import { freePort } from "../kit/app-server/free-port.ts";
import { launchBrowser } from "../web/browser.ts";

const SCRIPT = "<script>document.title = 'it ran'; fetch('/api/v1/me');</script>";
const PNG = "\x89PNG\r\n\x1a\n";

let server: AppServer;
let browser: Browser;
let evil: Server;
/** A page of another program on this machine: another origin, but the same site, so that cookies go along. */
let evilUrl: string;
let cookie: string;
let files: string;

beforeAll(async () => {
  server = await AppServer.prepare();
  await server.start();
  cookie = await server.signIn();
  const id = crypto.randomUUID();
  await call("POST", "/api/v1/conversations", JSON.stringify({ id }));
  files = `/api/v1/conversations/${id}/files`;
  const port = await freePort();
  evilUrl = `http://127.0.0.1:${port}/`;
  evil = createServer((_, response) => response.setHeader("content-type", "text/html").end("<title>evil</title>"));
  await new Promise<void>((resolve) => evil.listen(port, "127.0.0.1", resolve));
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser.close();
  evil.close();
  await server.remove();
});

async function call(method: string, path: string, body?: string, type = "application/json"): Promise<Response> {
  const bytes = body === undefined ? null : Uint8Array.from(body, (unit) => unit.charCodeAt(0));
  const headers = { cookie, origin: server.url, "content-type": type };
  return await fetch(server.url + path, { method, headers, body: bytes });
}

async function store(name: string, type: string, bytes: string): Promise<string> {
  const answer = await call("POST", `${files}?name=${name}`, bytes, type);
  expect(answer.status).toBe(201);
  const { id } = (await answer.json()) as { readonly id: string };
  return `${server.url}${files}/${id}`;
}

/** A window of the signed-in person, and the paths that it asked this server for. */
async function signedInPage(): Promise<{ readonly page: Page; readonly asked: string[] } & AsyncDisposable> {
  const context = await browser.newContext();
  const [name = "", value = ""] = cookie.split("=");
  await context.addCookies([{ name, value, url: server.url, httpOnly: true, sameSite: "Lax" }]);
  const page = await context.newPage();
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  return { page, asked, [Symbol.asyncDispose]: () => context.close() };
}

describe("a stored file in a browser", () => {
  it.each([
    ["page.html", "text/html"],
    ["page.svg", "image/svg+xml"],
    ["page.xhtml", "application/xhtml+xml"],
    ["page.txt", "text/plain"],
  ])("[V-19] %s is downloaded and never runs", async (name, type) => {
    const url = await store(name, type, `<svg xmlns="http://www.w3.org/2000/svg">${SCRIPT}</svg>`);
    await using visit = await signedInPage();
    const download = visit.page.waitForEvent("download");
    await expect(visit.page.goto(url)).rejects.toThrow("Download is starting");
    expect((await download).suggestedFilename()).toBe(name);
    expect(visit.asked).toEqual([new URL(url).pathname]);
  });

  it("[V-19] a page that begins like an image is an image, and does not run", async () => {
    const url = await store("image.html", "text/html", PNG + SCRIPT);
    await using visit = await signedInPage();
    const response = await visit.page.goto(url);
    expect(response?.headers()["content-type"]).toBe("image/png");
    await visit.page.waitForLoadState();
    expect(await visit.page.title()).not.toBe("it ran");
    expect(visit.asked).not.toContain("/api/v1/me");
  });

  it("[V-19] it cannot be loaded as a script or a style of another page", async () => {
    const url = await store("code.js", "text/javascript", "window.ran = true;");
    await using visit = await signedInPage();
    await visit.page.goto(evilUrl);
    const outcome = await visit.page.evaluate(
      (address) =>
        new Promise<string>((resolve) => {
          const script = document.createElement("script");
          script.addEventListener("load", () => resolve("loaded"));
          script.addEventListener("error", () => resolve("refused"));
          script.src = address;
          document.head.append(script);
        }),
      url,
    );
    expect(outcome).toBe("refused");
    expect(await visit.page.evaluate(() => "ran" in window)).toBe(false);
  });
});

describe("a page of another origin, with the person's cookie", () => {
  it.each(["/chat", "/claim", "/api/v1/me"])("[U-32] cannot frame %s", async (path) => {
    await using visit = await signedInPage();
    await visit.page.goto(evilUrl);
    const blocked = visit.page.waitForEvent("requestfailed");
    await visit.page.evaluate((address) => {
      const frame = document.createElement("iframe");
      frame.src = address;
      document.body.append(frame);
    }, server.url + path);
    expect((await blocked).failure()?.errorText).toContain("BLOCKED_BY_RESPONSE");
  });

  it("[U-29] cannot change anything: the session that it tries to end goes on", async () => {
    await using visit = await signedInPage();
    await visit.page.goto(evilUrl);
    const answer = visit.page.waitForResponse(`${server.url}/auth/signout`);
    await visit.page.evaluate((address) => {
      const form = document.createElement("form");
      form.method = "POST";
      form.action = address;
      document.body.append(form);
      form.submit();
    }, `${server.url}/auth/signout`);
    const refused = await answer;
    expect(await refused.request().headerValue("cookie")).toContain(cookie);
    expect(refused.status()).toBe(403);
    expect((await call("GET", "/api/v1/me")).status).toBe(200);
  });

  it("[U-30] cannot open the socket or read an answer", async () => {
    await using visit = await signedInPage();
    await visit.page.goto(evilUrl);
    const id = files.split("/")[4] ?? "";
    const outcome = await visit.page.evaluate(
      async ({ socket, read }) => {
        const opened = await new Promise<string>((resolve) => {
          const tried = new WebSocket(socket, "althing.chat.v1");
          tried.addEventListener("open", () => resolve("open"));
          tried.addEventListener("close", () => resolve("refused"));
        });
        const text = await fetch(read, { credentials: "include" }).then(
          (response) => response.text(),
          () => "refused",
        );
        return { opened, text };
      },
      { socket: `${server.url.replace("http", "ws")}/chat/ws?conversation=${id}`, read: `${server.url}/api/v1/me` },
    );
    expect(outcome).toEqual({ opened: "refused", text: "refused" });
  });
});
