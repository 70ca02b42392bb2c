import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startFakeCloudflare } from "./fake-cloudflare.ts";

const WORKER = `import { DurableObject } from "cloudflare:workers";
export class Conversation extends DurableObject {}
export default { fetch: () => new Response("") };
`;
const OPERATOR = `export default {
  allowedHosts: ["althing.example.com"],
  providers: { edge: { kind: "workers-ai", models: [{ id: "@cf/some/model" }] } },
};
`;

/** `npm run deploy` on a small project of its own with the real scripts and the real wrangler.toml. */
describe("deploy", { timeout: 60_000 }, () => {
  let folder = "";
  let home = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "althing-deploy-"));
    home = mkdtempSync(join(tmpdir(), "althing-home-"));
    symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
    for (const path of ["scripts", "src/protocol", "src/lib", "wrangler.toml", "package.json"]) {
      cpSync(path, join(folder, path), { recursive: true });
    }
    for (const path of ["web", "migrations"]) mkdirSync(join(folder, path));
    writeFileSync(join(folder, "web/index.html"), "<p>page</p>");
    writeFileSync(
      join(folder, "web/vite.config.ts"),
      'export default { build: { outDir: "../dist/web", emptyOutDir: true } };\n',
    );
    writeFileSync(join(folder, "migrations/0001_one.sql"), "CREATE TABLE one (id TEXT);\n");
    writeFileSync(join(folder, "src/worker.ts"), WORKER);
    writeFileSync(join(folder, "althing.config.ts"), OPERATOR);
  });
  afterEach(() => {
    for (const path of [folder, home]) rmSync(path, { recursive: true });
  });

  async function deploy(args: readonly string[], account: Readonly<Record<string, string>> = {}) {
    // Nothing of this machine's own account: an empty home, and only these variables.
    const env = { PATH: process.env["PATH"] ?? "", HOME: home, CI: "1", ...account };
    const child = spawn(process.execPath, ["scripts/deploy.ts", ...args], { cwd: folder, env });
    child.stdin.end();
    const [output, errors, code] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      new Promise<number | null>((done) => child.on("close", done)),
    ]);
    return { code, output: output + errors };
  }

  it("[P-22] builds and bundles everything in a dry run, with no token and an empty home", async () => {
    const { code, output } = await deploy(["--dry-run"]);
    expect(output).toContain("--dry-run: exiting now.");
    for (const binding of ["CONVERSATION", "DB", "FILES", "ASSETS", "AI"]) expect(output).toContain(`env.${binding}`);
    expect(code).toBe(0);
  });

  it("[P-23] creates the database once, and migrates it before the code that needs it is uploaded", async () => {
    await using cloudflare = await startFakeCloudflare();
    const account = {
      CLOUDFLARE_API_TOKEN: "none",
      CLOUDFLARE_ACCOUNT_ID: "account",
      CLOUDFLARE_API_BASE_URL: cloudflare.url,
    };
    const first = await deploy([], account);
    expect(cloudflare.changes, first.output).toEqual([
      "create database althing",
      "apply 0001_one.sql",
      "create bucket althing-files",
      "upload the Worker",
    ]);
    expect(cloudflare.uploaded()).toContain('"type":"ai"');
    expect(first.code, first.output).toBe(0);
    const second = await deploy([], account);
    expect(
      cloudflare.changes.filter((change) => change.startsWith("create database")),
      second.output,
    ).toHaveLength(1);
  });

  it("[P-20] stops before the account when no host is allowed", async () => {
    writeFileSync(join(folder, "althing.config.ts"), "export default {};\n");
    const { code, output } = await deploy([]);
    expect(code).toBe(1);
    expect(output).toContain("allowedHosts in althing.config.ts is empty");
    expect(output).not.toContain("wrangler");
  });
});
