import * as z from "zod";
import type { Json } from "../../lib/json.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import type { FileRef } from "../../protocol/message.ts";
import type { ChildRequest } from "../ports/children.ts";
import type { ToolControl } from "../state/control.ts";
import type { Receipt } from "../storage/done.ts";
import type { Namespace } from "./namespace.ts";
import type { TaskToken } from "./task-token.ts";

/**
 * What happens after a crash hid whether a started call had its effect. `safe`: run it again with the same key and memos.
 * `unsafe`: never run it again; the outcome is said to be unknown.
 */
export type ReplayPolicy = "safe" | "unsafe";

/** What a tool gives back. `text` goes to the model, bounded to 50 KiB and 2,000 lines. */
export interface ToolResult {
  readonly text: string;
  readonly files?: readonly FileRef[];
  readonly isError?: boolean;
  /** Short reason code of an error. */
  readonly code?: string;
  /** What it asks of the turn. */
  readonly control?: ToolControl;
}

/** The call goes on when a task is finished; until then it needs neither memory nor time. */
export interface ToolWait {
  readonly waitFor: number;
}

/** What a running call may do. Dead once the call has its result, was stopped, or its object was replaced. */
export interface ToolContext {
  readonly task: number;
  /** The same on every replay of this call and different for every other call anywhere: give it to the other side. */
  readonly idempotencyKey: string;
  /** Aborts on stop and on time-out. */
  readonly signal: AbortSignal;
  /** Who the turn runs for: an opaque actor and the meta that admission stored. */
  readonly actor: string;
  readonly meta: Json;
  /** Who let this call run, where it waited for somebody: opaque, as its handler named them. */
  readonly approvedBy?: string;
  /** What they pressed. Absent: nobody pressed anything, a message or a standing rule let it run. */
  readonly approvedPrompt?: string;
  now(): number;
  /** First writer wins: stores `candidate` under `name` unless a value stands there, and returns the winner. */
  memo(name: string, candidate: Json): Json;
  /** What a handler of this namespace has stored beside the call; undefined when nothing. */
  recall(namespace: Namespace, name: string): Json | undefined;
  /** Begins a task that this call owns, once: a replay finds the same one under this name. */
  begin<I extends Json>(name: string, definition: TaskToken<I>, input: I): number;
  /** Begins a conversation of its own for this call, once, as {@link ToolContext.begin} does a task: to be waited for. */
  spawn(name: string, request: ChildRequest): number;
  /** Shows a line of progress to whoever watches. */
  progress(line: string): void;
  /** Reads a namespace as it stands. */
  read<T extends { readonly [key: string]: Json }>(namespace: Namespace<T>): T;
  /** Changes a namespace in one commit. `edit` gets a copy and returns the keys to set. */
  update<T extends { readonly [key: string]: Json }>(namespace: Namespace<T>, edit: (state: T) => Partial<T>): T;
}

export interface Tool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the input, as shown to models. */
  readonly parameters: Json;
  readonly replay: ReplayPolicy;
  /** The declared version, part of what an approval is bound to. */
  readonly version: string;
  /** Stops a call that takes longer. Milliseconds. */
  readonly timeoutMs: number;
  validate(input: Json): Result<Json, string>;
  /** May throw: a throw is an error result for the model. */
  execute(input: Json, context: ToolContext): Promise<ToolResult | ToolWait>;
  /** Makes the result of a call that waited for a task. Absent: the text of the task's result. */
  finished?(receipt: Receipt, input: Json, context: ToolContext): Promise<ToolResult | ToolWait>;
}

const TOOL_NAME = /^[a-z][a-z0-9_]{0,63}$/;
const DEFAULT_TIMEOUT_MS = 120_000;

/**
 * Declares a tool by a zod schema.
 * @throws when the name does not match `^[a-z][a-z0-9_]{0,63}$` or the description is empty.
 */
export function defineTool<S extends z.ZodType<Json>>(definition: {
  readonly name: string;
  readonly description: string;
  readonly input: S;
  readonly replay?: ReplayPolicy;
  readonly version?: string;
  readonly timeoutMs?: number;
  readonly execute: (input: z.output<S>, context: ToolContext) => Promise<ToolResult | ToolWait>;
  readonly finished?: (receipt: Receipt, input: z.output<S>, context: ToolContext) => Promise<ToolResult | ToolWait>;
}): Tool {
  const { name, description, input, execute, finished } = definition;
  if (!TOOL_NAME.test(name)) {
    throw new Error(`Tool name ${JSON.stringify(name)} must match ${TOOL_NAME.source}: rename the tool.`);
  }
  if (description.trim() === "") throw new Error(`Tool ${name} needs a description: models choose by it.`);
  const { $schema: _dialect, ...parameters } = z.toJSONSchema(input, { io: "input" }) as { [key: string]: Json };
  return {
    name,
    description,
    parameters,
    replay: definition.replay ?? "unsafe",
    version: definition.version ?? "1",
    timeoutMs: definition.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    validate(value) {
      const parsed = input.safeParse(value);
      return parsed.success ? ok(parsed.data) : err(z.prettifyError(parsed.error));
    },
    execute: (value, context) => execute(value as z.output<S>, context),
    ...(finished && {
      finished: (receipt: Receipt, value: Json, context: ToolContext) =>
        finished(receipt, value as z.output<S>, context),
    }),
  };
}
