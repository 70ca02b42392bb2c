import { spawn } from "node:child_process";
import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readManifest } from "../../scripts/backup/manifest.ts";
import { verifyExport } from "../../src/holds/audit/verify-export.ts";
import type { ConversationSummary } from "../../src/protocol/rest.ts";
import type { View } from "../../src/protocol/view.ts";
import { freePort } from "../kit/app-server/free-port.ts";
import { WranglerServer } from "../kit/app-server/wrangler-server.ts";
import { BrowserJar } from "../kit/browser-jar.ts";
import { API_AUDIENCE, OidcServer } from "../kit/oidc-server.ts";

const STARTING = { timeout: 120_000 };
const folder = mkdtempSync(join(tmpdir(), "althing-rest-"));
const at = (name: string) => join(folder, name);
let server: WranglerServer;
let oidc: OidcServer;
let token: string;
let id: string;

beforeAll(async () => {
  const port = await freePort();
  oidc = await OidcServer.start(`http://127.0.0.1:${port}/auth/corp/callback`);
  const { issuer, client } = oidc;
  const api = { audience: API_AUDIENCE, scope: "chat" };
  const corp = { kind: "oidc" as const, issuer, clientId: client.clientId, secretFrom: "OIDC_SECRET", api };
  const subject = `oidc:${Buffer.from(issuer).toString("base64url")}:ada`;
  server = await WranglerServer.prepare({
    port,
    config: { signIn: { corp }, people: { provisioning: "member", owners: [subject] } },
    secrets: { OIDC_SECRET: client.clientSecret },
  });
  await server.start();
  // Brings the database up to date, too.
  await server.signIn();
  token = await tokenOf("ada");
  id = crypto.randomUUID();
  await post("/conversations", { id });
  const bytes = new Uint8Array(3_000).fill(7);
  await fetch(`${api1()}/conversations/${id}/files?name=a.bin`, { method: "POST", headers: bearer(), body: bytes });
  await post(`/conversations/${id}/messages`, { id: "m", text: "Send the build webhook" });
  await until(async () => (await viewOf(id)).turn?.stage === "waiting");
}, STARTING.timeout);

