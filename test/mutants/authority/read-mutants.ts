import { globSync, readFileSync } from "node:fs";
import { type AuthorityMutant, mutantsIn, NAMED_FILES } from "./mutants.ts";

/** Every mutant of every file in `src`. @throws when a named one's file is gone. */
export function readMutants(): readonly AuthorityMutant[] {
  const files = globSync("**/*.ts", { cwd: "src" });
  const lost = NAMED_FILES.find((file) => !files.includes(file));
  if (lost !== undefined) throw new Error(`mutants name src/${lost}, which is not there`);
  return files.toSorted().flatMap((file) => mutantsIn(file, readFileSync(`src/${file}`, "utf8")));
}
