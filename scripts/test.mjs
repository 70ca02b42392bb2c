// `npm test`: installs what is missing with the outer Node, then hands over to the pinned one.
import { spawn } from "node:child_process";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureInstalled } from "./install.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { node, env } = ensureInstalled(root);
const child = spawn(node, ["scripts/run-tests.ts", ...process.argv.slice(2)], { cwd: root, env, stdio: "inherit" });
child.on("exit", (code) => {
  process.exitCode = code ?? 1;
});
