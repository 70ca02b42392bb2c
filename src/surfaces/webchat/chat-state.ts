import { defineNamespace } from "../../kernel/index.ts";
import type { ThinkingLevel } from "../../protocol/view.ts";

/** Title and settings of a conversation. Empty strings: not chosen yet. */
export type ChatState = {
  readonly title: string;
  readonly model: string;
  readonly thinking: ThinkingLevel | "";
};

/** Declares the namespace `chat`; `defaults` fill in what the person has not chosen. */
export function chatNamespace(defaults: { readonly model: string; readonly thinking: ThinkingLevel }) {
  return defineNamespace<ChatState>({
    name: "chat",
    sticky: { title: "", model: "", thinking: "" },
    view: ({ title, model, thinking }) => ({
      title,
      model: model === "" ? defaults.model : model,
      thinking: thinking === "" ? defaults.thinking : thinking,
    }),
  });
}
