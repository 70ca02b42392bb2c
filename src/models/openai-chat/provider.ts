import type { ChatCompletionCreateParamsStreaming } from "openai/resources/chat/completions/completions";
import type { ModelPort } from "../../kernel/ports/model.ts";
import { bodyOf } from "../body.ts";
import { classifyOpenAi } from "../openai/errors.ts";
import { isOfficial } from "../openai/official.ts";
import { post } from "../openai/post.ts";
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
      async open(body, signal) {
        return bodyOf(await post(target, deps, "/chat/completions", body, signal));
      },
      reducer: ({ model: name, volatile }) => chatReducer({ model: name, note: volatile, doneIsTerminal: false }),
      classify: classifyOpenAi,
    },
    target,
    deps,
  );
}
