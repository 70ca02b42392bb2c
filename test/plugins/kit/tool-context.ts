import { Host, type HostContext, type Plugin, toolsOf } from "../../../src/host/index.ts";
import type { Namespace, Tool, ToolContext, ToolResult } from "../../../src/kernel/index.ts";
import type { Json, JsonObject } from "../../../src/lib/json.ts";
import { hostContext } from "../../kit/host-context.ts";

/** What a tool sees of a conversation, kept in memory. One world is one conversation. */
export interface ToolWorld {
  readonly progress: string[];
  now: number;
  context(task?: number, signal?: AbortSignal): ToolContext;
  /** Puts a namespace into a state. */
  set<T extends JsonObject>(namespace: Namespace<T>, state: T): void;
}

export function toolWorld(): ToolWorld {
  const states = new Map<string, JsonObject>();
  const memos = new Map<string, Json>();
  const world: ToolWorld = {
    progress: [],
    now: Date.UTC(2025, 10, 29, 11, 55, 3),
    set: (namespace, state) => void states.set(namespace.name, structuredClone(state)),
    context: (task = 1, signal = new AbortController().signal) => {
      const read = <T extends JsonObject>(namespace: Namespace<T>): T =>
        structuredClone({ ...namespace.defaults, ...states.get(namespace.name) });
      return {
        task,
        idempotencyKey: `test-conversation/${task}`,
        signal,
        actor: "p_1",
        meta: null,
        now: () => world.now,
        memo: (name, candidate) => {
          const key = `${task}/${name}`;
          if (!memos.has(key)) memos.set(key, structuredClone(candidate));
          return structuredClone(memos.get(key) as Json);
        },
        recall: () => undefined,
        begin: (_name, { kind }) => {
          throw new Error(`no tasks here: ${kind}`);
        },
        spawn: (name) => {
          throw new Error(`no conversations here: ${name}`);
        },
        progress: (line) => void world.progress.push(line),
        read,
        update: (namespace, edit) => {
          const next = { ...read(namespace), ...edit(read(namespace)) };
          states.set(namespace.name, structuredClone(next));
          return read(namespace);
        },
      };
    },
  };
  return world;
}

/** A tool of a plugin that was set up by itself. */
export function toolOf(plugin: Plugin, name: string, context?: Partial<HostContext>): Tool {
  const tool = toolsOf(setUp(plugin, context)).find((candidate) => candidate.name === name);
  if (tool === undefined) throw new Error(`the plugin ${plugin.name} has no tool ${name}`);
  return tool;
}

/** A host with this one plugin. */
export function setUp(plugin: Plugin, context: Partial<HostContext> = {}): Host {
  return new Host([plugin], hostContext(context));
}

/** Validates and runs, as the kernel does. */
export async function run(tool: Tool, input: Json, context: ToolContext): Promise<ToolResult> {
  const valid = tool.validate(input);
  if (!valid.ok) return { text: valid.error, isError: true, code: "invalid_arguments" };
  const result = await tool.execute(valid.value, context);
  if ("waitFor" in result) throw new Error(`${tool.name} waits for task ${result.waitFor}`);
  return result;
}
