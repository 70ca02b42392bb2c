import type {
  ContentBlockParam,
  MessageCreateParamsStreaming,
  MessageParam,
  TextBlockParam,
  ToolResultBlockParam,
  ToolUnion,
} from "@anthropic-ai/sdk/resources/messages/messages";
import type { ModelRequest } from "../../kernel/ports/model.ts";
import type { Json } from "../../lib/json.ts";
import type { ModelConfig } from "../../protocol/config.ts";
import type { AssistantMessage } from "../../protocol/message.ts";
import type { FileContents } from "../files/load.ts";
import { wrapNote } from "../notes.ts";
import { argsObject } from "../tool-args.ts";
import { objectSchema } from "../tool-schema.ts";
import { type AssistantTurn, buildTurns, type Part, type Turn, type UserTurn } from "../turns.ts";
import { asObject, asText } from "../wire-json.ts";
import { planThinking, type ThinkingParam } from "./thinking.ts";
import { claudeTraits } from "./traits.ts";

export type AnthropicBody = Omit<MessageCreateParamsStreaming, "thinking"> & { thinking?: ThinkingParam };

export interface AnthropicOptions {
  readonly model: ModelConfig;
  readonly files: FileContents;
  /** The vendor's own API, which takes more than others that speak its wire. */
  readonly official: boolean;
  /** False once the vendor refused kept thinking. */
  readonly replay: boolean;
}

const EPHEMERAL = { type: "ephemeral" } as const;

/** A request as the body of `POST /v1/messages`. Pure: the same request gives the same bytes. */
export function encodeAnthropic(request: ModelRequest, options: AnthropicOptions): AnthropicBody {
  const { model, official } = options;
  const traits = claudeTraits(model.id);
  const maxTokens = request.maxOutputTokens ?? model.maxOutputTokens;
  const level = model.thinking ? request.thinking : undefined;
  const plan = planThinking(level, traits, maxTokens);
  const turns = buildTurns(request, { ...options, replay: plan.replay && options.replay, matches: saysTheSame });
  // With a budget, the vendor wants thinking before the calls that are being answered. Without it, no thinking now.
  const fits = plan.thinking?.type !== "enabled" || !answersUnthoughtCalls(turns);
  const system = request.system.toWellFormed();
  return {
    model: model.id,
    max_tokens: maxTokens,
    stream: true,
    ...(system.trim() === "" ? {} : { system: [{ type: "text", text: system, cache_control: EPHEMERAL }] }),
    ...encodeTools(request, turns),
    messages: encodeTurns(turns, official && traits.systemRole),
    ...(plan.thinking && fits ? { thinking: plan.thinking } : {}),
    ...(plan.effort ? { output_config: { effort: plan.effort } } : {}),
  };
}

/** Kept blocks stand for a message only while both say the same: the transcript may have been edited. */
function saysTheSame(items: readonly Json[], message: AssistantMessage): boolean {
  const of = (type: string) => items.map(asObject).filter((item) => item.type === type);
  const calls = message.content.filter((part) => part.type === "call");
  const text = message.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
  const kept = of("tool_use");
  return (
    kept.length === calls.length &&
    kept.every((item, index) => item.id === calls[index]?.id && item.name === calls[index]?.name) &&
    of("text")
      .map((item) => asText(item.text))
      .join("") === text
  );
}

function answersUnthoughtCalls(turns: readonly Turn[]): boolean {
  const last = turns.at(-1);
  const asked = turns.at(-2);
  if (last?.role !== "user" || last.results.length === 0 || asked?.role !== "assistant") return false;
  return !asked.replay?.map(asObject).some(({ type }) => type === "thinking" || type === "redacted_thinking");
}

/** A history with calls needs tools even where none may be called now. */
function encodeTools(request: ModelRequest, turns: readonly Turn[]): Pick<AnthropicBody, "tools" | "tool_choice"> {
  const tools: ToolUnion[] = request.tools.map((tool) => ({
    name: tool.name,
    description: tool.description.toWellFormed(),
    input_schema: objectSchema(tool),
  }));
  if (tools.length > 0) return { tools: withBreakpoint(tools) };
  const called = turns.flatMap((turn) => (turn.role === "assistant" ? turn.calls.map(({ name }) => name) : []));
  if (called.length === 0) return {};
  const stubs = [...new Set(called)].map((name): ToolUnion => ({ name, input_schema: { type: "object" } }));
  return { tools: stubs, tool_choice: { type: "none" } };
}

/** The last user turn is where this request's prompt ends, the one before where the previous request's cache ends. */
function encodeTurns(turns: readonly Turn[], systemRole: boolean): MessageParam[] {
  const cached = new Set(turns.filter(({ role }) => role === "user").slice(-2));
  return turns.flatMap((turn) =>
    turn.role === "assistant"
      ? [{ role: "assistant" as const, content: encodeAnswer(turn) }]
      : encodeUserTurn(turn, cached.has(turn), systemRole),
  );
}

function encodeAnswer(turn: AssistantTurn): ContentBlockParam[] {
  if (turn.replay) return turn.replay as unknown as ContentBlockParam[];
  const text: ContentBlockParam[] = turn.text === "" ? [] : [{ type: "text", text: turn.text }];
  return [
    ...text,
    ...turn.calls.map(({ id, name, args }) => ({ type: "tool_use" as const, id, name, input: argsObject(args) })),
  ];
}

function encodeUserTurn(turn: UserTurn, cached: boolean, systemRole: boolean): MessageParam[] {
  const results = turn.results.map(
    ({ id, parts, isError }): ToolResultBlockParam => ({
      type: "tool_result",
      tool_use_id: id,
      content: parts.length === 0 ? [{ type: "text", text: "(no output)" }] : parts.map(encodePart),
      ...(isError ? { is_error: true } : {}),
    }),
  );
  const stable: ContentBlockParam[] = [...results, ...turn.parts.map(encodePart)];
  const content = cached ? withBreakpoint(stable) : stable;
  const notes = turn.notes.map((text): TextBlockParam => ({ type: "text", text }));
  if (notes.length === 0) return [{ role: "user", content }];
  if (systemRole)
    return [
      { role: "user", content },
      { role: "system", content: notes },
    ];
  const wrapped = notes.map(({ text }): TextBlockParam => ({ type: "text", text: wrapNote(text) }));
  return [{ role: "user", content: [...content, ...wrapped] }];
}

function encodePart(part: Part) {
  if (part.type === "text") return { type: "text", text: part.text } as const;
  return { type: "image", source: { type: "base64", media_type: part.mime, data: part.base64 } } as const;
}

function withBreakpoint<T extends object>(blocks: readonly T[]): T[] {
  return blocks.map((block, index) => (index === blocks.length - 1 ? { ...block, cache_control: EPHEMERAL } : block));
}
