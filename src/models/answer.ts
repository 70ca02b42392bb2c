import type { AssistantMessage, AssistantPart, StopReason } from "../protocol/message.ts";

type CallPart = Extract<AssistantPart, { type: "call" }>;

export interface AnswerDraft {
  readonly parts: readonly AssistantPart[];
  readonly refused: boolean;
  readonly cutAtLimit: boolean;
  readonly native?: AssistantMessage["native"] | undefined;
}

/**
 * The final message. The presence of calls decides that the model wants tools, since stop reasons differ between servers;
 * but a refusal drops the calls, for they belong to an answer that was taken back. Blank texts are left out.
 */
export function finishAnswer({ parts, refused, cutAtLimit, native }: AnswerDraft): AssistantMessage {
  const content = uniqueIds(parts.filter((part) => part.type === "call" || part.text.trim() !== ""));
  if (refused) return { role: "assistant", content: content.filter(({ type }) => type !== "call"), stop: "refusal" };
  const calls = content.some(({ type }) => type === "call");
  const stop: StopReason = calls ? "calls" : cutAtLimit ? "length" : "end";
  return { role: "assistant", content, stop, ...(native === undefined ? {} : { native }) };
}

/** Calls are told apart by id inside one message: a server that gives none, or one twice, gets made-up ones. */
function uniqueIds(parts: readonly AssistantPart[]): AssistantPart[] {
  const used = new Set<string>();
  return parts.map((part, index) => {
    if (part.type !== "call") return part;
    const id = part.id === "" || used.has(part.id) ? madeUpId(index, used) : part.id;
    used.add(id);
    return { ...part, id } satisfies CallPart;
  });
}

function madeUpId(index: number, used: ReadonlySet<string>): string {
  let id = `call_${index}`;
  while (used.has(id)) id += "_";
  return id;
}
