import type { Json, JsonObject } from "../../lib/json.ts";
import { isRevoked } from "../errors.ts";
import type { Approval } from "../registry/hooks.ts";
import type { Namespace } from "../registry/namespace.ts";
import type { Run } from "../registry/task-kind.ts";
import type { Tool, ToolContext } from "../registry/tool.ts";
import type { Services } from "../run/services.ts";
import { withGrace } from "../run/with-grace.ts";
import { TOOL } from "../state/kinds.ts";
import { boundOutput } from "./bound-output.ts";
import { type CallResult, textResult } from "./settle-call.ts";

/** Told to the model when nobody can know whether an effect happened. */
export const UNKNOWN_TEXT =
  "The outcome of this call is unknown: it was under way when it was interrupted, and it may or may not have taken " +
  "effect. Do not repeat it on your own. Tell the person, and offer to check or to try again if they ask.";

export interface StartedCall {
  readonly tool: Tool;
  readonly input: Json;
  readonly speaker: { readonly actor: string; readonly meta: Json };
  readonly startedAt: number;
  readonly approval: Approval | null;
}

/**
 * Runs a started call to its result. A throw of the tool is an error result; a time-out is an error, or `unknown` for an
 * unsafe tool. @throws when the invocation was stopped meanwhile.
 */
export async function executeCall(services: Services, run: Run, call: StartedCall): Promise<CallResult> {
  const { clock } = services.ports;
  const { tool, startedAt, approval } = call;
  const limit = new AbortController();
  const over = new AbortController();
  const signal = AbortSignal.any([run.signal, limit.signal]);
  const timer = clock.wait(startedAt + tool.timeoutMs, over.signal).then(() => limit.abort());
  const context = toolContext(services, run, call, signal, over.signal);
  services.calls.count++;
  try {
    const finished = await withGrace(clock, runTool(tool, call.input, context), signal);
    run.signal.throwIfAborted();
    const result = finished && !limit.signal.aborted ? finished : timedOut(tool);
    const ms = clock.now() - startedAt;
    return withApproval({ ...result, ms }, approval);
  } finally {
    over.abort();
    await timer;
    services.live.drop(run.id);
  }
}

/** The result as told to the model: who approved the call, since it never saw the card. */
export function withApproval(result: CallResult, approval: Approval | null): CallResult {
  if (approval === null) return result;
  const note = { type: "text", text: approval.note } as const;
  return { ...result, content: [note, ...result.content], decidedBy: approval.by };
}

function timedOut(tool: Tool): CallResult {
  const limit = `The call took longer than ${tool.timeoutMs / 1000} s.`;
  if (tool.replay === "safe") return textResult("error", "timeout", limit);
  return textResult("unknown", "timeout", `${limit} ${UNKNOWN_TEXT}`);
}

async function runTool(tool: Tool, input: Json, context: ToolContext): Promise<CallResult> {
  try {
    const { text, files = [], isError = false, code } = await tool.execute(input, context);
    const content = [
      { type: "text" as const, text: boundOutput(text) },
      ...files.map((file) => ({ type: "file" as const, file })),
    ];
    const outcome = code === "unknown_outcome" ? "unknown" : isError ? "error" : "ok";
    return { outcome, content, ...(code !== undefined && { code }) };
  } catch (error) {
    if (isRevoked(error)) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    return textResult("error", "tool_error", boundOutput(`The tool failed: ${reason}`));
  }
}

function toolContext(
  services: Services,
  run: Run,
  call: StartedCall,
  signal: AbortSignal,
  over: AbortSignal,
): ToolContext {
  const { store, live, host, ports } = services;
  const requireAlive = () => over.throwIfAborted();
  return {
    task: run.id,
    idempotencyKey: `${host.name}/${run.id}`,
    signal,
    actor: call.speaker.actor,
    meta: call.speaker.meta,
    now: () => ports.clock.now(),
    memo(name, candidate) {
      requireAlive();
      return run.commit((tx) => tx.memoOnce(run.id, TOOL, name, candidate));
    },
    progress(line) {
      requireAlive();
      live.replace(run.id, 1, "progress", line);
    },
    read: (namespace) => store.get(namespace),
    update<T extends JsonObject>(namespace: Namespace<T>, edit: (state: T) => Partial<T>): T {
      requireAlive();
      return run.commit((tx) => {
        tx.set(namespace, edit(tx.get(namespace)));
        return tx.get(namespace);
      });
    },
  };
}
