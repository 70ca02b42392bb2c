import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { makeBackup } from "./backup/make-backup.ts";
import type { Manifest } from "./backup/manifest.ts";
import { readFlags } from "./backup/read-flags.ts";
import { bringConversations } from "./backup/remote-backup.ts";
import { readSettings } from "./local/settings.ts";

/**
 * `npm run backup -- --to <folder>`: everything of the local deployment, running or not. With `--url https://…` the
 * conversations that the token in ALTHING_TOKEN may read, and the audit.
 */
const root = dirname(dirname(fileURLToPath(import.meta.url)));
try {
  const { to, url } = readFlags(process.argv.slice(2), ["to", "url"]);
  if (to === undefined) throw new Error("Name the folder to write to: npm run backup -- --to <folder>");
  const folder = resolve(to);
  const now = new Date();
  const manifest =
    url === undefined
      ? await makeBackup(readSettings(root, process.env).state, folder, now)
      : await bringConversations({ url, to: folder, token: process.env["ALTHING_TOKEN"], now });
  console.log(say(manifest, folder));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

function say({ kind, files }: Manifest, folder: string): string {
  const kib = Math.ceil(files.reduce((sum, { bytes }) => sum + bytes, 0) / 1024);
  const what = `${files.length} files, ${kib} KiB, in ${folder}`;
  if (kind === "conversations") {
    return `${what}.\nNot in it: people, other people's conversations, money, notices. For those of a deployment: npx wrangler d1 export althing --remote --output <file>`;
  }
  return `${what}.\nNot in it: the keys in .dev.vars, althing.config.ts. Whoever reads the folder reads everything: keep it as safe as the deployment.`;
}
