import { defineNamespace } from "../../kernel/index.ts";
import { utf8Bytes } from "../../lib/bytes.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import type { FileRef } from "../../protocol/message.ts";

/** Files that one conversation may keep. */
export const MAX_FILES_PER_CONVERSATION = 500;
/** Bytes that the list of them may take: long names reach this first. The kernel keeps 256 KiB of a namespace. */
export const MAX_FILE_LIST_BYTES = 250 * 1024;

type StoredFile = { readonly id: string; readonly name: string; readonly mime: string; readonly bytes: number };

/** The files of a conversation, by id. Their bytes are in R2. */
export type FilesState = { readonly files: { readonly [id: string]: StoredFile } };

export const FILES = defineNamespace<FilesState>({ name: "files", sticky: { files: {} } });

/** The state with one more file, or the sentence that refuses it. */
export function withFile(state: FilesState, file: FileRef): Result<FilesState, string> {
  const count = Object.keys(state.files).length;
  if (count >= MAX_FILES_PER_CONVERSATION) {
    return err(
      `This conversation keeps ${count} files, the limit is ${MAX_FILES_PER_CONVERSATION}: start another one.`,
    );
  }
  const next = { files: { ...state.files, [file.id]: { ...file } } };
  const bytes = utf8Bytes(JSON.stringify(next));
  if (bytes <= MAX_FILE_LIST_BYTES) return ok(next);
  return err(
    `The list of this conversation's ${count} files would take ${bytes} bytes, the limit is ${MAX_FILE_LIST_BYTES}: start another one.`,
  );
}

/** The state with these files, those that it has already as they are; or the sentence that refuses one. */
export function withFiles(state: FilesState, files: readonly FileRef[]): Result<FilesState, string> {
  let next = state;
  for (const file of files) {
    if (fileOf(next, file.id)) continue;
    const added = withFile(next, file);
    if (!added.ok) return added;
    next = added.value;
  }
  return ok(next);
}

export function withoutFile({ files }: FilesState, id: string): FilesState {
  return { files: Object.fromEntries(Object.entries(files).filter(([known]) => known !== id)) };
}

export function fileOf(state: FilesState, id: string): FileRef | undefined {
  return Object.hasOwn(state.files, id) ? state.files[id] : undefined;
}
