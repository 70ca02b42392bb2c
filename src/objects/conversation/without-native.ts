import type { Message } from "../../protocol/message.ts";

/** A message as clients may see it: without the vendor's own blocks. */
export function withoutNative(message: Message): Message {
  if (message.role !== "assistant") return message;
  const { native: _private, ...shown } = message;
  return shown;
}
