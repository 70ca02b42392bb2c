import type { ModelRequest } from "../../../src/kernel/ports/model.ts";
import { encodeAnthropic } from "../../../src/models/anthropic/encode.ts";
import { encodeChat } from "../../../src/models/openai-chat/encode.ts";
import { encodeResponses } from "../../../src/models/openai-responses/encode.ts";
import { encodeWorkersAi } from "../../../src/models/workers-ai/encode.ts";
import type { ModelConfig } from "../../../src/protocol/config.ts";
import type { Message } from "../../../src/protocol/message.ts";
import { checkMessages } from "../../kit/check-messages.ts";
import {
  checkAnthropicRequest,
  checkChatPrompt,
  checkChatRequest,
  checkResponsesRequest,
} from "../../kit/model-server/index.ts";
import { SCHEMA } from "./pure-oracle.ts";

const model = (id: string): ModelConfig => ({
  ...{ id, contextTokens: 200_000, maxOutputTokens: 16_000, thinking: false, images: false },
});
const files = new Map();

/** What any vendor would have against these messages, as the real renderers bring them. */
export function complaintsOfAll(messages: readonly Message[]): readonly string[] {
  const request: ModelRequest = {
    ...{ model: "p/m", thinking: "off", system: "Be brief.", volatile: "", messages },
    tools: [{ name: "send", description: "Sends.", parameters: SCHEMA }],
  };
  const how = { files, official: true, replay: true };
  return [
    ...checkMessages(messages),
    ...checkAnthropicRequest(encodeAnthropic(request, { ...how, model: model("claude-opus-5-5") }), ""),
    ...checkChatRequest(encodeChat(request, { ...how, model: model("gpt-5.4") })),
    ...checkResponsesRequest(encodeResponses(request, { ...how, model: model("gpt-4.1") })),
    ...checkChatPrompt(encodeWorkersAi(request, { ...how, model: model("@cf/x") }).inputs),
  ];
}
