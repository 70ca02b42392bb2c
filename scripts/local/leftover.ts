import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { LocalSettings } from "./settings.ts";

/** Who runs the server of a state folder: the start that answers for it, and the process group that it started. */
interface ServerRecord {
  readonly start: number;
  readonly group: number;
}

const FILE = "server.json";

/** Notes the server's process group, so that the next start can end it, should this one be killed with no chance to. */
export function noteServer({ state }: LocalSettings, group: number): void {
  mkdirSync(state, { recursive: true });
  writeFileSync(join(state, FILE), JSON.stringify({ start: process.pid, group } satisfies ServerRecord));
}

export function forgetServer({ state }: LocalSettings): void {
  rmSync(join(state, FILE), { force: true });
}

/** Ends a server whose start was killed together with everything that could have stopped it. A live one is left alone. */
export async function endLeftover(settings: LocalSettings): Promise<void> {
  const path = join(settings.state, FILE);
  if (!existsSync(path)) return;
  const { start, group } = JSON.parse(readFileSync(path, "utf8")) as ServerRecord;
  if (isAlive(start)) return;
  // A group's number may have been given to others since: only one that serves this port is ours.
  for (let tries = 0; tries < TRIES && serves(group, settings.port); tries++) {
    if (tries === 0) process.kill(-group, "SIGKILL");
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  forgetServer(settings);
}

const TRIES = 50;
const PAUSE_MS = 100;

/** A killed process that nobody has reaped yet is listed, and dead all the same. */
function isAlive(pid: number): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
  const status = stdout.trim();
  return status !== "" && !status.startsWith("Z");
}

function serves(group: number, port: number): boolean {
  const { stdout } = spawnSync("ps", ["-axo", "pgid=,stat=,args="], { encoding: "utf8" });
  return stdout.split("\n").some((line) => {
    const [pgid = "", status = "", ...args] = line.trim().split(/\s+/);
    const isOurs = args.includes(String(port)) || line.includes(`127.0.0.1:${port}`);
    return Number(pgid) === group && !status.startsWith("Z") && isOurs;
  });
}
