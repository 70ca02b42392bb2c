import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";

/**
 * In which order the databases of a local deployment are copied. What another one relies on comes before it: what D1 lists
 * is there, what somebody's object has set aside is known to the budget, what a conversation has registered is in the store.
 */
export const STAGES = ["d1", "Principal", "Budget", "Conversation", "r2"] as const;
export type Stage = (typeof STAGES)[number];

/** Which database it is, by its place in the folder of the state; undefined: nothing that is kept. */
function stageOf(path: string): Stage | undefined {
  const match = /(?:^|\/)(?:(d1|r2)\/[^/]+|do\/[^/]*-(Principal|Budget|Conversation))\/[^/]+\.sqlite$/.exec(path);
  return (match?.[1] ?? match?.[2]) as Stage | undefined;
}

/** True for the one of a folder of objects that says when each is to wake. */
export function isAlarmTable(path: string): boolean {
  return basename(path) === "metadata.sqlite";
}

/** Databases of a stage, the table of its alarms included. */
export function databasesOf(state: string, stage: Stage): readonly string[] {
  return filesIn(state).filter((path) => stageOf(path) === stage);
}

/** Databases of what the stage is about. */
export function objectsOf(state: string, stage: Stage): readonly string[] {
  return databasesOf(state, stage).filter((path) => !isAlarmTable(path));
}

/** The bytes of files. */
export function blobsIn(state: string): readonly string[] {
  return filesIn(state).filter((path) => /(^|\/)r2\/[^/]+\/blobs\/[^/]+$/.test(path));
}

/** The id of the object whose database it is, and the folder of its class. */
export function objectOf(path: string): { readonly id: string; readonly folder: string } {
  return { id: basename(path, ".sqlite"), folder: dirname(path) };
}

/** Every file, as a path in the folder with slashes. */
export function filesIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
    .toSorted();
}
