import { hostTx, type Tx } from "../commit/tx.ts";
import { MAX_REPLAYS } from "../limits.ts";
import { CallRefused } from "../registry/hooks.ts";
import type { RegistrySnapshot } from "../registry/registry.ts";
import type { Run, TaskKind } from "../registry/task-kind.ts";
import type { Tool } from "../registry/tool.ts";
import type { Services } from "../run/services.ts";
import type { GenerationCheckpoint, ToolCheckpoint } from "../state/checkpoints.ts";
import { type Control, taskOf } from "../state/control.ts";
import type { Task } from "../state/task.ts";
import { readEntry } from "../storage/entries.ts";
import { readSlot } from "../storage/slots.ts";
import { type ChainVerdict, readArguments, runBeforeTool, validateInput } from "./before-tool.ts";
import { callOf, isDetached, type StoredCall, speakerOf } from "./call.ts";
import { letParkedCallsGo } from "./detach.ts";
import { executeCall, UNKNOWN_TEXT, withApproval } from "./execute.ts";
import { type CallResult, settleTurnCall, textResult } from "./settle-call.ts";
import { settleDetachedCall } from "./settle-detached.ts";

/**
 * One tool call: validate → handlers → `started` → execute → result. The same phases serve a call of the running turn
 * (`core.tool`) and one that left it (`core.call`); they differ in where the result goes.
 */
export function toolKind(kind: string, services: Services): TaskKind {
  return {
    kind,
    phases: {
      check: (run) => checkCall(services, run),
      started: (run) => recoverStarted(services, run),
    },
    inFlight: ["started"],
    async abort(run) {
      run.commit((tx) => settle(services, tx, run.task(), stoppedResult(services, run.task())));
    },
    fault(tx, task, reason) {
      const text = `The call failed inside the server: ${reason}`;
      settle(services, tx, task, textResult("error", "fault", text));
    },
    describe: (checkpoint) => ({ phase: checkpoint.phase }),
  };
}

async function checkCall(services: Services, run: Run): Promise<void> {
  for (;;) {
    const registry = services.registry.snapshot();
    const task = run.task();
    const call = storedCall(services, task);
    const found = findTool(services.store.control, registry, task, call);
    if ("outcome" in found) return finish(services, run, found);
    const read = readArguments(found, call.args);
    if (!read.ok) return finish(services, run, read.error);
    const speaker = speakerOf(services.store.control, task);
    const detached = isDetached(task);
    const { entry, index } = call;
    const pending = { task: run.id, entry, index, tool: found, input: read.value, detached, signal: run.signal };
    const verdict = await runBeforeTool(registry.hooks, { ...pending, ...speaker });
    switch (verdict.kind) {
      case "end":
        return finish(services, run, verdict.result);
      case "start":
        return startAndExecute(services, run, found, verdict);
      case "park":
        if (park(services, run, verdict, task.status === "parked") === "again") continue;
        return;
    }
  }
}

/** The offered, registered tool of a call, or the error result that names why there is none. */
function findTool(control: Control, registry: RegistrySnapshot, task: Task, call: StoredCall): Tool | CallResult {
  const generation = control.turn && taskOf(control, control.turn.task);
  const pinned = (generation?.checkpoint as GenerationCheckpoint | undefined)?.pinned;
  if (!isDetached(task) && pinned && !pinned.tools.includes(call.name)) {
    const offered = pinned.tools.join(", ") || "none";
    return textResult("error", "not_offered", `There is no tool ${JSON.stringify(call.name)}. Offered: ${offered}.`);
  }
  const tool = registry.tools.get(call.name);
  return (
    tool ?? textResult("error", "missing_tool", `The tool ${JSON.stringify(call.name)} is not available any more.`)
  );
}

/**
 * Parks the call in one commit with what it waits for. `again`: that was decided while the handlers ran.
 * @param wasParked whether it was when they began.
 */
function park(
  services: Services,
  run: Run,
  verdict: Extract<ChainVerdict, { kind: "park" }>,
  wasParked: boolean,
): "again" | undefined {
  const { waitingOn, deadline, pendingText, onParked } = verdict;
  return orRefused(services, run, () =>
    run.commit((tx) => {
      if (deadline !== null && deadline <= tx.now) {
        settle(services, tx, tx.task(run.id), textResult("blocked", "expired", EXPIRED_TEXT));
        return undefined;
      }
      // Woken while its handlers looked once more: what they saw may be old.
      if (wasParked && tx.task(run.id).status !== "parked") return "again";
      if (onParked?.(hostTx(tx), run.id) === "again") return "again";
      tx.checkpoint(run.id, { phase: "check", pendingText });
      tx.setStatus(run.id, { status: "parked", waitingOn, deadline });
      if (!wasParked) tx.emit({ type: "tool.waiting", task: run.id, on: waitingOn });
      letParkedCallsGo(tx, services.registry.snapshot());
      return undefined;
    }),
  );
}

