import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureChromium } from "./chromium.ts";
import { isGood, type Report, renderTally, type Tally, tally } from "./tally.ts";

/** Builds the page, runs the vitest projects, and ends with one line `N passed, M failed` alone. */
const withBrowser = !process.argv.includes("--no-browser");
const rest = process.argv.slice(2).filter((argument) => argument !== "--no-browser");
const projects = withBrowser ? ["node", "workers", "browser"] : ["node", "workers"];

const env = withBrowser ? { ...process.env, CHROMIUM: ensureChromium() } : process.env;
run("node_modules/vite/bin/vite.js", ["build", "web", "--logLevel", "warn"]);
const result = runTests();
console.log(renderTally(result));
process.exitCode = isGood(result) ? 0 : 1;

function runTests(): Tally {
  const folder = mkdtempSync(join(tmpdir(), "althing-test-"));
  const output = join(folder, "report.json");
  const args = ["run", ...projects.flatMap((name) => ["--project", name]), ...rest];
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${output}`];
  try {
    const code = run("node_modules/vitest/vitest.mjs", [...args, ...reporters], true);
    return tally(existsSync(output) ? (JSON.parse(readFileSync(output, "utf8")) as Report) : undefined, code);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function run(script: string, args: readonly string[], mayFail = false): number {
  const { status } = spawnSync(process.execPath, [script, ...args], { env, stdio: "inherit" });
  const code = status ?? 1;
  if (code !== 0 && !mayFail) throw new Error(`${script} ${args.join(" ")} failed with code ${code}, see above`);
  return code;
}
