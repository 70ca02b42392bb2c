import type { AssistantPart, Message, ToolMessage, UserMessage } from "../../protocol/message.ts";

export type Call = Extract<AssistantPart, { type: "call" }>;

/** A call of the last step with what came of it; no result: it is missing. */
export interface AnsweredCall {
  readonly call: Call;
  readonly result: ToolMessage | undefined;
}

/** What a request asks the model to do next. */
export interface Situation {
  /** Calls of the last step, in call order, which nobody has told the person about yet. */
  readonly answered: readonly AnsweredCall[];
  /** What people said since the last answer or step, oldest first. */
  readonly said: readonly UserMessage[];
  /** The model's answers so far contain this text somewhere. */
  hasSaid(text: string): boolean;
}

/** Reads any history, however damaged: everything after the last answer without calls is open. */
export function readSituation(messages: readonly Message[]): Situation {
  const lastAnswer = messages.findLastIndex((message) => message.role === "assistant" && callsOf(message).length === 0);
  const open = messages.slice(lastAnswer + 1);
  const lastStep = open.findLastIndex((message) => message.role === "assistant");
  const step = open[lastStep];
  const since = open.slice(lastStep + 1);
  const results = since.filter((message) => message.role === "tool");
  return {
    answered: step === undefined ? [] : matchResults(callsOf(step), results),
    said: since.filter((message) => message.role === "user"),
    hasSaid: (text) => messages.some((message) => message.role === "assistant" && spoken(message).includes(text)),
  };
}

function callsOf(message: Message): readonly Call[] {
  return message.role === "assistant" ? message.content.filter((part) => part.type === "call") : [];
}

/** By id and name; where ids repeat, in order. A result that fits no call is nobody's. */
function matchResults(calls: readonly Call[], results: readonly ToolMessage[]): readonly AnsweredCall[] {
  const free = [...results];
  return calls.map((call) => {
    const index = free.findIndex((result) => result.callId === call.id && result.name === call.name);
    const [result] = index < 0 ? [undefined] : free.splice(index, 1);
    return { call, result };
  });
}

function spoken(message: Extract<Message, { role: "assistant" }>): string {
  return message.content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

/** The text parts of what somebody said or a tool gave, joined by line feeds. */
export function textOf(message: UserMessage | ToolMessage): string {
  const texts = message.content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return texts.join("\n");
}
