import { defineNamespace } from "../../kernel/index.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import type { FileRef } from "../../protocol/message.ts";

/** Files that one conversation may keep. */
export const MAX_FILES_PER_CONVERSATION = 500;

type StoredFile = { readonly id: string; readonly name: string; readonly mime: string; readonly bytes: number };

/** The files of a conversation, by id. Their bytes are in R2. */
export type FilesState = { readonly files: { readonly [id: string]: StoredFile } };

export const FILES = defineNamespace<FilesState>({ name: "files", defaults: { files: {} } });

/** The state with one more file, or the sentence that refuses it. */
export function withFile(state: FilesState, file: FileRef): Result<FilesState, string> {
  const count = Object.keys(state.files).length;
  if (count >= MAX_FILES_PER_CONVERSATION) {
    return err(
      `This conversation keeps ${count} files, the limit is ${MAX_FILES_PER_CONVERSATION}: start another one.`,
    );
  }
  return ok({ files: { ...state.files, [file.id]: { ...file } } });
}

export function fileOf(state: FilesState, id: string): FileRef | undefined {
  return Object.hasOwn(state.files, id) ? state.files[id] : undefined;
}
