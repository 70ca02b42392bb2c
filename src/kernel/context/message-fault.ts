import type { Message } from "../../protocol/message.ts";

/** Why no vendor takes these messages; undefined when every one does: the rules that {@link deriveMessages} keeps. */
export function findMessageFault(messages: readonly Message[]): string | undefined {
  if (messages.length === 0) return "there are none";
  if (messages[0]?.role !== "user") return "the first is not a user's";
  const ids = new Set<string>();
  let open: string[] = [];
  for (const message of messages) {
    if (message.role === "system") return "a system message is among them";
    if (message.role === "tool") {
      if (open.shift() !== message.callId) return `the result of ${message.callId} does not follow its call in order`;
      continue;
    }
    if (open.length > 0) return `the call ${open[0]} has no result`;
    if (message.content.length === 0) return "one is empty";
    if (message.role === "user") continue;
    open = message.content.flatMap((part) => (part.type === "call" ? [part.id] : []));
    const twice = open.find((id) => ids.has(id));
    if (twice !== undefined || new Set(open).size < open.length) return "a call id is used twice";
    for (const id of open) ids.add(id);
  }
  return open.length > 0 ? `the call ${open[0]} has no result` : undefined;
}
