import type { AssistantMessage } from "../../../src/protocol/message.ts";
import type { ViewEntry } from "../../../src/protocol/view.ts";
import { type Live, liveText } from "./live.ts";

/** A piece of an answer. A streaming piece and the committed one that replaces it have the same key. */
export type AnswerPart =
  | { readonly kind: "thinking" | "text"; readonly key: string; readonly text: string }
  /** `index` counts the calls of the answer. */
  | { readonly kind: "call"; readonly key: string; readonly index: number };

/** The pieces of a committed answer, in the model's order. Empty ones are left out. */
export function committedParts(entry: ViewEntry): readonly AnswerPart[] {
  const content = (entry.message as AssistantMessage | undefined)?.content ?? [];
  const counts = { thinking: 0, text: 0, call: 0 };
  const parts: AnswerPart[] = [];
  for (const part of content) {
    const index = counts[part.type];
    if (part.type !== "call" && part.text.trim() === "") continue;
    counts[part.type] += 1;
    const key = `${part.type}-${index}`;
    parts.push(part.type === "call" ? { kind: "call", key, index } : { kind: part.type, key, text: part.text });
  }
  return parts;
}

/** The pieces of an answer that is streaming: its thought, then its words. */
export function liveParts(live: Live, task: number): readonly AnswerPart[] {
  const pieces = (["thinking", "text"] as const).map((kind) => ({
    kind,
    key: `${kind}-0`,
    text: liveText(live, task, kind),
  }));
  return pieces.filter((piece) => piece.text !== "");
}
