import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeOwnerLink } from "../../../scripts/local/owner-link.ts";
import type { LocalSettings } from "../../../scripts/local/settings.ts";
import type { ConfigInput } from "../../../src/protocol/config.ts";
import { claimCookie } from "./claim.ts";
import { freePort } from "./free-port.ts";

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = join(HERE, "../../..");

const START_LIMIT_MS = 60_000;

interface Prepared {
  readonly config: ConfigInput;
  /** Default: a free one. */
  readonly port?: number;
  readonly secrets?: { readonly [name: string]: string };
}

/** The app under the real `wrangler dev`, as `npm start` runs it, with a configuration of the test's own. */
export class WranglerServer {
  #settings: LocalSettings;
  readonly #config: ConfigInput;
  readonly #secrets: NonNullable<Prepared["secrets"]>;
  #child: ChildProcess | undefined;

  private constructor(settings: LocalSettings, { config, secrets = {} }: Prepared) {
    this.#settings = settings;
    this.#config = config;
    this.#secrets = secrets;
  }

  static async prepare(prepared: Prepared): Promise<WranglerServer> {
    const { port = await freePort() } = prepared;
    const state = mkdtempSync(join(tmpdir(), "althing-wrangler-"));
    return new WranglerServer({ port, url: `http://127.0.0.1:${port}`, state }, prepared);
  }

  get url(): string {
    return this.#settings.url;
  }

  /** The folder of everything that it keeps. */
  get state(): string {
    return this.#settings.state;
  }

  /** The next start is on another folder. Only while it does not run. */
  moveTo(state: string): void {
    if (this.#child) throw new Error("kill the server first: it writes to its folder");
    this.#settings = { ...this.#settings, state };
  }

  async start(): Promise<void> {
    const { port, state } = this.#settings;
    const args = [
      "node_modules/wrangler/bin/wrangler.js",
      "dev",
      join(HERE, "entry.ts"),
      "--config",
      "wrangler.toml",
      "--local",
      "--ip",
      "127.0.0.1",
    ];
    const options = ["--port", String(port), "--persist-to", state, "--log-level", "error"];
    const secrets = Object.entries(this.#secrets).flatMap(([name, value]) => ["--var", `${name}:${value}`]);
    const told = [
      ...secrets,
      "--var",
      `ALTHING_LOCAL_PORT:${port}`,
      "--define",
      `__CONFIG__:${JSON.stringify(this.#config)}`,
    ];
    const child = spawn(process.execPath, [...args, ...options, ...told, "--show-interactive-dev-session", "false"], {
      cwd: ROOT,
      env: { ...process.env, CI: "1", WRANGLER_SEND_METRICS: "false", CLOUDFLARE_CF_FETCH_ENABLED: "false" },
      stdio: ["ignore", "ignore", "inherit"],
      detached: true,
    });
    this.#child = child;
    const deadline = Date.now() + START_LIMIT_MS;
    while (!(await this.#answers())) {
      if (Date.now() > deadline) throw new Error(`wrangler dev did not answer within ${START_LIMIT_MS} ms`);
      if (child.exitCode !== null) throw new Error(`wrangler dev ended with ${child.exitCode}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (!child?.pid) return;
    this.#child = undefined;
    const gone = child.exitCode === null && child.signalCode === null ? once(child, "exit") : undefined;
    process.kill(-child.pid, "SIGKILL");
    await gone;
  }

  /** The last death: nothing of it stays on disk. */
  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.#settings.state, { recursive: true, force: true });
  }

  async signIn(): Promise<string> {
    const link = await makeOwnerLink(ROOT, this.#settings);
    return claimCookie(this.url, link.slice(link.indexOf("#") + 1));
  }

  async #answers(): Promise<boolean> {
    try {
      return (await fetch(`${this.url}/healthz`, { signal: AbortSignal.timeout(1_000) })).ok;
    } catch {
      return false;
    }
  }
}
