import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { makeSmallProject, type SmallProject } from "../small-project.ts";
import { startFakeCloudflare } from "./fake-cloudflare.ts";

const OPERATOR = `export default {
  allowedHosts: ["althing.example.com"],
  providers: { edge: { kind: "workers-ai", models: [{ id: "@cf/some/model" }] } },
};
`;

/** Runs `npm run deploy` in a project. */
async function deploy(
  project: SmallProject,
  args: readonly string[],
  account: Readonly<Record<string, string>> = {},
  output: "pipe" | "terminal" = "pipe",
) {
  const env = { ...project.env, ...account };
  const command = [process.execPath, "scripts/deploy.ts", ...args];
  // util-linux's `script` gives the command a terminal of its own.
  const [program = "", ...rest] = output === "pipe" ? command : ["script", "-qec", command.join(" "), "/dev/null"];
  const child = spawn(program, rest, { cwd: project.folder, env });
  child.stdin.end();
  const ended = new Promise<number | null>((done) => child.on("close", done));
  const [said, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, output: said + errors };
}

describe("deploy", { timeout: 120_000 }, () => {
  it("[P-22] builds and bundles everything in a dry run, with no token and an empty home", async () => {
    using project = makeSmallProject(OPERATOR);
    const { code, output } = await deploy(project, ["--dry-run"]);
    expect(output).toContain("--dry-run: exiting now.");
    for (const binding of ["CONVERSATION", "PRINCIPAL", "BUDGET", "DB", "FILES", "ASSETS", "AI"])
      expect(output).toContain(`env.${binding}`);
    expect(code).toBe(0);
  });

  // Deploys twice, which takes its time: once without and once with a terminal.
  it("[P-23] [P-25] makes and migrates the database before uploading; a sign-in link only for a terminal", async () => {
    using project = makeSmallProject(OPERATOR);
    await using cloudflare = await startFakeCloudflare();
    const account = {
      CLOUDFLARE_API_TOKEN: "none",
      CLOUDFLARE_ACCOUNT_ID: "account",
      CLOUDFLARE_API_BASE_URL: cloudflare.url,
    };
    const piped = await deploy(project, [], account);
    expect(cloudflare.changes, piped.output).toEqual([
      "create database althing",
      "apply 0001_one.sql",
      "create bucket althing-files",
      "upload the Worker",
    ]);
    expect(cloudflare.uploaded()).toContain('"type":"ai"');
    expect(piped.output).not.toContain("claim#");
    expect(piped.code, piped.output).toBe(0);

    const seen = await deploy(project, [], account, "terminal");
    expect(seen.output).toMatch(/https:\/\/althing\.example\.com\/claim#[0-9a-z]{26}/);
    expect(cloudflare.changes, seen.output).toContain("make an owner code");
    expect(cloudflare.changes.filter((change) => change.startsWith("create database"))).toHaveLength(1);
  });

  it("[P-20] stops before the account when no host is allowed", async () => {
    using project = makeSmallProject("export default {};\n");
    const { code, output } = await deploy(project, []);
    expect(code).toBe(1);
    expect(output).toContain("allowedHosts in althing.config.ts is empty");
    expect(output).not.toContain("wrangler");
  });
});
