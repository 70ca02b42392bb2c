import { spawnSync } from "node:child_process";
import { webcrypto } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import operatorConfig from "../althing.config.ts";
import { hashCode } from "../src/auth/code.ts";
import { newOwnerCode, OWNER_CODE_MS } from "../src/auth/owner-code.ts";
import { type LedgerRow, migrationsOf } from "../src/host/index.ts";
import { BUILT_IN } from "../src/objects/plugins.ts";
import { checkConfig } from "../src/protocol/check-config.ts";
import { deployConfig, deployFaults } from "./deploy/config.ts";
import { deployPluginMigrations } from "./deploy/plugin-migrations.ts";
import { readWrangler } from "./deploy/read-wrangler.ts";

const FOLDER = "dist";
const PATH = `${FOLDER}/wrangler.deploy.json`;

/**
 * `npm run deploy`: builds the page, writes the configuration to deploy, migrates the database (before the code that
 * needs it), deploys. With `-- --dry-run` it stops short of the account and needs none; further arguments go to
 * `wrangler deploy`.
 */
const args = process.argv.slice(2);
const dryRun = args.includes("--dry-run");
const operator = checkConfig(operatorConfig);
const local = readWrangler("wrangler.toml");
const pluginMigrations = migrationsOf(BUILT_IN, operator.features);

const faults = deployFaults(operator);
for (const fault of faults) console.error(fault);
if (faults.length > 0 && !dryRun) process.exit(1);

run("vite", ["build", "web", "--logLevel", "warn"]);
mkdirSync(FOLDER, { recursive: true });
writeFileSync(PATH, `${JSON.stringify(deployConfig(local, operator, FOLDER), null, 2)}\n`);
if (!dryRun) for (const { database_name: name } of local.d1_databases) migrate(name);
run("wrangler", ["deploy", "--config", PATH, ...args]);
if (!dryRun) await offerSignIn(operator.allowedHosts[0], local.d1_databases[0]?.database_name);

/** Makes a one-time sign-in link for the owner, for eyes only: a pipe or a log never gets one. */
async function offerSignIn(host: string | undefined, database: string | undefined): Promise<void> {
  if (host === undefined || database === undefined) return;
  if (!process.stdout.isTTY) {
    console.log("For a sign-in link run npm run deploy in a terminal: it is shown to a person only.");
    return;
  }
  const code = newOwnerCode((bytes) => webcrypto.getRandomValues(bytes));
  const now = Date.now();
  const row = [`'${await hashCode(code)}'`, now, now + OWNER_CODE_MS].join(", ");
  const sql = `INSERT INTO owner_codes (hash, created_at, expires_at) VALUES (${row})`;
  run("wrangler", ["d1", "execute", database, "--remote", "--yes", "--config", PATH, "--command", sql], "pipe");
  console.log(`\n  Sign in with this link. It works once, for 15 minutes:\n  https://${host}/claim#${code}\n`);
}

/** Creates the database when the account has none of that name, and applies what is new in `migrations/`. */
function migrate(name: string): void {
  const listed = JSON.parse(run("wrangler", ["d1", "list", "--json"], "pipe")) as readonly { readonly name: string }[];
  if (!listed.some((database) => database.name === name)) run("wrangler", ["d1", "create", name, "--config", PATH]);
  run("wrangler", ["d1", "migrations", "apply", name, "--remote", "--config", PATH]);
  for (const one of deployPluginMigrations(pluginMigrations, (sql) => execute(name, sql), Date.now())) {
    console.log(`Applied ${one}.`);
  }
}

/** Runs SQL on the account's database, as one batch. */
function execute(name: string, sql: string): readonly LedgerRow[] {
  const args = ["d1", "execute", name, "--remote", "--yes", "--json", "--config", PATH, "--command", sql];
  const answers = JSON.parse(run("wrangler", args, "pipe")) as readonly { readonly results: readonly LedgerRow[] }[];
  return answers.at(-1)?.results ?? [];
}

function run(tool: "vite" | "wrangler", toolArgs: readonly string[], stdout: "inherit" | "pipe" = "inherit"): string {
  const script = tool === "vite" ? "node_modules/vite/bin/vite.js" : "node_modules/wrangler/bin/wrangler.js";
  const result = spawnSync(process.execPath, [script, ...toolArgs], {
    stdio: ["inherit", stdout, "inherit"],
    encoding: "utf8",
  });
  if (result.status !== 0) {
    console.error(`${tool} ${toolArgs.join(" ")} failed, see above`);
    process.exit(result.status ?? 1);
  }
  return result.stdout ?? "";
}
