import { webcrypto } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { ulid } from "../../src/lib/ulid.ts";
import { describeFile } from "./hash-file.ts";
import { type Erased, type Manifest, readManifest } from "./manifest.ts";
import { withDatabase } from "./open-database.ts";
import { settleDirectory } from "./settle-directory.ts";
import { readBegun, settleJobs } from "./settle-jobs.ts";
import { settleObjects } from "./settle-objects.ts";
import { databasesOf, objectsOf, STAGES } from "./state-files.ts";

/** Where a restore puts everything before it counts. */
const STAGING = "restoring";

/** What a restore came to. */
export interface Restored {
  readonly manifest: Manifest;
  readonly conversations: number;
  /** People who were erased since the backup, and are erased once more. */
  readonly erased: readonly string[];
}

export interface RestoreOrder {
  readonly from: string;
  /** Folder of the local state, empty. */
  readonly state: string;
  /** Names of the files of `migrations/`, oldest first. */
  readonly known: readonly string[];
  /** Whom newer backups know to be erased. */
  readonly erased: readonly Erased[];
  readonly now: number;
}

/**
 * Puts a backup in the place of an empty deployment. Nobody stays signed in, and each conversation ends what was under way
 * when it is first opened, because it may have been done since. All of it counts at once, or nothing is changed.
 * @throws naming what is missing, changed, of another version, or in the way.
 */
export async function restoreBackup({ from, state, known, erased, now }: RestoreOrder): Promise<Restored> {
  const manifest = readManifest(from);
  if (manifest.kind !== "state") {
    throw new Error(`${from} is a backup of conversations over REST: bring them to a deployment with --url.`);
  }
  requireKnown(manifest, known);
  requireEmpty(state);
  requireFiles(from, manifest);
  const staging = join(state, STAGING);
  rmSync(staging, { recursive: true, force: true });
  try {
    await copyAll(from, staging, manifest);
    const again = settle(staging, { madeAt: Date.parse(manifest.madeAt), erased, now });
    for (const name of readdirSync(staging)) renameSync(join(staging, name), join(state, name));
    return { manifest, conversations: objectsOf(state, "Conversation").length, erased: again };
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

function settle(
  folder: string,
  { madeAt, erased, now }: { readonly madeAt: number; readonly erased: readonly Erased[]; readonly now: number },
): readonly string[] {
  const [directory] = objectsOf(folder, "d1");
  if (directory === undefined) throw new Error("The backup holds no directory: take another one.");
  const since = erased.map((one) => ({ ...one, id: ulid(now, (bytes) => webcrypto.getRandomValues(bytes)) }));
  return withDatabase(join(folder, directory), (database) => {
    const again = settleDirectory(database, { erased: [...readBegun(folder, now), ...since], now });
    settleJobs(folder, { directory: database, now });
    settleObjects(folder, { directory: database, madeAt, now });
    return again;
  });
}

function requireKnown({ migrations }: Manifest, known: readonly string[]): void {
  const n = migrations.findIndex((name, place) => known[place] !== name);
  if (n < 0) return;
  const here = known[n] === undefined ? "has not" : `has ${known[n]} in its place`;
  throw new Error(
    `The backup's directory has the migration ${migrations[n]}, this code ${here}: use the code that made it, or newer.`,
  );
}

function requireEmpty(state: string): void {
  const found = STAGES.flatMap((stage) => databasesOf(state, stage)).filter((path) => !path.startsWith(`${STAGING}/`));
  if (found.length === 0) return;
  throw new Error(
    `${state} holds a deployment already (${found[0]}), and a restore never overwrites one: stop it and move that folder ` +
      "away, or restore into another one: ALTHING_STATE=<folder>.",
  );
}

function requireFiles(from: string, { files }: Manifest): void {
  for (const { path, bytes } of files) {
    const copy = join(from, path);
    if (!existsSync(copy)) throw new Error(`The backup lacks ${path}: it is not whole. Take another one.`);
    const { size } = statSync(copy);
    if (size !== bytes) throw changed(path, `it has ${size} bytes, not ${bytes}`);
  }
}

/** Copies, and compares what was copied with what the manifest says. */
async function copyAll(from: string, to: string, { files }: Manifest): Promise<void> {
  for (const { path, sha256 } of files) {
    const target = join(to, path);
    mkdirSync(dirname(target), { recursive: true });
    cpSync(join(from, path), target);
    const copied = await describeFile(to, path);
    if (copied.sha256 !== sha256) throw changed(path, `its SHA-256 is ${copied.sha256}, not ${sha256}`);
  }
}

function changed(path: string, how: string): Error {
  return new Error(`${path} was changed since the backup was made (${how}): take another one.`);
}
