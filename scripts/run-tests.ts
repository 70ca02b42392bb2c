import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureChromium } from "./chromium.ts";
import { isGood, type Report, renderTally, type Tally, tally } from "./tally.ts";

const NO_BROWSER = "--no-browser";

/**
 * Builds the page, runs the vitest projects, and ends with one line `N passed, M failed` alone. Arguments other than
 * `--no-browser` go to vitest.
 */
const result = runAll(process.argv.slice(2));
console.log(renderTally(result));
process.exitCode = isGood(result) ? 0 : 1;

function runAll(args: readonly string[]): Tally {
  const withBrowser = !args.includes(NO_BROWSER);
  const projects = withBrowser ? ["node", "workers", "browser"] : ["node", "workers"];
  const selection = projects.flatMap((name) => ["--project", name]);
  try {
    const env = withBrowser ? { ...process.env, CHROMIUM: ensureChromium() } : process.env;
    const built = run("node_modules/vite/bin/vite.js", ["build", "web", "--logLevel", "warn"], env);
    if (built !== 0) throw new Error("the page cannot be built, see above: npm run build");
    return runTests([...selection, ...args.filter((argument) => argument !== NO_BROWSER)], env);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return tally(undefined, 1);
  }
}

function runTests(args: readonly string[], env: NodeJS.ProcessEnv): Tally {
  const folder = mkdtempSync(join(tmpdir(), "althing-test-"));
  const output = join(folder, "report.json");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${output}`];
  try {
    const code = run("node_modules/vitest/vitest.mjs", ["run", ...args, ...reporters], env);
    return tally(existsSync(output) ? (JSON.parse(readFileSync(output, "utf8")) as Report) : undefined, code);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The exit code of a script under this Node. */
function run(script: string, args: readonly string[], env: NodeJS.ProcessEnv): number {
  return spawnSync(process.execPath, [script, ...args], { env, stdio: "inherit" }).status ?? 1;
}
