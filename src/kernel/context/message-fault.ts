import type { AssistantMessage, Message } from "../../protocol/message.ts";

/** Why no vendor takes these messages; undefined when every one does: the rules that `deriveMessages` keeps. */
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
    const fault = message.role === "user" ? undefined : findAnswerFault(message, ids);
    if (fault !== undefined) return fault;
    const says = message.content.some((part) => part.type === "file" || part.type === "call" || part.text !== "");
    if (!says) return "one says nothing";
    open = message.content.flatMap((part) => (part.type === "call" ? [part.id] : []));
  }
  return open.length > 0 ? `the call ${open[0]} has no result` : undefined;
}

function findAnswerFault({ content }: AssistantMessage, ids: Set<string>): string | undefined {
  if (!content.some((part) => part.type !== "thinking")) return "an answer says nothing";
  for (const part of content) {
    if (part.type !== "call") {
      if (part.text === "") return "a part is empty";
      continue;
    }
    if (part.id === "" || ids.has(part.id)) return `the call id ${JSON.stringify(part.id)} is not unique`;
    ids.add(part.id);
  }
  return undefined;
}
