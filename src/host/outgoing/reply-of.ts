import type { FileRef, Message } from "../../protocol/message.ts";
import type { AssistantEntryData } from "../../protocol/view.ts";
import type { LaneItem } from "./lane-state.ts";

/** An entry as far as a reply tells of it. */
interface TellingEntry {
  readonly id: number;
  readonly message?: Message;
  readonly data?: unknown;
}

/** What people are sent of a turn's end. */
export interface Reply {
  readonly text: string;
  readonly files: readonly FileRef[];
}

/**
 * What people read of a turn's end, from the entries of the turn alone: the same whenever it is made. Files of a turn that
 * failed or was stopped are not sent.
 */
export function replyOf({ end, entry }: LaneItem, entries: readonly TellingEntry[]): Reply {
  const last = entries.find(({ id }) => id === entry);
  switch (end) {
    case "answered":
      return { text: last?.message ? wordsOf(last.message) : "", files: entries.flatMap(filesOf) };
    case "failed":
    case "skipped":
      return { text: errorOf(last), files: [] };
    case "stopped":
      return { text: "Stopped.", files: [] };
    case "list":
      return { text: "", files: [] };
    case "said":
      return { text: (last?.data as { readonly text?: string } | undefined)?.text ?? "", files: [] };
  }
}

/** The words of a message. */
export function wordsOf(message: Message): string {
  if (message.role === "system") return "";
  return message.content
    .flatMap((part) => (part.type === "text" ? [part.text] : []))
    .join("")
    .trim();
}

function errorOf(entry: TellingEntry | undefined): string {
  const { display } = (entry?.data ?? {}) as Partial<AssistantEntryData>;
  return display?.error ?? "This could not be answered. Try again.";
}

function filesOf({ message }: TellingEntry): readonly FileRef[] {
  if (message?.role !== "tool") return [];
  return message.content.flatMap((part) => (part.type === "file" ? [part.file] : []));
}
