import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { describeFile } from "./hash-file.ts";
import { type Erased, MANIFEST, type Manifest, newManifest } from "./manifest.ts";
import { hasTable, withDatabase } from "./open-database.ts";
import { blobsIn, databasesOf, filesIn, isAlarmTable, objectsOf, STAGES } from "./state-files.ts";

/** Pages that are copied in one step: all of them, so that a busy writer does not make it begin again. */
const ALL_PAGES = 1 << 30;

/**
 * Copies everything that a local deployment keeps, beside a server that may be running: each database as of one moment of its
 * own. The manifest is written last; what broke off leaves none.
 * @throws when the folder holds something already, or there is nothing to back up.
 */
export async function makeBackup(state: string, to: string, now: Date): Promise<Manifest> {
  const [directory] = objectsOf(state, "d1");
  if (directory === undefined) {
    throw new Error(`${state} holds no deployment: npm start makes one, or name its folder: ALTHING_STATE=<folder>.`);
  }
  requireFresh(to);
  if (!relative(state, to).startsWith("..")) {
    throw new Error(`${to} lies in ${state}, which is what is backed up: name a folder outside of it.`);
  }
  mkdirSync(to, { recursive: true, mode: 0o700 });
  try {
    for (const stage of STAGES) {
      // Looked for when its turn has come: whatever an earlier stage knows is there by now.
      for (const path of databasesOf(state, stage)) await copyDatabase(join(state, path), prepare(to, path));
    }
    for (const path of blobsIn(state)) copyBlob(join(state, path), prepare(to, path));
    for (const path of objectsOf(to, "r2")) forgetMissing(to, path);
    const known = withDatabase(join(to, directory), readDirectory);
    const files: Manifest["files"] = [];
    for (const path of filesIn(to)) files.push(await describeFile(to, path));
    const manifest = { ...newManifest("state", now), ...known, files };
    writeFileSync(join(to, MANIFEST), `${JSON.stringify(manifest, undefined, 2)}\n`);
    return manifest;
  } catch (error) {
    rmSync(to, { recursive: true, force: true });
    throw error;
  }
}

/** @throws when a folder holds something. */
export function requireFresh(to: string): void {
  if (existsSync(to) && readdirSync(to).length > 0) {
    throw new Error(`${to} is not empty, and a backup never overwrites one: name a new folder with --to.`);
  }
}

function prepare(folder: string, path: string): string {
  const target = join(folder, path);
  mkdirSync(dirname(target), { recursive: true });
  return target;
}

/** One file, as of one moment, whatever its server writes meanwhile. */
async function copyDatabase(from: string, to: string): Promise<void> {
  // Deleted since it was listed: then its conversation is.
  if (!existsSync(from)) return;
  const source = new DatabaseSync(from, { readOnly: true, timeout: 10_000 });
  try {
    await backup(source, to, { rate: ALL_PAGES });
  } finally {
    source.close();
  }
  withDatabase(to, (copy) => {
    // Without a log beside it: one file is the whole database.
    copy.exec("PRAGMA journal_mode = DELETE");
    const [verdict] = copy.prepare("PRAGMA quick_check(1)").all();
    if (verdict?.["quick_check"] !== "ok") throw new Error(`${from} is damaged: ${String(verdict?.["quick_check"])}`);
  });
}

function copyBlob(from: string, to: string): void {
  // Deleted since it was listed: then its file is.
  if (existsSync(from)) copyFileSync(from, to);
}

/** Files whose bytes went between the two copies were being deleted. */
function forgetMissing(folder: string, path: string): void {
  const blobs = blobsIn(folder).map((blob) => blob.slice(blob.lastIndexOf("/") + 1));
  withDatabase(join(folder, path), (database) => {
    if (isAlarmTable(path) || !hasTable(database, "_mf_objects")) return;
    database
      .prepare("DELETE FROM _mf_objects WHERE blob_id NOT IN (SELECT value FROM json_each(?))")
      .run(JSON.stringify(blobs));
  });
}

function readDirectory(database: DatabaseSync): { readonly migrations: string[]; readonly erased: Erased[] } {
  const names = hasTable(database, "d1_migrations")
    ? database.prepare("SELECT name FROM d1_migrations ORDER BY id").all()
    : [];
  const gone = hasTable(database, "erasures") ? database.prepare(erasedIn(database)).all() : [];
  return {
    migrations: names.map(({ name }) => String(name)),
    erased: gone.map(({ person, ordered_by, begun_at }) => ({
      person: String(person),
      by: String(ordered_by),
      at: Number(begun_at),
    })),
  };
}

/** Erased people, by each of their ids: an older backup may not know yet that two became one. */
function erasedIn(database: DatabaseSync): string {
  const own = "SELECT person, ordered_by, begun_at FROM erasures";
  if (!hasTable(database, "former_ids")) return `${own} ORDER BY begun_at, person`;
  const former = "SELECT former, erasures.ordered_by, begun_at FROM erasures JOIN former_ids ON survivor = person";
  return `${own} UNION ${former} ORDER BY begun_at, person`;
}
