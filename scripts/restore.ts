import { readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { newerErasures } from "./backup/newer-erasures.ts";
import { readFlags } from "./backup/read-flags.ts";
import { takeConversations } from "./backup/remote-restore.ts";
import { type Restored, restoreBackup } from "./backup/restore-backup.ts";
import { readSettings } from "./local/settings.ts";

/**
 * `npm run restore -- --from <folder>`: makes of a backup the local deployment, where there is none yet. `--erased <folder>`
 * names a newer backup, whose list of people who were erased counts besides those of the backups beside it. With
 * `--url https://…` the conversations of the backup come to that deployment, to whom the token in ALTHING_TOKEN speaks for.
 */
const root = dirname(dirname(fileURLToPath(import.meta.url)));
try {
  const { from, erased, url } = readFlags(process.argv.slice(2), ["from", "erased", "url"]);
  if (from === undefined) throw new Error("Name the folder of the backup: npm run restore -- --from <folder>");
  const folder = resolve(from);
  if (url === undefined) {
    const { state } = readSettings(root, process.env);
    const order = {
      from: folder,
      state,
      known: readdirSync(join(root, "migrations"))
        .filter((name) => name.endsWith(".sql"))
        .toSorted(),
      erased: newerErasures(folder, erased === undefined ? undefined : resolve(erased)),
      now: Date.now(),
    };
    console.log(say(await restoreBackup(order), state));
  } else {
    if (erased !== undefined) throw new Error("--erased goes with a local restore: over REST nobody is brought back.");
    console.log(await takeConversations({ url, from: folder, token: process.env["ALTHING_TOKEN"] }));
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

function say({ manifest, conversations, erased }: Restored, state: string): string {
  const lines = [
    `${conversations} conversations, as of ${manifest.madeAt}, in ${state}. Next: npm start, and sign in with its link.`,
    "Everybody is signed out. What was under way in a conversation has ended, waiting cards are cancelled, nothing is done again.",
    `People, tiers and money are as of ${manifest.madeAt} too: whoever was disabled, demoted or unlinked since is not. Look under "People".`,
  ];
  if (erased.length > 0) lines.push(`Erased since, and erased once more after the start: ${erased.join(", ")}.`);
  else lines.push("Nobody is known to have been erased since. A newer backup would know: --erased <its folder>.");
  return lines.join("\n");
}
