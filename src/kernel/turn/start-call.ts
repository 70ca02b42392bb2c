import type { Json } from "../../lib/json.ts";
import type { Tx } from "../commit/tx.ts";
import { MAX_REPLAYS } from "../limits.ts";
import { hostTx } from "../plugin/host-tx.ts";
import type { PendingCall } from "../registry/hooks.ts";
import type { Run } from "../registry/task-kind.ts";
import type { Tool, ToolWait } from "../registry/tool.ts";
import type { Services } from "../run/services.ts";
import type { ToolCheckpoint } from "../state/checkpoints.ts";
import { taskOf } from "../state/control.ts";
import { endlessWait } from "../state/waits.ts";
import { type Receipt, readReceipt } from "../storage/done.ts";
import { readSlot } from "../storage/slots.ts";
import { type ChainVerdict, readArguments, validateInput } from "./before-tool.ts";
import { boundOutput } from "./bound-output.ts";
import { executeCall, type StartedCall, UNKNOWN_TEXT, withApproval } from "./execute.ts";
import { finish, orRefused, pendingCall, settle, storedCall } from "./finish-call.ts";
import { type CallResult, textResult } from "./settle-call.ts";

/** Commits that the call starts, then runs it. */
export async function startCall(
  services: Services,
  run: Run,
  call: PendingCall,
  verdict: Extract<ChainVerdict, { kind: "start" }>,
): Promise<void> {
  const { approval, onStarted } = verdict;
  const startedAt = orRefused(services, run, () =>
    run.commit((tx) => {
      for (const spend of onStarted) spend(hostTx(tx));
      const checkpoint: ToolCheckpoint = { phase: "started", startedAt: tx.now, replays: 0, approval };
      tx.checkpoint(run.id, { ...checkpoint });
      tx.setStatus(run.id, { status: "running" });
      // The call itself stays in its entry; only arguments that a handler changed need a place of their own.
      if (verdict.changed) tx.slot(run.id, call.input);
      markStarted(tx, run.id);
      tx.emit({ type: "tool.started", task: run.id });
      return tx.now;
    }),
  );
  if (startedAt !== undefined) await runTool(services, run, { call, startedAt, approval });
}

/** A crash left the call in flight: a safe one runs again under the same task, anything else has an unknown outcome. */
export async function recoverStarted(services: Services, run: Run): Promise<void> {
  const task = run.task();
  const checkpoint = task.checkpoint as ToolCheckpoint;
  if (checkpoint.phase !== "started") throw new Error("recovery of a call that never started");
  const { startedAt, approval, replays } = checkpoint;
  const found = storedInput(services, run);
  if (!found || found.tool.replay !== "safe" || replays >= MAX_REPLAYS) {
    const unknown = textResult("unknown", "interrupted", UNKNOWN_TEXT);
    return finish(services, run, withApproval(unknown, approval));
  }
  run.commit((tx) => tx.checkpoint(run.id, { ...checkpoint, replays: replays + 1 }));
  const call = pendingCall(services, run, found.tool, found.input);
  await runTool(services, run, { call, startedAt, approval });
}

/** The tool of a started call and its input, when both are still good. */
function storedInput(services: Services, run: Run): { readonly tool: Tool; readonly input: Json } | undefined {
  const task = run.task();
  const { name, args } = storedCall(services, task);
  const tool = services.registry.snapshot().tools.get(name);
  if (!tool) return undefined;
  const changed = readSlot(services.ports.storage, task.id);
  const read = changed === undefined ? readArguments(tool, args) : validateInput(tool, changed);
  return read.ok ? { tool, input: read.value } : undefined;
}

async function runTool(services: Services, run: Run, started: StartedCall): Promise<void> {
  const { tool, input } = started.call;
  const ended = await executeCall(services, run, started, (context) => tool.execute(input, context));
  return "waitFor" in ended ? join(services, run, started, ended) : finish(services, run, ended);
}

/** The call waits for a task, in a commit: nothing of it needs memory from here on. */
function join(services: Services, run: Run, { startedAt, approval }: StartedCall, { waitFor: on }: ToolWait): void {
  run.commit((tx) => {
    if (endlessWait(tx.control, run.id, [on]) !== undefined) {
      const text = `The call waits for task ${on}, which cannot end before it does.`;
      return settle(services, tx, tx.task(run.id), withApproval(textResult("error", "endless_wait", text), approval));
    }
    const checkpoint: ToolCheckpoint = { phase: "joining", startedAt, on, approval };
    tx.checkpoint(run.id, { ...checkpoint });
    if (taskOf(tx.control, on)) tx.setStatus(run.id, { status: "waiting", tasks: [on] });
  });
}

/** The task that the call waited for is finished: the call gets its result. */
export async function finishJoined(services: Services, run: Run): Promise<void> {
  const checkpoint = run.task().checkpoint as ToolCheckpoint;
  if (checkpoint.phase !== "joining") throw new Error("a call joins that waits for nothing");
  const { startedAt, approval, on } = checkpoint;
  const receipt = readReceipt(services.ports.storage, on);
  if (!receipt) {
    const missing = textResult("error", "missing_task", `There is no task ${on} that this call could wait for.`);
    return finish(services, run, withApproval(missing, approval));
  }
  const found = storedInput(services, run);
  const make = found?.tool.finished;
  if (!found || !make) return finish(services, run, withApproval(textOf(receipt), approval));
  const { tool, input } = found;
  const started = { call: pendingCall(services, run, tool, input), startedAt, approval };
  const ended = await executeCall(services, run, started, (context) => make(receipt, input, context));
  if ("waitFor" in ended) return join(services, run, started, ended);
  finish(services, run, { ...ended, ms: services.ports.clock.now() - startedAt });
}

/** A task's result as the call's own. */
function textOf({ outcome, result = null }: Receipt): CallResult {
  const text = typeof result === "string" ? result : JSON.stringify(result);
  if (outcome === "completed") return { outcome: "ok", content: [{ type: "text", text: boundOutput(text) }] };
  return textResult("error", `task_${outcome}`, boundOutput(`The task ended as ${outcome}: ${text}`));
}

function markStarted(tx: Tx, task: number): void {
  const { turn } = tx.control;
  if (!turn) return;
  const tools = turn.tools.map((tool) => (tool.task === task ? { ...tool, startedAt: tx.now } : tool));
  tx.control.turn = { ...turn, tools };
}
