import { type ChildProcess, spawn } from "node:child_process";
import { forgetServer, noteServer } from "./leftover.ts";
import type { LocalSettings } from "./settings.ts";

const POLL_MS = 50;
const START_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 5_000;

/** A running `wrangler dev`. */
export interface LocalServer {
  /** Resolves with its exit code when it ends, for whatever reason. */
  readonly ended: Promise<number>;
  /** Ends it and everything that it started. */
  stop(): Promise<void>;
}

/** Starts the Worker on this machine. It is reached over loopback only. */
export function startServer(root: string, settings: LocalSettings): LocalServer {
  const { port, state } = settings;
  const args = ["node_modules/wrangler/bin/wrangler.js", "dev"];
  const options = ["--local", "--ip", "127.0.0.1", "--port", String(port), "--persist-to", state];
  // The Worker accepts loopback names only when it is told that it runs here.
  const told = ["--var", `ALTHING_LOCAL_PORT:${port}`, "--show-interactive-dev-session", "false"];
  const child = spawn(process.execPath, [...args, ...options, ...told, "--log-level", "warn"], {
    cwd: root,
    env: quietEnvironment(),
    stdio: ["ignore", "inherit", "inherit"],
    // A process group of its own: wrangler starts further processes, and a stop must reach all of them.
    detached: true,
  });
  if (child.pid !== undefined) noteServer(settings, child.pid);
  const ended = new Promise<number>((resolve) => child.on("exit", (code) => resolve(code ?? 1)));
  return {
    ended,
    async stop() {
      await stopGroup(child, ended);
      forgetServer(settings);
    },
  };
}

/** Nothing here needs an account, a network or a home directory, and nothing is reported to anybody. */
function quietEnvironment(): NodeJS.ProcessEnv {
  return {
    ...process.env,
    CI: "1",
    WRANGLER_SEND_METRICS: "false",
    WRANGLER_SEND_ERROR_REPORTS: "false",
    CLOUDFLARE_CF_FETCH_ENABLED: "false",
  };
}

async function stopGroup(child: ChildProcess, ended: Promise<number>): Promise<void> {
  signalGroup(child, "SIGTERM");
  const patience = new Promise<"late">((resolve) => setTimeout(resolve, STOP_LIMIT_MS, "late").unref());
  await Promise.race([ended, patience]);
  // Also when wrangler itself is gone, what it started may not be.
  signalGroup(child, "SIGKILL");
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/**
 * Waits until the server answers.
 * @returns false when it was told to stop before that.
 * @throws when the server ends first or takes too long.
 */
export async function isUp(server: LocalServer, { url }: LocalSettings, stop: AbortSignal): Promise<boolean> {
  const deadline = Date.now() + START_LIMIT_MS;
  let code: number | undefined;
  void server.ended.then((exit) => {
    code = exit;
  });
  while (!(await answers(url))) {
    if (stop.aborted) return false;
    if (code !== undefined) throw new Error(`The server ended with code ${code} before it answered, see above.`);
    if (Date.now() > deadline)
      throw new Error(`The server did not answer at ${url} within ${START_LIMIT_MS / 1000} s.`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return !stop.aborted;
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(2_000) });
    return response.ok;
  } catch {
    return false;
  }
}
