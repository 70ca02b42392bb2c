import type { Message } from "../../../src/protocol/message.ts";
import type { SentRequest } from "../../../src/protocol/rest.ts";

/** Who a message of a request is from. */
export function nameSender(message: Message): string {
  switch (message.role) {
    case "user":
      return "User";
    case "assistant":
      return "Assistant";
    case "system":
      return "System";
    case "tool":
      return `Result of ${message.name}${message.isError ? " (an error)" : ""}`;
  }
}

/** UTF-16 units of everything that a message says. Files count by their name: their bytes never travel in it. */
export function sizeOf(message: Message): number {
  if (message.role === "system") return message.text.length;
  return message.content.reduce((sum, part) => {
    if (part.type === "call") return sum + part.name.length + part.args.length;
    return sum + (part.type === "file" ? part.file.name.length : part.text.length);
  }, 0);
}

/** UTF-16 units of a whole request. */
export function sizeOfAll(sent: SentRequest): number {
  const messages = sent.messages.reduce((sum, message) => sum + sizeOf(message), 0);
  return sent.system.length + sent.volatile.length + JSON.stringify(sent.tools).length + messages;
}
