import type { Origin } from "../../people/facts.ts";
import type { BundleHead } from "../../protocol/bundle.ts";

/** How the origin of an import begins. The rest is the SHA-256 of the bundle, and a name of the upload. */
const PREFIX = "import:";

/** A stretch of bytes of a bundle. */
export type Stretch = { readonly from: number; readonly bytes: number };

/** Where in a bundle its parts lie. Written when all of it was found good. */
export interface BundleIndex {
  readonly head: BundleHead;
  readonly pages: readonly (Stretch & { readonly after: number })[];
  /** The lines with the pieces of each file that has bytes. */
  readonly files: { readonly [id: string]: Stretch };
}

/** Where a person's uploads of bundles lie in R2. */
export function bundlePrefix(principalId: string): string {
  return `imports/${principalId}/`;
}

export function bundleKey(principalId: string, upload: string): string {
  return `${bundlePrefix(principalId)}${upload}`;
}

/** Beside the bundle itself. */
export function indexKey(principalId: string, upload: string): string {
  return `${bundleKey(principalId, upload)}.index`;
}

export function importOrigin(sha256: string, upload: string, at: number): Origin {
  return { key: `${PREFIX}${sha256}:${upload}`, at };
}

/** What an import's origin names; undefined when it is another kind of origin. */
export function readImportOrigin(key: string): { readonly sha256: string; readonly upload: string } | undefined {
  const [, sha256, upload] = /^import:([0-9a-f]{64}):(.+)$/.exec(key) ?? [];
  return sha256 === undefined || upload === undefined ? undefined : { sha256, upload };
}
