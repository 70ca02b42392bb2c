import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Erased, MANIFEST, readManifest } from "./manifest.ts";

/** Whom other backups know to be erased: those beside this one, and one that is named. */
export function newerErasures(from: string, named: string | undefined): readonly Erased[] {
  const beside = dirname(from);
  const folders = readdirSync(beside).map((name) => join(beside, name));
  const others = folders.filter((folder) => existsSync(join(folder, MANIFEST)));
  const lists = [...others, ...(named === undefined ? [] : [named])].map((folder) => readManifest(folder).erased);
  return [...new Map(lists.flat().map((one) => [one.person, one])).values()];
}
