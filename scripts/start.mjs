// `npm start`: runs on whatever Node started npm (20 or newer), installs what is missing, then hands over to the pinned
// Node. It stays in between only to pass a stop on, so that nothing outlives it.
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureInstalled } from "./install.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { node, env } = ensureInstalled(root);
// The fourth channel tells the server when this process dies without a word.
const server = spawn(node, ["scripts/run-start.ts"], {
  cwd: root,
  env,
  stdio: ["inherit", "inherit", "inherit", "ipc"],
});
const stop = () => server.kill("SIGTERM");
for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) process.on(signal, stop);

// npm runs this through a shell, and whoever stops either of them does not always stop this process.
const isRunByNpm = process.env["npm_lifecycle_event"] === "start";
const ancestors = readAncestors();
const watch = setInterval(() => {
  if (isRunByNpm && readAncestors() !== ancestors) stop();
}, 1000);

/** The shell, and npm above it where the system tells. */
function readAncestors() {
  const stat = `/proc/${process.ppid}/stat`;
  const [, , npm] = existsSync(stat) ? readFileSync(stat, "utf8").replace(/^.*\)/s, "").split(" ") : [];
  return `${process.ppid} ${npm}`;
}

server.on("exit", (code) => {
  clearInterval(watch);
  process.exitCode = code ?? 1;
});
