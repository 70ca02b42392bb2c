import type { ChatCompletionCreateParamsStreaming } from "openai/resources/chat/completions/completions";
import type { ModelPort } from "../../kernel/ports/model.ts";
import { bodyOf } from "../body.ts";
import { isOfficial, post } from "../openai/client.ts";
import { classifyOpenAi } from "../openai/errors.ts";
import { createPort, type Deps, type Target } from "../port.ts";
import { encodeChat } from "./encode.ts";
import { type ChatState, chatReducer } from "./reduce.ts";

/** Models behind `POST /chat/completions`: OpenAI's own, Ollama, vLLM, gateways. */
export function openAiChatPort(target: Target, deps: Deps): ModelPort {
  const { model } = target;
  const official = isOfficial(target);
  return createPort<ChatCompletionCreateParamsStreaming, ChatState>(
    {
      encode: (request, { files, replay }) => encodeChat(request, { model, files, official, replay }),
      open: async (body, signal) => bodyOf(await post(target, deps, "/chat/completions", body, signal)),
      reducer: ({ model: name, volatile }) => chatReducer({ model: name, note: volatile, doneIsTerminal: false }),
      classify: classifyOpenAi,
    },
    target,
    deps,
  );
}
