import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const PATIENCE_MS = 90_000;

/** A start of `npm start`'s script, with what it printed so far. */
interface Started {
  readonly child: ChildProcess;
  readonly printed: () => string;
  readonly ended: Promise<number | null>;
}

let folder: string;
let port: number;
let url: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "althing-start-"));
  port = await freePort();
  url = `http://127.0.0.1:${port}`;
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function freePort(): Promise<number> {
  const server = createServer();
  return await new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

/** The environment of a machine that knows nothing of Cloudflare, with an empty home. */
function bareEnvironment(): NodeJS.ProcessEnv {
  const path = process.env["PATH"];
  return { PATH: path, HOME: join(folder, "home"), PORT: String(port), ALTHING_STATE: join(folder, "state") };
}

/** @param kind `group`: with a process group of its own, so that all of it can be killed at one instant. */
function start(kind?: "group"): Started {
  const detached = kind === "group";
  const env = bareEnvironment();
  const child = spawn("node", ["scripts/start.mjs"], { env, detached, stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (text += chunk.toString()));
  return { child, printed: () => text, ended: new Promise((resolve) => child.on("exit", resolve)) };
}

async function until<T>(what: string, look: () => T | undefined | Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > deadline) throw new Error(`waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function linkOf(started: Started): Promise<string> {
  return await until("the link", () => {
    if (started.child.exitCode !== null) throw new Error(`it ended: ${started.printed()}`);
    return /\S+\/claim#\S+/.exec(started.printed())?.[0];
  });
}

async function claim(link: string): Promise<string> {
  const [address, code] = link.split("/claim#");
  expect(address).toBe(url);
  const headers = { origin: url, "content-type": "application/json" };
  const answer = await fetch(`${url}/auth/claim`, { method: "POST", headers, body: JSON.stringify({ code }) });
  expect(answer.status).toBe(204);
  return answer.headers.get("set-cookie")?.split(";")[0] ?? "";
}

async function tierOf(cookie: string): Promise<unknown> {
  const answer = await read("/api/v1/me", { cookie });
  const { principal } = await answer.json<{ readonly principal?: { readonly tier: string } }>();
  return principal?.tier;
}

/** Reads a path. Whoever edits a source meanwhile makes wrangler start the Worker anew, so a cut connection is no answer. */
async function read(path: string, headers: Record<string, string> = {}): Promise<Response> {
  return await until(`an answer from ${path}`, () => fetch(url + path, { headers }).catch(() => undefined));
}

/** Processes that were started for this folder or port. */
function leftovers(): string[] {
  const { stdout } = spawnSync("ps", ["-axo", "args"], { encoding: "utf8" });
  return stdout.split("\n").filter((line) => line.includes(folder) || line.includes(`127.0.0.1:${port}`));
}

async function expectNothingLeft(): Promise<void> {
  await until("every process to end", () => (leftovers().length === 0 ? true : undefined));
}

describe("npm start", () => {
  it(
    "[U-39] [U-40] [U-41] [U-42] [U-43] starts bare, signs in, keeps its data, and leaves nothing behind",
    async () => {
      const first = start();
      const cookie = await claim(await linkOf(first));
      expect(await tierOf(cookie)).toBe("owner");
      expect((await read("/chat")).headers.get("content-type")).toContain("text/html");

      const more = spawnSync("node", ["scripts/owner-code.ts"], {
        env: { ...bareEnvironment(), PORT: "1" },
        encoding: "utf8",
      });
      expect(await tierOf(await claim(more.stdout.trim()))).toBe("owner");

      const second = start();
      expect(await second.ended).toBe(1);
      expect(second.printed()).toContain(`Port ${port} is in use by another program`);
      expect(second.printed()).toContain(`PORT=${port + 1} npm start`);

      first.child.kill("SIGTERM");
      expect(await first.ended).toBe(0);
      await expectNothingLeft();

      const again = start();
      const link = await linkOf(again);
      expect(await tierOf(cookie)).toBe("owner");
      expect(await tierOf(await claim(link))).toBe("owner");
      again.child.kill("SIGKILL");
      await again.ended;
      await expectNothingLeft();

      const doomed = start("group");
      await linkOf(doomed);
      process.kill(-(doomed.child.pid ?? 0), "SIGKILL");
      await doomed.ended;
      expect(leftovers().length, "the server outlives whoever could have stopped it").toBeGreaterThan(0);
      const heir = start();
      expect(await tierOf(await claim(await linkOf(heir)))).toBe("owner");
      heir.child.kill("SIGTERM");
      expect(await heir.ended).toBe(0);
      await expectNothingLeft();
    },
    4 * PATIENCE_MS,
  );
});
