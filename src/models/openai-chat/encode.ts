import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionContentPart,
  ChatCompletionCreateParamsStreaming,
  ChatCompletionMessageParam,
  ChatCompletionTool,
} from "openai/resources/chat/completions/completions";
import type { ModelRequest } from "../../kernel/ports/model.ts";
import type { Json } from "../../lib/json.ts";
import type { ModelConfig } from "../../protocol/config.ts";
import type { AssistantMessage } from "../../protocol/message.ts";
import type { FileContents } from "../files/load.ts";
import { wrapNote } from "../notes.ts";
import { reasoningEffort } from "../openai/effort.ts";
import { argsText } from "../tool-args.ts";
import { objectSchema } from "../tool-schema.ts";
import { type AssistantTurn, buildTurns, type Part, type ResultPart, type UserTurn } from "../turns.ts";
import { asList, asObject } from "../wire-json.ts";
import { REASONING_FIELDS } from "./reduce.ts";

export interface ChatOptions {
  readonly model: ModelConfig;
  readonly files: FileContents;
  /** The vendor's own API, which names the output limit differently from the servers that speak its wire. */
  readonly official: boolean;
  readonly replay: boolean;
}

/** Fields of an answer that are sent back as they came: what servers of this wire call their reasoning. */
const KEPT_FIELDS: readonly string[] = [...REASONING_FIELDS, "reasoning_details"];

/** A request as the body of `POST /chat/completions`. Pure. */
export function encodeChat(request: ModelRequest, options: ChatOptions): ChatCompletionCreateParamsStreaming {
  const { model, official } = options;
  const maxTokens = request.maxOutputTokens ?? model.maxOutputTokens;
  const asksForThought = model.thinking && (official || request.thinking !== "off");
  return {
    model: model.id,
    stream: true,
    stream_options: { include_usage: true },
    ...(official ? { max_completion_tokens: maxTokens } : { max_tokens: maxTokens }),
    ...(asksForThought ? { reasoning_effort: reasoningEffort(request.thinking, model.id) } : {}),
    ...encodeChatPrompt(request, options),
  };
}

/** The messages and tools alone, which Workers AI takes too. */
export function encodeChatPrompt(request: ModelRequest, options: Pick<ChatOptions, "files" | "replay">) {
  const turns = buildTurns(request, { ...options, matches: belongsTo });
  const system = request.system.toWellFormed();
  const messages: ChatCompletionMessageParam[] = [
    ...(system.trim() === "" ? [] : [{ role: "system" as const, content: system }]),
    ...turns.flatMap((turn) => (turn.role === "user" ? encodeUserTurn(turn) : [encodeAnswer(turn)])),
  ];
  const tools = request.tools.map(
    (tool): ChatCompletionTool => ({
      type: "function",
      function: { name: tool.name, description: tool.description.toWellFormed(), parameters: objectSchema(tool) },
    }),
  );
  return { messages, ...(tools.length === 0 ? {} : { tools }) };
}

/**
 * Roles other than these four places break the chat templates of many local models: one system message first, tool
 * results right after their calls, and one user message, so the system's notes are words of the user's turn.
 */
function encodeUserTurn({ results, parts, notes }: UserTurn): ChatCompletionMessageParam[] {
  const images = results.flatMap((result) => result.parts.filter(({ type }) => type === "image"));
  const shown: Part[] =
    images.length === 0 ? [] : [{ type: "text", text: "Images of the tool results above:" }, ...images];
  const content = [...shown, ...parts, ...notes.map((note): Part => ({ type: "text", text: wrapNote(note) }))];
  return [
    ...results.map((result) => ({ role: "tool" as const, tool_call_id: result.id, content: resultText(result) })),
    ...(content.length === 0 ? [] : [{ role: "user" as const, content: encodeParts(content) }]),
  ];
}

/** The wire has no flag for errors and no images in results. */
function resultText({ parts, isError }: ResultPart): string {
  const text = parts.map((part) => (part.type === "text" ? part.text : "(image, see below)")).join("\n\n");
  return `${isError ? "Error: " : ""}${text === "" ? "(no output)" : text}`;
}

/** Plain text where there are no images: many servers take nothing else. */
function encodeParts(parts: readonly Part[]): string | ChatCompletionContentPart[] {
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  if (texts.length === parts.length) return texts.join("\n\n");
  return parts.map((part) =>
    part.type === "text" ? part : { type: "image_url", image_url: { url: `data:${part.mime};base64,${part.base64}` } },
  );
}

function encodeAnswer({ text, calls, replay }: AssistantTurn): ChatCompletionAssistantMessageParam {
  const kept = asObject(replay?.[0]);
  const extras = asList(kept.extras).map(asObject);
  const fields = Object.entries(asObject(kept.fields)).filter(([field]) => KEPT_FIELDS.includes(field));
  return {
    role: "assistant",
    content: text,
    ...Object.fromEntries(fields),
    ...(calls.length === 0
      ? {}
      : {
          tool_calls: calls.map(({ id, name, args }, index) => ({
            ...extras[index],
            id,
            type: "function" as const,
            function: { name, arguments: argsText(args) },
          })),
        }),
  };
}

/** The extra fields belong to calls by position. */
function belongsTo(items: readonly Json[], message: AssistantMessage): boolean {
  const calls = message.content.filter(({ type }) => type === "call").length;
  return asList(asObject(items[0]).extras).length === calls;
}
