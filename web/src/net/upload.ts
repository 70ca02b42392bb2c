import { err, ok, type Result } from "../../../src/lib/result.ts";
import type { FileRef } from "../../../src/protocol/message.ts";
import { type Refused, readRefusal } from "./rest.ts";

/** An upload under way. */
export interface Upload {
  readonly done: Promise<Result<FileRef, Refused>>;
  cancel(): void;
}

/**
 * Sends a file's bytes. `XMLHttpRequest`, because `fetch` cannot tell how much has left.
 * @param onProgress gets the part that was sent, 0 to 1.
 */
export function uploadFile(conversation: string, file: File, onProgress: (part: number) => void): Upload {
  const request = new XMLHttpRequest();
  const done = new Promise<Result<FileRef, Refused>>((resolve) => {
    const fail = (message: string) => resolve(err({ status: undefined, code: "unreachable", message }));
    request.upload.addEventListener("progress", (event) => {
      if (event.lengthComputable) onProgress(event.loaded / event.total);
    });
    request.addEventListener("error", () => fail("The upload was cut off. Check the connection and attach it again."));
    request.addEventListener("abort", () => fail("The upload was cancelled."));
    request.addEventListener("load", () => {
      const body = parseJson(request.responseText);
      const isOk = request.status >= 200 && request.status < 300;
      resolve(isOk ? ok(body as FileRef) : err(readRefusal(request.status, body)));
    });
    const id = encodeURIComponent(conversation);
    request.open("POST", `/api/v1/conversations/${id}/files?name=${encodeURIComponent(file.name)}`);
    request.setRequestHeader("content-type", file.type === "" ? "application/octet-stream" : file.type);
    request.send(file);
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
