import type { Message } from "../../protocol/message.ts";
import type { UserEntryData } from "../../protocol/view.ts";
import { USER } from "../state/kinds.ts";
import type { Entry } from "../storage/entries.ts";

/** The message of an entry as models read it: where it was stored who said it, that line comes first. */
export function saidIn({ kind, message, data }: Pick<Entry, "kind" | "message" | "data">): Message | undefined {
  if (kind !== USER || message?.role !== "user") return message;
  const voice = (data as unknown as Partial<UserEntryData> | undefined)?.voice;
  return voice ? { ...message, content: [{ type: "text", text: voice.label }, ...message.content] } : message;
}
