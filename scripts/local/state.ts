import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getPlatformProxy } from "wrangler";
import { readWrangler } from "../deploy/read-wrangler.ts";

/** The local database, opened beside whatever else may have it open. */
export interface LocalDatabase {
  readonly d1: D1Database;
  close(): Promise<void>;
}

/** Wrangler's published types refer to a package that is not published, so what is used of them is said here. */
const openProxy = getPlatformProxy as unknown as (options: {
  configPath: string;
  persist: { path: string };
  remoteBindings: false;
}) => Promise<{ env: { DB: D1Database }; dispose(): Promise<void> }>;

/**
 * Opens the database that `wrangler dev --persist-to <state>` uses. The Worker's own configuration would also start
 * its objects, so a copy with nothing but the database is used.
 */
export async function openLocalDatabase(root: string, state: string): Promise<LocalDatabase> {
  const { compatibility_date, d1_databases } = readWrangler(join(root, "wrangler.toml"));
  const folder = mkdtempSync(join(tmpdir(), "althing-directory-"));
  const configPath = join(folder, "wrangler.json");
  writeFileSync(configPath, JSON.stringify({ name: "directory", compatibility_date, d1_databases }));
  try {
    const { env, dispose } = await openProxy({
      configPath,
      persist: { path: join(state, "v3") },
      remoteBindings: false,
    });
    return { d1: env.DB, close: dispose };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
