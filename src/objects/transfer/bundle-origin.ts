import { inheritConstraints } from "../../holds/index.ts";
import type { DeliveryOutcome, Entry, HostTx, OriginPort } from "../../kernel/index.ts";
import type { JsonObject } from "../../lib/json.ts";
import { err, ok } from "../../lib/result.ts";
import type { BundleEntry } from "../../protocol/bundle.ts";
import type { FileRef } from "../../protocol/message.ts";
import { FILES } from "../../surfaces/webchat/files-state.ts";
import { cutPage } from "../conversation/cut-page.ts";
import type { Life } from "../conversation/life.ts";
import { takeSettings } from "../conversation/take-settings.ts";
import { filePlace, registerFiles } from "../files/stored-files.ts";
import { type BundleIndex, bundleKey, indexKey, readImportOrigin, type Stretch } from "./bundle-place.ts";

export interface BundleOriginParts {
  readonly bucket: R2Bucket;
  /** The import itself, as long as it is open. */
  readonly life: () => Life | undefined;
  /** Whether the deployment has such a model. */
  readonly offers: (model: string) => boolean;
}

/**
 * Reads the bundle that an import comes from: it was found good before there was a conversation. The files of a page are
 * stored before it counts. What was uploaded goes when the last page is in.
 */
export function bundleOrigin({ bucket, life, offers }: BundleOriginParts): OriginPort["page"] {
  return async ({ from, at }, after, signal) => {
    const own = life();
    if (!own) throw new Error("the import is not open");
    const upload = readImportOrigin(from)?.upload ?? "";
    const { owner, key } = own.facts;
    const found = await bucket.get(indexKey(owner, upload));
    if (!found) return err("the uploaded file is gone");
    const index = await found.json<BundleIndex>();
    const stretch = index.pages.findLast((page) => page.after <= after);
    if (!stretch) return err("the uploaded file has no such page");
    const read = (part: Stretch) => readLines(bucket, bundleKey(owner, upload), part, signal);
    const lines = (await read(stretch)) as readonly { readonly entry: BundleEntry }[];
    const entries = lines.map(({ entry }) => inherited(entry)).filter(({ id }) => id > after);
    const isHere = (file: string) => Object.hasOwn(own.kernel.get(FILES).files, file);
    const { page, files } = cutPage({ entries }, isHere);
    const stored: FileRef[] = [];
    for (const file of files) {
      const part = index.files[file.id];
      if (!part) continue;
      const bytes = joined((await read(part)) as readonly { readonly piece: { readonly base64: string } }[]);
      await bucket.put(filePlace(key, file.id), bytes, { httpMetadata: { contentType: file.mime } });
      signal.throwIfAborted();
      stored.push(file);
    }
    const isLast = page.entries.at(-1)?.id === at;
    return ok({
      page: isLast ? { ...page, documents: documentsOf(index) } : page,
      calls: 2 + 2 * stored.length,
      place(tx) {
        registerFiles(tx, stored);
        if (after > 0) return;
        takeSettings(tx, own, settingsOf(index, offers));
        inheritConstraints(tx, index.head.constraints);
      },
    });
  };
}

/** Outbox target: an upload that nobody needs any more. */
export const UPLOADS = "uploads";

/** In the commit that ends an import: what was uploaded for it may go. */
export function forgetUpload(tx: HostTx, originKey: string): void {
  const upload = readImportOrigin(originKey)?.upload;
  if (upload !== undefined) tx.send({ key: `upload ${upload}`, target: UPLOADS, payload: { upload } });
}

/** Deletes an upload. Repeating it is harmless. */
export async function deleteUpload(bucket: R2Bucket, owner: string, payload: string): Promise<DeliveryOutcome> {
  const { upload } = JSON.parse(payload) as { readonly upload: string };
  await bucket.delete([bundleKey(owner, upload), indexKey(owner, upload)]);
  return { status: "sent" };
}

async function readLines(
  bucket: R2Bucket,
  key: string,
  part: Stretch,
  signal: AbortSignal,
): Promise<readonly unknown[]> {
  signal.throwIfAborted();
  const found = await bucket.get(key, { range: { offset: part.from, length: part.bytes } });
  if (!found) throw new Error("the uploaded file is gone");
  const text = await found.text();
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as unknown);
}

function inherited(entry: BundleEntry): Entry {
  return { ...entry, rev: 0, inherited: true } as Entry;
}

function joined(lines: readonly { readonly piece: { readonly base64: string } }[]): Uint8Array {
  return Buffer.concat(lines.map(({ piece }) => Buffer.from(piece.base64, "base64")));
}

/** What follows the transcript: which tools are off, and what is pinned. */
function documentsOf({ head: { toolsOff, pins } }: BundleIndex): { readonly [name: string]: JsonObject } {
  return { chat: { toolsOff }, "core.pins": { entries: pins.toSorted((a, b) => a - b) } };
}

/** A model that is not offered here is left to be chosen. */
function settingsOf({ head }: BundleIndex, offers: (model: string) => boolean): JsonObject {
  const { title, model, thinking, persona } = head;
  return { title, model: offers(model) ? model : "", thinking, persona };
}
