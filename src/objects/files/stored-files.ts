import type { HostTx } from "../../kernel/index.ts";
import type { FileRef } from "../../protocol/message.ts";
import { FILES, withFile } from "../../surfaces/webchat/files-state.ts";

/** Keys that R2 deletes at once. */
const MAX_DELETED = 1_000;

/** Where a conversation's file lies in R2. Those of owned conversations lie beside those of people's. */
export function filePlace(conversation: string, file: string): string {
  const folder = conversation.startsWith("web:") ? conversation.slice("web:".length) : conversation;
  // A network's channel may have a slash in its id, and must not lie in another one's folder.
  return `files/${folder.replaceAll("%", "%25").replaceAll("/", "%2F")}/${file}`;
}

/** Copies a conversation's files to another one. Those that are gone are left out; repeating it is harmless. */
export async function copyFiles(
  bucket: R2Bucket,
  { from, to, files, signal }: { from: string; to: string; files: readonly FileRef[]; signal: AbortSignal },
): Promise<readonly FileRef[]> {
  const copied: FileRef[] = [];
  for (const file of files) {
    const target = filePlace(to, file.id);
    if (await copyFile(bucket, { source: filePlace(from, file.id), target, signal })) copied.push(file);
  }
  return copied;
}

/** False: there is none. Whoever was stopped meanwhile leaves nothing behind. */
async function copyFile(
  bucket: R2Bucket,
  { source, target, signal }: { readonly source: string; readonly target: string; readonly signal: AbortSignal },
): Promise<boolean> {
  signal.throwIfAborted();
  const stored = await bucket.get(source);
  if (!stored) return false;
  await bucket.put(target, stored.body, stored.httpMetadata ? { httpMetadata: stored.httpMetadata } : {});
  if (signal.aborted) await bucket.delete(target);
  signal.throwIfAborted();
  return true;
}

/** Makes copied files readable here. What the list has no room for is left out: nothing is worth refusing for it. */
export function registerFiles(tx: HostTx, files: readonly FileRef[]): void {
  for (const file of files) {
    const added = withFile(tx.get(FILES), file);
    if (added.ok) tx.set(FILES, added.value);
  }
}

/** Deletes some files of a conversation. Those that are gone are no error. */
export async function deleteFiles(
  bucket: Pick<R2Bucket, "delete">,
  conversation: string,
  files: readonly Pick<FileRef, "id">[],
): Promise<void> {
  for (let from = 0; from < files.length; from += MAX_DELETED) {
    await bucket.delete(files.slice(from, from + MAX_DELETED).map(({ id }) => filePlace(conversation, id)));
  }
}

/** Deletes everything under a prefix. Repeating it is harmless. */
export async function deleteUnder(bucket: Pick<R2Bucket, "list" | "delete">, prefix: string): Promise<void> {
  for (;;) {
    const listed = await bucket.list({ prefix });
    if (listed.objects.length === 0) return;
    await bucket.delete(listed.objects.map((object) => object.key));
  }
}
