import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { beginJob, type ErasureJob } from "../../src/objects/erasure/erasure-job.ts";
import { armAlarm, nameOf, pathOfObject } from "./object-files.ts";
import { hasTable, withDatabase } from "./open-database.ts";
import { isFormerId, type OpenErasure, readUnfinished } from "./settle-directory.ts";
import { objectsOf } from "./state-files.ts";

const TABLE = "(id INTEGER PRIMARY KEY CHECK (id = 1), body TEXT NOT NULL) STRICT";

/** What a person's object may have to do, by the table that says so. */
interface Jobs {
  readonly erasure: ErasureJob;
  readonly merge: { readonly phase: string };
}

interface Settling {
  readonly directory: DatabaseSync;
  readonly now: number;
}

/** Erasures that people's own objects know to have begun: the directory's copy may be older. */
export function readBegun(folder: string, now: number): readonly OpenErasure[] {
  const jobs = objectsOf(folder, "Principal").map((path) => {
    return withDatabase(join(folder, path), (database) => readJob(database, "erasure"));
  });
  return jobs.flatMap((job) => {
    if (!job || job.phase === "shut") return [];
    const { id, person, by } = job.order;
    return [{ id, person, by, at: now }];
  });
}

/**
 * Has people's objects carry out their jobs from the start. Directory and objects are of different moments: the one may not
 * know yet what the other has done, and every step may be done again.
 */
export function settleJobs(folder: string, { directory, now }: Settling): void {
  const left = new Map(readUnfinished(directory).map((one) => [one.person, one]));
  for (const path of objectsOf(folder, "Principal")) {
    withDatabase(join(folder, path), (database) => {
      const person = nameOf(database);
      if (person === undefined) return;
      const isErased = beginErasure(database, person, left.get(person), now);
      left.delete(person);
      if (!isErased) beginMerge(database, person, { directory, now });
    });
  }
  for (const [person, one] of left) {
    const path = join(folder, pathOfObject(folder, "Principal", person));
    withDatabase(path, (database) => beginErasure(database, person, one, now));
  }
}

/** False: there is none. */
function beginErasure(database: DatabaseSync, person: string, open: OpenErasure | undefined, now: number): boolean {
  const known = readJob(database, "erasure")?.order;
  const order = known ?? (open && { id: open.id, person, by: open.by, tier: "owner", found: [] });
  if (!order) return false;
  writeJob(database, "erasure", { ...beginJob(order, now), due: now });
  armAlarm(database, person, now);
  return true;
}

/** One that the directory does not know of yet, or that is not done. */
function beginMerge(database: DatabaseSync, person: string, { directory, now }: Settling): void {
  const job = readJob(database, "merge");
  if (!job || (job.phase === "done" && isFormerId(directory, person))) return;
  writeJob(database, "merge", { ...job, phase: "write", after: "", failures: 0, due: now });
  armAlarm(database, person, now);
}

function readJob<Kind extends keyof Jobs>(database: DatabaseSync, kind: Kind): Jobs[Kind] | undefined {
  if (!hasTable(database, kind)) return undefined;
  const body = database.prepare(`SELECT body FROM ${kind}`).get()?.["body"];
  return typeof body === "string" ? (JSON.parse(body) as Jobs[Kind]) : undefined;
}

function writeJob(database: DatabaseSync, kind: keyof Jobs, job: object): void {
  database.exec(`CREATE TABLE IF NOT EXISTS ${kind} ${TABLE}`);
  database.prepare(`INSERT OR REPLACE INTO ${kind} (id, body) VALUES (1, ?)`).run(JSON.stringify(job));
}
