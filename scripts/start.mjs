// `npm start`: runs on whatever Node started npm (20 or newer), installs what is missing, then hands over to the pinned
// Node. It stays in between only to pass a stop on, so that nothing outlives it.
import { spawn } from "node:child_process";
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

// npm runs this through a shell, and whoever stops either of them does not stop this process.
const parent = process.ppid;
const isRunByNpm = process.env["npm_lifecycle_event"] === "start";
const watch = setInterval(() => {
  if (isRunByNpm && process.ppid !== parent) stop();
}, 1000);

server.on("exit", (code) => {
  clearInterval(watch);
  process.exitCode = code ?? 1;
});
