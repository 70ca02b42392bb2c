export { checkAnthropicRequest } from "./check-anthropic.ts";
export { checkChatPrompt, checkChatRequest } from "./check-chat.ts";
export { CLAUDE_MODELS } from "./check-claude-thinking.ts";
export { checkResponsesRequest } from "./check-responses.ts";
export { type Listening, listen } from "./listen.ts";
export type { Answer, RefusalKind, Vendor } from "./replies.ts";
export { createModelServer, type ModelServer } from "./server.ts";
