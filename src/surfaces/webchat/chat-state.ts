import { defineNamespace } from "../../kernel/index.ts";
import type { ChatView, ThinkingLevel } from "../../protocol/view.ts";

/** Title and settings of a conversation. Empty strings: not chosen yet. */
export type ChatState = {
  readonly title: string;
  readonly model: string;
  readonly thinking: ThinkingLevel | "";
  /** Kind of the persona that answers. */
  readonly persona: string;
  /** Names of tools that are switched off. Follows the transcript. */
  readonly toolsOff: readonly string[];
};

/** Declares the namespace `chat`; `defaults` fill in what the person has not chosen, `tools` are the deployment's. */
export function chatNamespace(
  defaults: { readonly model: string; readonly thinking: ThinkingLevel; readonly persona: string },
  tools: readonly string[],
) {
  return defineNamespace<Omit<ChatState, "toolsOff">, Pick<ChatState, "toolsOff">>({
    name: "chat",
    sticky: { title: "", model: "", thinking: "", persona: "" },
    rewindable: { toolsOff: [] },
    view: ({ title, model, thinking, persona, toolsOff }) => {
      const view: ChatView = {
        title,
        model: model === "" ? defaults.model : model,
        thinking: thinking === "" ? defaults.thinking : thinking,
        persona: persona === "" ? defaults.persona : persona,
        tools: tools.map((name) => ({ name, on: !toolsOff.includes(name) })),
      };
      return { ...view };
    },
  });
}
