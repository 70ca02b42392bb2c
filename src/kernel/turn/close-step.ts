import { must } from "../../lib/assert.ts";
import type { Tx } from "../commit/tx.ts";
import type { StepContext } from "../registry/hooks.ts";
import type { RegistrySnapshot } from "../registry/registry.ts";
import type { Run } from "../registry/task-kind.ts";
import type { Services } from "../run/services.ts";
import type { Turn, TurnTool } from "../state/control.ts";
import { HANDOFF } from "../state/kinds.ts";
import { endTurn, type TurnEnd } from "./end.ts";
import { runHooks } from "./hook-chain.ts";
import { hasQueuedHead, placeWrite } from "./writes.ts";

/**
 * A step's calls all have their results: tells the observers, and ends the turn where results ask for it or somebody
 * wanted a fresh start meanwhile. True: the turn is over.
 */
export async function closeStep(
  services: Services,
  run: Run,
  registry: RegistrySnapshot,
  step: StepContext,
): Promise<boolean> {
  const turn = must(services.store.control.turn, "a step outside of a turn");
  const calls = turn.tools.map(({ task, name, outcome = "error" }) => ({ task, name, outcome }));
  const { signal } = step;
  await runHooks(services, registry, "afterTools", { signal, call: (hooks) => hooks.afterTools?.(calls, step) });
  return run.commit((tx) => {
    const end = decideEnd(tx);
    if (!end) return false;
    tx.finish(run.id, "completed");
    endTurn(services, tx, end, registry);
    return true;
  });
}

function decideEnd(tx: Tx): TurnEnd | undefined {
  const { tools } = must(tx.control.turn, "a step outside of a turn");
  const answer = tools[0]?.entry;
  const handoff = tools.findLast((tool) => tool.control?.handoff !== undefined)?.control?.handoff;
  if (answer !== undefined && handoff !== undefined) {
    placeWrite(tx, { kind: HANDOFF, text: handoff });
    return { kind: "answered", answer };
  }
  if (answer !== undefined && allAskToEnd(tx, answer, tools)) return { kind: "answered", answer };
  return hasQueuedHead(tx) ? { kind: "reset" } : undefined;
}

/** One tool must not silence its siblings: every call of the step has to ask. */
function allAskToEnd(tx: Tx, answer: number, tools: Turn["tools"]): boolean {
  const message = tx.entry(answer)?.message;
  const calls = message?.role === "assistant" ? message.content.filter((part) => part.type === "call").length : 0;
  return calls === tools.length && tools.every((tool: TurnTool) => tool.control?.terminate === true);
}
