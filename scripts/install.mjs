// Runs on whatever Node started npm (20 or newer), before any dependency is there: no imports but Node's own.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * @typedef {{ version?: string, optional?: boolean, devOptional?: boolean }} LockedPackage
 * @typedef {Record<string, LockedPackage>} LockedPackages
 */

/**
 * Paths of locked packages that are absent or stand in another version. Optional ones (other platforms) do not count.
 * @param {LockedPackages} wanted `packages` of package-lock.json
 * @param {LockedPackages} installed `packages` of node_modules/.package-lock.json
 * @returns {string[]}
 */
export function missingPackages(wanted, installed) {
  return Object.entries(wanted)
    .filter(([path, { version, optional }]) => path !== "" && !optional && installed[path]?.version !== version)
    .map(([path]) => path);
}

/**
 * Brings node_modules to what package-lock.json says (`npm ci` when anything is missing).
 * @param {string} root the project's folder
 * @returns {{ node: string, env: NodeJS.ProcessEnv }} the pinned Node, and an environment in which `node` is that one
 */
export function ensureInstalled(root) {
  const bin = join(root, "node_modules", ".bin");
  const node = join(bin, process.platform === "win32" ? "node.cmd" : "node");
  const why = reasonToInstall(root, node);
  if (why !== undefined) {
    console.error(`${why}: running npm ci`);
    npmCi(root);
    const still = reasonToInstall(root, node);
    if (still !== undefined) throw new Error(`npm ci ended, but ${still}. Remove node_modules and run: npm ci`);
  }
  return { node, env: { ...process.env, PATH: `${bin}${delimiter}${process.env["PATH"] ?? ""}` } };
}

/**
 * @param {string} root
 * @param {string} node
 * @returns {string | undefined}
 */
function reasonToInstall(root, node) {
  const record = join(root, "node_modules", ".package-lock.json");
  if (!existsSync(record)) return "dependencies are not installed";
  const missing = missingPackages(readPackages(join(root, "package-lock.json")), readPackages(record));
  if (missing.length > 0) return `${missing.length} dependencies are missing or old (${missing[0]})`;
  if (spawnSync(node, ["--version"]).status !== 0) return "the pinned Node does not start";
  return undefined;
}

/**
 * @param {string} path
 * @returns {LockedPackages}
 */
function readPackages(path) {
  const lock = /** @type {{ packages: LockedPackages }} */ (JSON.parse(readFileSync(path, "utf8")));
  return lock.packages;
}

/** @param {string} root */
function npmCi(root) {
  // npm names its own program when it runs a script; without npm around, the one in PATH is taken.
  const npm = process.env["npm_execpath"];
  const args = ["ci", "--no-audit", "--no-fund"];
  const run = npm?.endsWith(".js")
    ? spawnSync(process.execPath, [npm, ...args], io(root))
    : spawnSync("npm", args, io(root));
  if (run.status !== 0)
    throw new Error("npm ci failed, see above. It needs npm 11 or newer and the npm registry: npm ci");
}

/**
 * npm's words go to stderr: the last line of stdout belongs to the caller.
 * @param {string} root
 * @returns {import("node:child_process").SpawnSyncOptions}
 */
function io(root) {
  return { cwd: root, stdio: ["ignore", 2, 2] };
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  ensureInstalled(process.cwd());
}
