import type { ModelRequest } from "../../kernel/ports/model.ts";
import type { ModelConfig } from "../../protocol/config.ts";
import type { FileContents } from "../files/load.ts";
import { encodeChatPrompt } from "../openai-chat/encode.ts";

export interface WorkersAiBody {
  readonly model: string;
  readonly inputs: { readonly [key: string]: unknown };
}

export interface WorkersAiOptions {
  readonly model: ModelConfig;
  readonly files: FileContents;
  readonly replay: boolean;
}

/** A request as model and inputs of `env.AI.run`: the chat form, streaming. Pure. Contents are never null there. */
export function encodeWorkersAi(request: ModelRequest, options: WorkersAiOptions): WorkersAiBody {
  const { model } = options;
  const max_tokens = request.maxOutputTokens ?? model.maxOutputTokens;
  return { model: model.id, inputs: { stream: true, max_tokens, ...encodeChatPrompt(request, options) } };
}
