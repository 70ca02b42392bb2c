import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";

const VERSION = "althing.backup.v1";

/** The file that is written last: a folder with one is a whole backup. */
export const MANIFEST = "manifest.json";

const count = z.int().nonnegative();

/** Somebody who was erased: principals, and when it was ordered (ms). */
const erasedShape = z.strictObject({ person: z.string().min(1), by: z.string(), at: count });
export type Erased = z.infer<typeof erasedShape>;

/** What a backup says of itself. */
const manifestShape = z.strictObject({
  version: z.literal(VERSION),
  /** `state`: everything a local deployment keeps. `conversations`: bundles that a deployment gave over REST. */
  kind: z.enum(["state", "conversations"]),
  /** ISO 8601, UTC: before the first of it was read. */
  madeAt: z.iso.datetime(),
  /** Files of `migrations/` that had landed, oldest first. */
  migrations: z.array(z.string()),
  /** Whom every later restore must not bring back. */
  erased: z.array(erasedShape),
  files: z.array(
    z.strictObject({
      path: z.string().refine((path) => path.split("/").every((part) => part !== "" && part !== ".." && part !== "."), {
        error: "leads out of the backup",
      }),
      bytes: count,
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
    }),
  ),
});
export type Manifest = z.infer<typeof manifestShape>;

export function newManifest(kind: Manifest["kind"], now: Date): Manifest {
  return { version: VERSION, kind, madeAt: now.toISOString(), migrations: [], erased: [], files: [] };
}

/** @throws when there is none, or it is of another version or not as this code writes one. */
export function readManifest(folder: string): Manifest {
  const path = join(folder, MANIFEST);
  if (!existsSync(path)) {
    throw new Error(`${folder} holds no ${MANIFEST}: it is no backup, or one that was broken off. Make another one.`);
  }
  const value = parse(path);
  const { version } = value as { readonly version?: unknown };
  if (version !== VERSION) {
    throw new Error(
      `${path} is of the version ${JSON.stringify(version)}, this code reads "${VERSION}": use the code that made it.`,
    );
  }
  const manifest = manifestShape.safeParse(value);
  if (manifest.success) return manifest.data;
  throw new Error(`${path} was changed, take another backup: ${z.prettifyError(manifest.error)}`);
}

function parse(path: string): object {
  try {
    const value: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (typeof value === "object" && value !== null) return value;
  } catch {
    // Said below, as for JSON that is no object.
  }
  throw new Error(`${path} is no JSON object: it was changed or is damaged. Take another backup.`);
}
