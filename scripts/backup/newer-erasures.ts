import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Erased, MANIFEST, readManifest } from "./manifest.ts";

/**
 * Whom other backups know to be erased: those beside this one, and one that is named.
 * @throws for one that cannot be read: it may know of somebody.
 */
export function newerErasures(from: string, named: string | undefined): readonly Erased[] {
  const beside = dirname(from);
  const folders = existsSync(beside) ? readdirSync(beside).map((name) => join(beside, name)) : [];
  const others = folders.filter((folder) => folder !== from && existsSync(join(folder, MANIFEST)));
  const lists = [...others.map(readBeside), ...(named === undefined ? [] : [readManifest(named).erased])];
  return [...new Map(lists.flat().map((one) => [one.person, one])).values()];
}

function readBeside(folder: string): readonly Erased[] {
  try {
    return readManifest(folder).erased;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`${why} It lies beside what is restored and may know who was erased: mend it, or move it away.`, {
      cause: error,
    });
  }
}
