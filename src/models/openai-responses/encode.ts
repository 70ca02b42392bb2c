import type {
  EasyInputMessage,
  FunctionTool,
  ResponseCreateParamsStreaming,
  ResponseFunctionCallOutputItem,
  ResponseInputItem,
} from "openai/resources/responses/responses";
import type { ModelRequest } from "../../kernel/ports/model.ts";
import type { Json } from "../../lib/json.ts";
import type { ModelConfig } from "../../protocol/config.ts";
import type { AssistantMessage } from "../../protocol/message.ts";
import type { FileContents } from "../files/load.ts";
import { reasoningEffort } from "../openai/effort.ts";
import { argsText } from "../tool-args.ts";
import { objectSchema } from "../tool-schema.ts";
import { type AssistantTurn, buildTurns, type Part, type ResultPart, type UserTurn } from "../turns.ts";
import { asList, asObject, asText } from "../wire-json.ts";

export interface ResponsesOptions {
  readonly model: ModelConfig;
  readonly files: FileContents;
  readonly replay: boolean;
}

/**
 * A request as the body of `POST /responses`. Pure. The prompt is input alone, never `instructions`: newer models read
 * those after the input, older ones before it, and only an unchanged beginning keeps caches and reasoning.
 */
export function encodeResponses(request: ModelRequest, options: ResponsesOptions): ResponseCreateParamsStreaming {
  const { model } = options;
  const turns = buildTurns(request, { ...options, matches: saysTheSame });
  const tools = request.tools.map(
    (tool): FunctionTool => ({
      type: "function",
      name: tool.name,
      description: tool.description.toWellFormed(),
      parameters: objectSchema(tool),
      strict: false,
    }),
  );
  const summary = request.thinking === "off" ? {} : { summary: "auto" as const };
  return {
    model: model.id,
    stream: true,
    store: false,
    max_output_tokens: request.maxOutputTokens ?? model.maxOutputTokens,
    ...(model.thinking
      ? {
          reasoning: { effort: reasoningEffort(request.thinking, model.id), ...summary },
          include: ["reasoning.encrypted_content"],
        }
      : {}),
    ...(tools.length === 0 ? {} : { tools, parallel_tool_calls: true }),
    input: [
      ...(request.system.trim() === "" ? [] : [developer(request.system.toWellFormed())]),
      ...turns.flatMap((turn) => (turn.role === "user" ? encodeUserTurn(turn) : encodeAnswer(turn))),
    ],
  };
}

function developer(content: string): EasyInputMessage {
  return { type: "message", role: "developer", content };
}

function encodeUserTurn({ results, parts, notes }: UserTurn): ResponseInputItem[] {
  const said: EasyInputMessage[] =
    parts.length === 0 ? [] : [{ type: "message", role: "user", content: parts.map(encodePart) }];
  return [
    ...results.map((result) => ({
      type: "function_call_output" as const,
      call_id: result.id,
      output: encodeOutput(result),
    })),
    ...said,
    ...notes.map(developer),
  ];
}

/** Plain text unless there is an image: many servers of this wire take nothing else. The wire has no flag for errors. */
function encodeOutput({ parts, isError }: ResultPart): string | ResponseFunctionCallOutputItem[] {
  const prefix: Part[] = isError ? [{ type: "text", text: "Error:" }] : [];
  const all = [...prefix, ...parts];
  if (all.some(({ type }) => type === "image")) return all.map(encodePart);
  const text = all.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  return text === "" ? "(no output)" : text;
}

function encodePart(part: Part) {
  if (part.type === "text") return { type: "input_text", text: part.text } as const;
  const url = `data:${part.mime};base64,${part.base64}`;
  return { type: "input_image", detail: "auto", image_url: url } as const;
}

function encodeAnswer({ text, calls, replay }: AssistantTurn): ResponseInputItem[] {
  if (replay) return followed(replay) as unknown as ResponseInputItem[];
  const said: EasyInputMessage[] = text === "" ? [] : [{ type: "message", role: "assistant", content: text }];
  return [
    ...said,
    ...calls.map(({ id, name, args }) => ({
      type: "function_call" as const,
      call_id: id,
      name,
      arguments: argsText(args),
    })),
  ];
}

/** Reasoning that nothing follows (an answer cut at its limit) is refused by the vendor. */
function followed(items: readonly Json[]): readonly Json[] {
  return items.slice(0, items.findLastIndex((item) => asObject(item).type !== "reasoning") + 1);
}

/** Kept items stand for a message only while both say the same: the transcript may have been edited. */
function saysTheSame(items: readonly Json[], message: AssistantMessage): boolean {
  const calls = message.content.filter((part) => part.type === "call");
  const text = message.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
  const all = items.map(asObject);
  const kept = all.filter(({ type }) => type === "function_call");
  const words = all.flatMap(({ type, content }) => (type === "message" ? asList(content).map(asObject) : []));
  return (
    kept.length === calls.length &&
    kept.every((item, index) => item.call_id === calls[index]?.id && item.name === calls[index]?.name) &&
    words.map((part) => asText(part.text) || asText(part.refusal)).join("") === text
  );
}
