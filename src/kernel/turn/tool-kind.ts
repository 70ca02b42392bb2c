import { hostTx } from "../plugin/host-tx.ts";
import type { RegistrySnapshot } from "../registry/registry.ts";
import type { Run, TaskKind } from "../registry/task-kind.ts";
import type { Tool } from "../registry/tool.ts";
import type { Services } from "../run/services.ts";
import type { GenerationCheckpoint, ToolCheckpoint } from "../state/checkpoints.ts";
import { type Control, taskOf } from "../state/control.ts";
import type { Task } from "../state/task.ts";
import { type ChainVerdict, readArguments, runBeforeTool } from "./before-tool.ts";
import { boundOutput } from "./bound-output.ts";
import { isDetached, type StoredCall } from "./call.ts";
import { letCallGo, letParkedCallsGo } from "./detach.ts";
import { UNKNOWN_TEXT } from "./execute.ts";
import { finish, orRefused, pendingCall, settle, storedCall } from "./finish-call.ts";
import { runHooks, tellHooks } from "./hook-chain.ts";
import { type CallResult, textResult } from "./settle-call.ts";
import { finishJoined, recoverStarted, startCall } from "./start-call.ts";

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
      joining: (run) => finishJoined(services, run),
    },
    inFlight: ["started"],
    async abort(run) {
      const result = await stoppedResult(services, run);
      run.commit((tx) => settle(services, tx, run.task(), result));
    },
    fault(tx, task, reason) {
      const text = `The call failed inside the server: ${reason}`;
      settle(services, tx, task, textResult("error", "fault", text));
    },
    restored(tx, task) {
      const isUnknown = mayHaveRun(task, services.registry.snapshot().tools.get(storedCall(services, task).name));
      const text = isUnknown ? UNKNOWN_TEXT : NOT_RUN_TEXT;
      settle(services, tx, task, textResult(isUnknown ? "unknown" : "stopped", "restored", `${RESTORED_TEXT} ${text}`));
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
    const pending = pendingCall(services, run, found, read.value);
    const verdict = await runBeforeTool(services, run, registry.hooks, pending);
    switch (verdict.kind) {
      case "end":
        return finish(services, run, verdict.result);
      case "start":
        return startCall(services, run, { ...pending, input: verdict.input }, verdict);
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
  const { waitingOn, deadline, pendingText, leaves, onParked } = verdict;
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
      const registry = services.registry.snapshot();
      if (!wasParked) {
        tx.emit({ type: "tool.waiting", task: run.id, on: waitingOn });
        tellHooks(tx, registry, "parked", (hooks, host) => hooks.parked?.(host, { task: run.id }));
      }
      letParkedCallsGo(tx, registry);
      if (leaves) letCallGo(tx, run.id, registry);
      return undefined;
    }),
  );
}

const EXPIRED_TEXT = "The time to decide about this call is over. It did not run and will not run.";

/** What a stopped call came to, in the words that the handlers made of it. */
async function stoppedResult(services: Services, run: Run): Promise<CallResult> {
  const task = run.task();
  const registry = services.registry.snapshot();
  const tool = registry.tools.get(storedCall(services, task).name);
  const isUnknown = mayHaveRun(task, tool);
  let text = isUnknown ? `The person stopped the turn. ${UNKNOWN_TEXT}` : STOPPED_TEXT;
  if (tool) {
    const { input: _unchecked, ...call } = pendingCall(services, run, tool, null);
    await runHooks(services, registry, "onAbort", {
      signal: run.signal,
      call: (hooks) => hooks.onAbort?.(call, text),
      take(replaced) {
        text = replaced ?? text;
        return undefined;
      },
    });
  }
  return textResult(isUnknown ? "unknown" : "stopped", "stopped", boundOutput(text));
}

/** Whether a call that is broken off now may have had an effect that must not come twice. */
function mayHaveRun({ checkpoint }: Task, tool: Tool | undefined): boolean {
  return (checkpoint as ToolCheckpoint).phase === "started" && tool?.replay !== "safe";
}

const RESTORED_TEXT = "This conversation was restored from a backup.";
const NOT_RUN_TEXT =
  "The call had not run when the backup was made, and it does not run now. Whether it ran in between cannot be known " +
  "here. Do not repeat it on your own.";
const STOPPED_TEXT = "The person stopped the turn before this call finished.";