/** Runs a commit that a handler may refuse: then the call gets a blocked result instead. */
function orRefused<T>(services: Services, run: Run, commit: () => T): T | undefined {
  try {
    return commit();
  } catch (error) {
    if (!(error instanceof CallRefused)) throw error;
    finish(services, run, textResult("blocked", error.code, error.message));
    return undefined;
  }
}

const EXPIRED_TEXT = "The time to decide about this call is over. It did not run and will not run.";

async function startAndExecute(
  services: Services,
  run: Run,
  tool: Tool,
  verdict: Extract<ChainVerdict, { kind: "start" }>,
): Promise<void> {
  const { input, approval, onStarted } = verdict;
  const speaker = speakerOf(services.store.control, run.task());
  const startedAt = orRefused(services, run, () =>
    run.commit((tx) => {
      for (const spend of onStarted) spend(hostTx(tx));
      const checkpoint: ToolCheckpoint = { phase: "started", startedAt: tx.now, replays: 0, approval };
      tx.checkpoint(run.id, { ...checkpoint });
      tx.setStatus(run.id, { status: "running" });
      // The call itself stays in its entry; only arguments that a handler changed need a place of their own.
      if (verdict.changed) tx.slot(run.id, input);
      markStarted(tx, run.id);
      tx.emit({ type: "tool.started", task: run.id });
      return tx.now;
    }),
  );
  if (startedAt === undefined) return;
  finish(services, run, await executeCall(services, run, { tool, input, speaker, startedAt, approval }));
}

/** A crash left the call in flight: a safe one runs again under the same task, anything else has an unknown outcome. */
async function recoverStarted(services: Services, run: Run): Promise<void> {
  const task = run.task();
  const checkpoint = task.checkpoint as ToolCheckpoint;
  if (checkpoint.phase !== "started") throw new Error("recovery of a call that never started");
  const { startedAt, approval, replays } = checkpoint;
  const unknown = withApproval(textResult("unknown", "interrupted", UNKNOWN_TEXT), approval);
  const call = storedCall(services, task);
  const tool = services.registry.snapshot().tools.get(call.name);
  const changed = readSlot(services.ports.storage, task.id);
  const read = tool && (changed === undefined ? readArguments(tool, call.args) : validateInput(tool, changed));
  if (!tool || tool.replay !== "safe" || !read?.ok || replays >= MAX_REPLAYS) return finish(services, run, unknown);
  const now = run.commit((tx) => {
    tx.checkpoint(run.id, { ...checkpoint, replays: replays + 1 });
    return tx.now;
  });
  const speaker = speakerOf(services.store.control, task);
  // The time limit counts from the replay: the crash is not the tool's fault.
  const result = await executeCall(services, run, { tool, input: read.value, speaker, startedAt: now, approval });
  finish(services, run, { ...result, ms: services.ports.clock.now() - startedAt });
}

function markStarted(tx: Tx, task: number): void {
  const { turn } = tx.control;
  if (!turn) return;
  const tools = turn.tools.map((tool) => (tool.task === task ? { ...tool, startedAt: tx.now } : tool));
  tx.control.turn = { ...turn, tools };
}

function stoppedResult(services: Services, task: Task): CallResult {
  const checkpoint = task.checkpoint as ToolCheckpoint;
  const tool = services.registry.snapshot().tools.get(storedCall(services, task).name);
  if (checkpoint.phase === "started" && tool?.replay !== "safe") {
    return textResult("unknown", "stopped", `The person stopped the turn. ${UNKNOWN_TEXT}`);
  }
  return textResult("stopped", "stopped", "The person stopped the turn before this call finished.");
}

function finish(services: Services, run: Run, result: CallResult): void {
  run.commit((tx) => settle(services, tx, tx.task(run.id), result));
}

function settle(services: Services, tx: Tx, task: Task, result: CallResult): void {
  const registry = services.registry.snapshot();
  const call = storedCall(services, task);
  if (isDetached(task)) return settleDetachedCall(tx, task, call, result, registry);
  settleTurnCall(tx, task, call, result, registry);
  letParkedCallsGo(tx, registry);
}

function storedCall(services: Services, task: Task): StoredCall {
  return callOf(task, (id) => readEntry(services.ports.storage, id));
}
