import { err, ok, type Result } from "../../lib/result.ts";
import type { SendBody } from "../../protocol/frames.ts";
import type { UserPart } from "../../protocol/message.ts";
import type { ChatRefusal } from "../../surfaces/webchat/chat-port.ts";
import { FILES, fileOf } from "../../surfaces/webchat/files-state.ts";
import type { Life } from "./life.ts";

/** What was said, attachments resolved to the conversation's own files. */
export function contentOf(
  { kernel }: Pick<Life, "kernel">,
  body: SendBody,
): Result<readonly UserPart[], ChatRefusal & { ref: string }> {
  const known = kernel.get(FILES);
  const parts: UserPart[] = body.text.trim() === "" ? [] : [{ type: "text", text: body.text }];
  for (const id of body.attachments ?? []) {
    const file = fileOf(known, id);
    if (!file) {
      return err({ code: "unknown_attachment", message: `There is no file ${id}: upload it again.`, ref: body.id });
    }
    parts.push({ type: "file", file });
  }
  if (parts.length > 0) return ok(parts);
  return err({ code: "bad_request", message: "The message is empty: write something or attach a file.", ref: body.id });
}
