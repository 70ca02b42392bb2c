import { err, ok, type Result } from "../../../src/lib/result.ts";
import type { FileRef } from "../../../src/protocol/message.ts";
import { type Refused, readRefusal } from "./rest.ts";

/** A body under way. */
export interface Sending<T> {
  readonly done: Promise<Result<T, Refused>>;
  cancel(): void;
}

export type Upload = Sending<FileRef>;

/** Sends a file to a conversation. @param onProgress gets the part that was sent, 0 to 1. */
export function uploadFile(conversation: string, file: File, onProgress: (part: number) => void): Upload {
  const id = encodeURIComponent(conversation);
  const type = file.type === "" ? "application/octet-stream" : file.type;
  const path = `/api/v1/conversations/${id}/files?name=${encodeURIComponent(file.name)}`;
  const again = "Check the connection and attach it again.";
  return sendBody(path, file, { type, again, onBytes: (bytes) => onProgress(bytes / file.size) });
}

/** Sends a bundle that becomes the conversation of this UUID. @param onBytes gets how many have left. */
export function uploadBundle(id: string, file: File, onBytes: (bytes: number) => void): Sending<unknown> {
  const path = `/api/v1/conversations/import?id=${encodeURIComponent(id)}`;
  const again = "Check the connection and send it again: it becomes one conversation only.";
  return sendBody(path, file, { type: "application/x-ndjson", again, onBytes });
}

interface BodyOptions {
  readonly type: string;
  /** What to do about a body that was cut off. */
  readonly again: string;
  readonly onBytes: (bytes: number) => void;
}

/** Sends bytes. `XMLHttpRequest`, because `fetch` cannot tell how much has left. */
function sendBody<T>(path: string, body: Blob, { type, again, onBytes }: BodyOptions): Sending<T> {
  const request = new XMLHttpRequest();
  const done = new Promise<Result<T, Refused>>((resolve) => {
    const fail = (message: string) => resolve(err({ status: undefined, code: "unreachable", message }));
    request.upload.addEventListener("progress", ({ loaded }) => onBytes(loaded));
    request.addEventListener("error", () => fail(`The upload was cut off. ${again}`));
    request.addEventListener("abort", () => fail("The upload was cancelled."));
    request.addEventListener("load", () => {
      const answer = parseJson(request.responseText);
      const isOk = request.status >= 200 && request.status < 300;
      resolve(isOk ? ok(answer as T) : err(readRefusal(request.status, answer)));
    });
    request.open("POST", path);
    request.setRequestHeader("content-type", type);
    request.send(body);
  });
  return { done, cancel: () => request.abort() };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
