import type { ModelRequest } from "../../kernel/ports/model.ts";
import type { AssistantMessage, Message, Usage } from "../../protocol/message.ts";

/** UTF-16 units per token, roughly, of English. */
export const UNITS_PER_TOKEN = 4;

/** Tokens as a real model might count them; the demo model costs nothing. */
export function estimateUsage(request: ModelRequest, answer: AssistantMessage): Usage {
  const tools = request.tools.reduce((sum, tool) => sum + JSON.stringify(tool).length, 0);
  const history = request.messages.reduce((sum, message) => sum + unitsOf(message), 0);
  const input = tokens(request.system.length + request.volatile.length + tools + history);
  return { input, output: tokens(unitsOf(answer)), cachedRead: 0, cachedWrite: 0, costMicros: 0 };
}

function unitsOf(message: Message): number {
  if (message.role === "system") return message.text.length;
  return message.content.reduce((sum, part) => {
    if (part.type === "file") return sum;
    return sum + (part.type === "call" ? part.name.length + part.args.length : part.text.length);
  }, 0);
}

function tokens(units: number): number {
  return Math.ceil(units / UNITS_PER_TOKEN);
}
