import type { AuditLine, AuditPage } from "../../../src/protocol/audit.ts";
import type { AuditEvent } from "../../../src/protocol/audit-events.ts";

/** What an event is called on the page. */
export function eventWords(event: AuditEvent): string {
  const words = event === "refused" ? "refused press" : event === "deleted" ? "conversation deleted" : event;
  const plain = words.replaceAll("_", " ");
  return plain.charAt(0).toUpperCase() + plain.slice(1);
}

/** One line in words. */
export interface LineWords {
  readonly what: string;
  /** Who did it: the name of today, or the id of somebody who is not here any more. */
  readonly who: string | undefined;
  readonly why: string | undefined;
}

export function describeLine(line: AuditLine, names: AuditPage["names"]): LineWords {
  const { event, by, tier, tool, reason, count } = line;
  const name = by === null ? undefined : (names[by] ?? by);
  return {
    what: tool === null ? eventWords(event) : `${eventWords(event)}: ${tool}`,
    who: name === undefined ? undefined : tier === null ? name : `${name} (${tier})`,
    why: count === null ? reason?.replaceAll("_", " ") : `${count} more, only counted`,
  };
}

/** Where the conversation of a line is; undefined for one that is on no page. */
export function conversationOf(line: AuditLine): string | undefined {
  return line.conversation.startsWith("web:") ? line.conversation.slice("web:".length) : undefined;
}