afterAll(async () => {
  await Promise.all([server?.remove(), oidc?.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

const api1 = () => `${server.url}/api/v1`;
const bearer = (of = token) => ({ authorization: `Bearer ${of}` });

/** Somebody signs in on the page once, and has a program. */
async function tokenOf(person: string): Promise<string> {
  oidc.person = person;
  const browser = new BrowserJar();
  const back = await browser.follow(`${server.url}/auth/corp/start`, ({ pathname }) => pathname.endsWith("/callback"));
  await browser.get(back.href);
  return (await oidc.programTokens(API_AUDIENCE, "chat")).access_token;
}

async function post(path: string, body: object): Promise<void> {
  const headers = { ...bearer(), "content-type": "application/json" };
  const answer = await fetch(api1() + path, { method: "POST", headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
}

async function viewOf(conversation: string, of = token): Promise<View> {
  const answer = await fetch(`${api1()}/conversations/${conversation}`, { headers: bearer(of) });
  return (await answer.json<{ readonly view: View }>()).view;
}

async function listed(of = token): Promise<readonly ConversationSummary[]> {
  const answer = await fetch(`${api1()}/conversations`, { headers: bearer(of) });
  return (await answer.json<{ readonly conversations: readonly ConversationSummary[] }>()).conversations;
}

async function until(look: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + 20_000; !(await look()); ) {
    if (Date.now() > deadline) throw new Error("waited in vain");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function run(script: "backup" | "restore", args: readonly string[], of: string | undefined = token) {
  const env = {
    PATH: process.env["PATH"],
    ALTHING_STATE: at("no-state"),
    ...(of !== undefined && { ALTHING_TOKEN: of }),
  };
  const child = spawn(process.execPath, [`scripts/${script}.ts`, ...args], { env });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (part: Buffer) => (said += part.toString()));
  const status = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { status, said };
}

describe("a backup over REST", () => {
  it(
    "[P-36] [P-38] holds the conversations, the audit and who was erased, and comes back as private conversations, once",
    STARTING,
    async () => {
      const made = await run("backup", ["--url", server.url, "--to", at("kept")]);
      expect(made, made.said).toMatchObject({ status: 0, said: expect.stringContaining("Not in it: people") });
      expect(made.said).not.toContain(token);
      const manifest = readManifest(at("kept"));
      expect(manifest).toMatchObject({ kind: "conversations", erased: [] });
      expect(manifest.files.map(({ path }) => path)).toEqual(["audit.ndjson", `conversations/${id}.ndjson`]);
      expect(verifyExport(readFileSync(at("kept/audit.ndjson"), "utf8").split("\n"))).toMatchObject({ faults: [] });

      const berta = await tokenOf("berta");
      const back = await run("restore", ["--url", server.url, "--from", at("kept")], berta);
      expect(back, back.said).toMatchObject({
        status: 0,
        said: expect.stringContaining("1 conversations made, 0 were"),
      });
      await until(async () => (await listed(berta))[0]?.state === "idle");
      const [hers] = await listed(berta);
      expect(hers?.visibility).toBe("private");
      const view = await viewOf(hers?.id ?? "", berta);
      expect(view).toMatchObject({ turn: null, tasks: {} });
      expect(view.entries[0]?.message).toEqual((await viewOf(id)).entries[0]?.message);
      const again = await run("restore", ["--url", server.url, "--from", at("kept")], berta);
      expect(again.said).toContain("0 conversations made, 1 were there already");
      expect(await listed(berta)).toHaveLength(1);

      const poor = await run("backup", ["--url", server.url, "--to", at("hers")], berta);
      expect(poor.status, poor.said).toBe(0);
      expect(
        readManifest(at("hers")).files.map(({ path }) => path),
        "the audit is for owners",
      ).toEqual([`conversations/${hers?.id}.ndjson`]);
    },
  );

  it("[P-38] that was changed is refused before anything is sent", STARTING, async () => {
    const berta = await tokenOf("carla");
    await run("backup", ["--url", server.url, "--to", at("broken")]);
    const bundle = join(at("broken/conversations"), readdirSync(at("broken/conversations"))[0] ?? "");
    appendFileSync(bundle, " ");
    const refused = await run("restore", ["--url", server.url, "--from", at("broken")], berta);
    expect(refused).toMatchObject({
      status: 1,
      said: expect.stringContaining("not what it was when the backup was made"),
    });
    rmSync(bundle);
    expect((await run("restore", ["--url", server.url, "--from", at("broken")], berta)).said).toContain("is missing");
    expect(await listed(berta)).toEqual([]);
  });

  it("[P-38] of a whole deployment cannot be put into one that runs", STARTING, async () => {
    await run("backup", ["--url", server.url, "--to", at("state-kind")]);
    const file = at("state-kind/manifest.json");
    writeFileSync(file, readFileSync(file, "utf8").replace('"kind": "conversations"', '"kind": "state"'));
    const refused = await run("restore", ["--url", server.url, "--from", at("state-kind")]);
    expect(refused).toMatchObject({
      status: 1,
      said: expect.stringContaining("restore it without --url, into an empty"),
    });
  });
});

describe("the token", () => {
  it(
    "[P-37] comes from the environment alone, goes nowhere else, and what is refused leaves nothing",
    STARTING,
    async () => {
      const cases = [
        [["--url", server.url], "", "ALTHING_TOKEN is empty: set it to an access token"],
        [["--url", server.url], "wrong", "answered 401 to /conversations?limit=100: "],
        [
          ["--url", server.url, `--token=${token}`],
          token,
          "--token is no flag of this command: there are --to, --url.",
        ],
        [["--url", "http://chat.example.com"], token, "it must be the deployment's https address"],
        [["--url", "chat"], token, "it must be the deployment's https address"],
      ] as const;
      for (const [args, of, words] of cases) {
        const refused = await run("backup", ["--to", at("refused"), ...args], of);
        expect(refused, words).toMatchObject({ status: 1, said: expect.stringContaining(words) });
        expect(refused.said).not.toContain(token);
        expect(existsSync(at("refused")), words).toBe(false);
      }
      const asked: (string | undefined)[] = [];
      const elsewhere = createServer((request, response) => {
        asked.push(request.headers.authorization);
        response.writeHead(307, { location: `http://127.0.0.1:${port}/stolen` }).end();
      }).listen(0, "127.0.0.1");
      await new Promise((resolve) => elsewhere.once("listening", resolve));
      const { port } = elsewhere.address() as AddressInfo;
      const led = await run("backup", ["--to", at("refused"), "--url", `http://127.0.0.1:${port}`]);
      elsewhere.close();
      expect(led).toMatchObject({ status: 1, said: expect.stringContaining("answered 307") });
      expect(asked).toHaveLength(1);
    },
  );

  it("[P-36] a bundle that breaks off leaves no backup", STARTING, async () => {
    const half = createServer((request, response) => {
      const isList = request.url?.startsWith("/api/v1/conversations?") === true;
      response.end(isList ? JSON.stringify({ conversations: [{ id }] }) : '{"head":{}}\n{"entry":{}}\n');
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => half.once("listening", resolve));
    const { port } = half.address() as AddressInfo;
    const broken = await run("backup", ["--to", at("half"), "--url", `http://127.0.0.1:${port}`]);
    half.close();
    expect(broken).toMatchObject({ status: 1, said: expect.stringContaining("broke off on its way") });
    expect(existsSync(at("half"))).toBe(false);
  });
});
