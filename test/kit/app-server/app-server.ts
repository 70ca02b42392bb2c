import { type ChildProcess, fork } from "node:child_process";
import { randomFillSync } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { hashCode } from "../../../src/auth/code.ts";
import { newOwnerCode, OWNER_CODE_MS } from "../../../src/auth/owner-code.ts";
import type { FillRandom } from "../../../src/auth/secret.ts";
import { hashSessionId, newSessionId } from "../../../src/auth/session-id.ts";
import { ulid } from "../../../src/lib/ulid.ts";
import type { Tier } from "../../../src/people/facts.ts";
import type { ConfigInput } from "../../../src/protocol/config.ts";
import { bundleWorker } from "./bundle.ts";
import { claimCookie } from "./claim.ts";
import { freePort } from "./free-port.ts";

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = join(HERE, "../../..");

/** One person does in a test what many do in a day. */
const ROOMY: ConfigInput = { turns: { running: 1_000, perMinute: 10_000, perHour: 10_000 } };

/** What the host process is told. */
export interface HostOptions {
  readonly port: number;
  readonly state: string;
  readonly modulesRoot: string;
  readonly modules: readonly { readonly path: string }[];
  /** The project, for its migrations. */
  readonly root: string;
  readonly assets: string;
  readonly secrets: { readonly [name: string]: string };
  /** Object classes by binding. */
  readonly objects: { readonly [binding: string]: string };
  /** Port of the inspector; absent: there is none. */
  readonly inspector?: number;
}

export interface AppServerOptions {
  /** Default: a free one. */
  readonly port?: number;
  readonly config?: ConfigInput;
  readonly secrets?: { readonly [name: string]: string };
  /** Worker entry; default: the real app under `config`. */
  readonly entry?: string;
  /** Folder of the built page; default: an empty one. */
  readonly assets?: string;
  /** Object classes by binding, besides CONVERSATION. */
  readonly objects?: { readonly [binding: string]: string };
  /** Whether the process can be inspected. */
  readonly inspected?: boolean;
}

/** The whole deployment on loopback in a process of its own, on one port and one state folder through all its deaths. */
export class AppServer {
  readonly port: number;
  #options: HostOptions;
  readonly #folder: string;
  #host: ChildProcess | undefined;
  #requests = 0;

  private constructor(options: HostOptions, folder: string) {
    this.port = options.port;
    this.#options = options;
    this.#folder = folder;
  }

