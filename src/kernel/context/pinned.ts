import type { Message, UserMessage } from "../../protocol/message.ts";
import { PINS, pinsIn } from "../commit/documents.ts";
import type { StoragePort } from "../ports/storage.ts";
import { type Entry, readEntry } from "../storage/entries.ts";
import { readVersionAt } from "../storage/namespaces.ts";
import { saidIn } from "./said.ts";

/** The entries that were pinned when the last of these was appended, and stand outside of them. */
export function readPinned(storage: StoragePort, active: readonly Entry[]): readonly Entry[] {
  // Where nothing was left out of the transcript, whatever is pinned is in it.
  if (!active.some((entry) => entry.head !== undefined)) return [];
  const pins = pinsIn(readVersionAt(storage, PINS, active.at(-1)?.rev ?? 0));
  const inside = new Set(active.map((entry) => entry.id));
  return pins.flatMap((id) => (inside.has(id) ? [] : (readEntry(storage, id) ?? [])));
}

/** What is pinned, as models read it. Undefined: nothing is. */
export function pinnedMessage(pinned: readonly Entry[]): UserMessage | undefined {
  const texts = pinned.flatMap((entry) => {
    const message = saidIn(entry);
    return message ? [`${ROLES[message.role]}: ${pinText(message)}`] : [];
  });
  if (texts.length === 0) return undefined;
  return { role: "user", content: [{ type: "text", text: [PINNED, ...texts].join("\n\n") }] };
}

/** The words of a message, files by name. */
export function pinText(message: Message): string {
  if (message.role === "system") return message.text;
  return message.content
    .flatMap((part) => {
      if (part.type === "file") return [`[file ${part.file.name}]`];
      return part.type === "call" || part.type === "thinking" ? [] : [part.text];
    })
    .join("\n");
}

const PINNED = "Earlier messages of this conversation that were pinned, word for word:";

const ROLES: Readonly<Record<Message["role"], string>> = {
  user: "User",
  assistant: "Assistant",
  tool: "Tool",
  system: "System",
};
