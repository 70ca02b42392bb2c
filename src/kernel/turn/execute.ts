import { isRevoked } from "../errors.ts";
import type { Approval, PendingCall } from "../registry/hooks.ts";
import type { Run } from "../registry/task-kind.ts";
import type { ToolContext, ToolResult, ToolWait } from "../registry/tool.ts";
import type { Services } from "../run/services.ts";
import { withGrace } from "../run/with-grace.ts";
import { boundOutput } from "./bound-output.ts";
import { runHooks } from "./hook-chain.ts";
import { type CallResult, textResult } from "./settle-call.ts";
import { toolContext } from "./tool-context.ts";

/** Told to the model when nobody can know whether an effect happened. */
export const UNKNOWN_TEXT =
  "The outcome of this call is unknown: it was under way when it was interrupted, and it may or may not have taken " +
  "effect. Do not repeat it on your own. Tell the person, and offer to check or to try again if they ask.";

/** A call whose tool may run. */
export interface StartedCall {
  readonly call: PendingCall;
  readonly startedAt: number;
  readonly approval: Approval | null;
}

/**
 * Runs a part of a started call: its tool, or what makes the result once a task is finished. A throw is an error result; a
 * time-out is an error, or `unknown` for an unsafe tool. @throws when the invocation was stopped meanwhile.
 */
export async function executeCall(
  services: Services,
  run: Run,
  started: StartedCall,
  work: (context: ToolContext) => Promise<ToolResult | ToolWait>,
): Promise<CallResult | ToolWait> {
  const { clock } = services.ports;
  const { call, startedAt, approval } = started;
  const { tool } = call;
  const limit = new AbortController();
  const over = new AbortController();
  const signal = AbortSignal.any([run.signal, limit.signal]);
  const timer = clock.wait(clock.now() + tool.timeoutMs, over.signal).then(() => limit.abort());
  const context = toolContext(services, run, started, signal, over.signal);
  services.calls.count++;
  try {
    const finished = await withGrace(clock, caught(work(context)), signal);
    run.signal.throwIfAborted();
    if (!finished || limit.signal.aborted) return withApproval(timedOut(call, clock.now() - startedAt), approval);
    if ("waitFor" in finished) return finished;
    const result = await editResult(services, call, finished);
    return withApproval({ ...storedResult(result), ms: clock.now() - startedAt }, approval);
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

function timedOut({ tool }: PendingCall, ms: number): CallResult {
  const limit = `The call took longer than ${tool.timeoutMs / 1000} s.`;
  if (tool.replay === "safe") return { ...textResult("error", "timeout", limit), ms };
  return { ...textResult("unknown", "timeout", `${limit} ${UNKNOWN_TEXT}`), ms };
}

async function caught(work: Promise<ToolResult | ToolWait>): Promise<ToolResult | ToolWait> {
  try {
    return await work;
  } catch (error) {
    if (isRevoked(error)) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    return { text: `The tool failed: ${reason}`, isError: true, code: "tool_error" };
  }
}

/** The result after every handler's replacement. */
async function editResult(services: Services, call: PendingCall, result: ToolResult): Promise<ToolResult> {
  let standing = result;
  await runHooks(services, services.registry.snapshot(), "afterTool", {
    signal: call.signal,
    call: (hooks) => hooks.afterTool?.(call, standing),
    take(replaced) {
      standing = replaced ?? standing;
      return undefined;
    },
  });
  return standing;
}

function storedResult({ text, files = [], isError = false, code, control }: ToolResult): CallResult {
  const content = [
    { type: "text" as const, text: boundOutput(text) },
    ...files.map((file) => ({ type: "file" as const, file })),
  ];
  const outcome = code === "unknown_outcome" ? "unknown" : isError ? "error" : "ok";
  return { outcome, content, ...(code !== undefined && { code }), ...(control && { control }) };
}