  /** Bundles the Worker and prepares an empty state. Starts nothing. */
  static async prepare(options: AppServerOptions = {}): Promise<AppServer> {
    const folder = mkdtempSync(join(tmpdir(), "althing-app-"));
    const modulesRoot = join(folder, "worker");
    const assets = options.assets ?? join(folder, "assets");
    mkdirSync(assets, { recursive: true });
    const files = await bundleWorker(options.entry ?? join(HERE, "entry.ts"), modulesRoot, {
      ...ROOMY,
      ...options.config,
    });
    for (const { path, contents } of files) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, contents);
    }
    const [main, ...chunks] = files.map(({ path }) => ({ path })).sort((a) => (a.path.endsWith("worker.js") ? -1 : 1));
    if (!main) throw new Error("the bundler gave no main module");
    const host = {
      port: options.port ?? (await freePort()),
      state: join(folder, "state"),
      modulesRoot,
      modules: [main, ...chunks],
      root: ROOT,
      assets,
      secrets: options.secrets ?? {},
      objects: { CONVERSATION: "Conversation", PRINCIPAL: "Principal", BUDGET: "Budget", ...options.objects },
      ...(options.inspected && { inspector: await freePort() }),
    };
    return new AppServer(host, folder);
  }

  /** Where its inspector listens. */
  get inspector(): number {
    const { inspector } = this.#options;
    if (inspector === undefined) throw new Error("the server was prepared without an inspector");
    return inspector;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Processor seconds of workerd so far in its newest life. */
  cpuSeconds(): number {
    const children = readFileSync(`/proc/${this.#host?.pid}/task/${this.#host?.pid}/children`, "utf8")
      .trim()
      .split(" ");
    const ticks = children.filter(Boolean).map((pid) => {
      const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
      return Number(fields[11]) + Number(fields[12]);
    });
    return ticks.reduce((sum, n) => sum + n, 0) / 100;
  }

  /** The folder of everything that it keeps. */
  get state(): string {
    return this.#options.state;
  }

  /** The next start is on another folder. Only while it does not run. */
  moveTo(state: string): void {
    if (this.isRunning) throw new Error("kill the server first: it writes to its folder");
    this.#options = { ...this.#options, state };
  }

  get isRunning(): boolean {
    return this.#host !== undefined;
  }

  /** Starts the process over the state that stands. Resolves when it answers. */
  async start(): Promise<void> {
    const host = fork(join(HERE, "host.ts"), [JSON.stringify(this.#options)], {
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      detached: true,
    });
    this.#host = host;
    const output: string[] = [];
    host.stderr?.on("data", (chunk: Buffer) => output.push(chunk.toString()));
    await new Promise<void>((resolve, reject) => {
      host.stdout?.on("data", (chunk: Buffer) => {
        output.push(chunk.toString());
        if (output.join("").includes("ready ")) resolve();
      });
      host.once("exit", () => reject(new Error(`the server did not start:\n${output.join("")}`)));
    });
    this.log = output;
  }

  /** What the process wrote so far in its newest life. */
  log: readonly string[] = [];

  /** SIGKILL to the whole process group: host and workerd die between any two instructions. */
  async kill(): Promise<void> {
    const host = this.#host;
    if (!host?.pid) return;
    this.#host = undefined;
    const gone = host.exitCode === null && host.signalCode === null ? once(host, "exit") : undefined;
    process.kill(-host.pid, "SIGKILL");
    await gone;
  }

  /** The last death: nothing of it stays on disk. */
  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** How many objects of a class have an alarm, by what the process left on disk. Only while none runs. */
  alarms(className: string): number {
    if (this.isRunning) throw new Error("kill the server first: its files are being written");
    const file = new DatabaseSync(join(this.#options.state, "do", `-${className}`, "metadata.sqlite"));
    const row = file.prepare("SELECT count(*) AS n FROM _cf_ALARM").get();
    file.close();
    return Number(row?.["n"]);
  }

  /** Rows of a statement on the directory's database. */
  async sql(sql: string, ...bindings: readonly unknown[]): Promise<readonly Record<string, unknown>[]> {
    const host = this.#host;
    if (!host) throw new Error("the server is not running");
    const id = ++this.#requests;
    return new Promise((resolve) => {
      const onMessage = (answer: { readonly id: number; readonly rows: readonly Record<string, unknown>[] }) => {
        if (answer.id !== id) return;
        host.off("message", onMessage);
        resolve(answer.rows);
      };
      host.on("message", onMessage);
      host.send({ id, sql, bindings });
    });
  }

  /** A fresh one-time code of the owner. */
  async ownerCode(): Promise<string> {
    const code = newOwnerCode((bytes) => randomFillSync(bytes));
    const now = Date.now();
    const hash = await hashCode(code);
    await this.sql(
      "INSERT INTO owner_codes (hash, created_at, expires_at) VALUES (?, ?, ?)",
      hash,
      now,
      now + OWNER_CODE_MS,
    );
    return code;
  }

  /** Somebody who was admitted and is signed in: their principal, and the id of their session. */
  async person(name: string, tier: Tier): Promise<{ readonly principalId: string; readonly session: string }> {
    const now = Date.now();
    const random: FillRandom = (bytes) => randomFillSync(bytes);
    const session = newSessionId(random);
    const principalId = `p_${ulid(now, random)}`;
    const identity = `test:${name}`;
    const hash = await hashSessionId(session);
    const at = [principalId, now] as const;
    await this.sql("INSERT INTO principals (id, created_at, name, tier) VALUES (?, ?, ?, ?)", ...at, name, tier);
    await this.sql("INSERT INTO identities (principal_id, linked_at, id) VALUES (?, ?, ?)", ...at, identity);
    await this.sql(
      "INSERT INTO sessions (principal_id, created_at, hash, identity, last_seen_at) VALUES (?, ?, ?, ?, ?)",
      ...at,
      hash,
      identity,
      now,
    );
    return { principalId, session };
  }

  /** Signs the owner in by a code. Returns the Cookie header of their browser. */
  async signIn(): Promise<string> {
    return claimCookie(this.url, await this.ownerCode());
  }
}
