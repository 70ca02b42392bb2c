import type { IncomingFile } from "../../host/index.ts";
import { cutText } from "../../lib/cut.ts";
import { decideMime, HEAD_BYTES } from "../../lib/file-kind.ts";
import { sanitiseFileName } from "../../lib/file-name.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import { sha256Hex } from "../../lib/sha256.ts";
import { MAX_FILE_BYTES, MAX_FILE_NAME_UNITS, MAX_FILES_PER_MESSAGE } from "../../protocol/limits.ts";
import type { FileRef } from "../../protocol/message.ts";
import type { Refusal } from "../answer.ts";
import { deleteFiles, filePlace } from "../files/stored-files.ts";

/** Characters of a file's id. */
const ID_UNITS = 26;

/** Where the files of a message go. */
interface FilesPlace {
  readonly bucket: Pick<R2Bucket, "put" | "delete">;
  /** Channel key. */
  readonly channel: string;
  /** Key of the message: its files go by it, so that those of the same message again are the same. */
  readonly message: string;
  /** A file that the conversation has already. */
  known(id: string): FileRef | undefined;
}

/** What is wrong with the files of a message, as far as that can be said before any is read; undefined: nothing. */
export function filesFault(files: readonly IncomingFile[]): Refusal | undefined {
  if (files.length > MAX_FILES_PER_MESSAGE) {
    const message = `The message brings ${files.length} files, the limit is ${MAX_FILES_PER_MESSAGE}: send fewer at once.`;
    return { code: "too_large", message };
  }
  for (const file of files) {
    if (file.bytes > MAX_FILE_BYTES) {
      const message = `${nameOf(file)} has ${file.bytes} bytes, the limit is ${MAX_FILE_BYTES}: send a smaller one.`;
      return { code: "too_large", message };
    }
    if (!(file.bytes > 0)) return { code: "bad_request", message: `${nameOf(file)} is empty: send it anew.` };
  }
  return undefined;
}

/**
 * Reads the files of a message, one after the other, and stores their bytes. A repeat reads and stores nothing again, and a
 * refusal leaves nothing stored. @throws when one cannot be reached: the message has to come again.
 */
export async function takeFiles(
  files: readonly IncomingFile[],
  place: FilesPlace,
): Promise<Result<readonly FileRef[], Refusal>> {
  const taken: FileRef[] = [];
  for (const [index, file] of files.entries()) {
    const id = sha256Hex(`${place.message}\n${index}`).slice(0, ID_UNITS);
    const stored = place.known(id) ?? (await storeFile(file, id, place));
    if (stored === undefined) {
      await deleteFiles(
        place.bucket,
        place.channel,
        taken.filter((one) => !place.known(one.id)),
      );
      const message = `${nameOf(file)} could not be read as it was announced; nothing was taken in. Send it again.`;
      return err({ code: "bad_request", message });
    }
    taken.push(stored);
  }
  return ok(taken);
}

/** Undefined: it is not what was announced. */
async function storeFile(file: IncomingFile, id: string, place: FilesPlace): Promise<FileRef | undefined> {
  const bytes = await file.read();
  if (bytes?.byteLength !== file.bytes) return undefined;
  const mime = decideMime(new Uint8Array(bytes, 0, Math.min(HEAD_BYTES, bytes.byteLength)), file.mime);
  await place.bucket.put(filePlace(place.channel, id), bytes, { httpMetadata: { contentType: mime } });
  return { id, name: nameOf(file), mime, bytes: file.bytes };
}

function nameOf({ name }: IncomingFile): string {
  return cutText(sanitiseFileName(name), MAX_FILE_NAME_UNITS);
}
