import { createHash } from "node:crypto";
import { createReadStream, statSync } from "node:fs";
import { join } from "node:path";
import type { Manifest } from "./manifest.ts";

/** A file of a backup as its manifest names it. */
export async function describeFile(folder: string, path: string): Promise<Manifest["files"][number]> {
  const full = join(folder, path);
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(full)) hash.update(chunk as Buffer);
  return { path, bytes: statSync(full).size, sha256: hash.digest("hex") };
}
