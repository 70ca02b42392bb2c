import type { AssistantMessage, Message, ToolMessage } from "../../src/protocol/message.ts";

/**
 * What every vendor's wire demands of a history, whatever its format: begins with the user, no empty messages, each call
 * followed at once by its one result, in call order, ids unique. Returns what is wrong.
 */
export function checkMessages(messages: readonly Message[]): string[] {
  const complaints: string[] = [];
  const ids = new Set<string>();
  let open: { readonly id: string; readonly name: string }[] = [];
  const [first] = messages;
  if (first && first.role !== "user") complaints.push(`0: begins with ${first.role}`);
  for (const [at, message] of messages.entries()) {
    const say = (what: string) => complaints.push(`${at}: ${what}`);
    if (message.role === "tool") {
      checkResult(message, open.shift(), say);
      continue;
    }
    if (open.length > 0) say(`${open.length} calls have no result`);
    open = [];
    if (message.role === "system") say("a system message");
    if (message.role === "user" && !message.content.some(isSomething)) say("the user says nothing");
    if (message.role === "assistant") open = checkAnswer(message, ids, say);
  }
  if (open.length > 0) complaints.push(`end: ${open.length} calls have no result`);
  return complaints;
}

function checkAnswer(message: AssistantMessage, ids: Set<string>, say: (what: string) => void) {
  const calls = message.content.filter((part) => part.type === "call");
  if (!message.content.some((part) => part.type !== "thinking")) say("the answer says nothing");
  if (message.content.some((part) => part.type !== "call" && part.text === "")) say("an empty part");
  for (const { id } of calls) {
    if (id === "" || ids.has(id)) say(`the call id ${JSON.stringify(id)} is not unique`);
    ids.add(id);
  }
  return calls.map(({ id, name }) => ({ id, name }));
}

function checkResult(
  message: ToolMessage,
  call: { readonly id: string; readonly name: string } | undefined,
  say: (what: string) => void,
): void {
  if (!call) say("a result without a call");
  else if (call.id !== message.callId || call.name !== message.name)
    say(`a result of ${message.callId}, not ${call.id}`);
  if (message.content.length === 0) say("an empty result");
}

function isSomething(part: { readonly type: string; readonly text?: string }): boolean {
  return part.type === "file" || part.text !== "";
}
