import { must } from "../../lib/assert.ts";
import type { Tx } from "../commit/tx.ts";
import { placeReadySummary } from "../compaction/place.ts";
import { turnKey } from "../meter/till.ts";
import type { RegistrySnapshot } from "../registry/registry.ts";
import type { Services } from "../run/services.ts";
import type { InputState } from "../storage/inputs.ts";
import { tellHooks } from "./hook-chain.ts";
import { beginNextTurn } from "./place.ts";
import { placeWrites } from "./writes.ts";

/** How a turn ends. `answer` and `entry` are entry ids. */
export type TurnEnd =
  | { readonly kind: "answered"; readonly answer: number }
  /** Without an answer. `entry` tells why; `skipped`: the host passed it over before it began. */
  | { readonly kind: "failed" | "stopped" | "skipped"; readonly entry: number }
  /** Somebody wanted a fresh start while it ran. */
  | { readonly kind: "reset" };

/**
 * Ends the running turn in the commit that shows its end: its inputs are settled, once, what waited for a safe point is
 * written, and whoever is next in line begins, except after a failure: then the queue stays, so that it is not burnt into a failing vendor.
 */
export function endTurn({ till }: Pick<Services, "till">, tx: Tx, end: TurnEnd, registry: RegistrySnapshot): void {
  const turn = must(tx.control.turn, "a turn ended that never began");
  const entries = turn.inputs.map((key) => settleInput(tx, key, end));
  tx.control.turn = null;
  till?.owe(tx, { key: turnKey(turn.task), actor: turn.actor, micros: 0 });
  tx.emit({ type: "turn.ended", outcome: end.kind });
  const { task, actor } = turn;
  const ended = { task, actor, outcome: end.kind, entry: entryOf(end), from: Math.min(...entries) };
  tellHooks(tx, registry, "turnEnded", (hooks, host) => hooks.turnEnded?.(host, ended));
  placeWrites(tx, "between");
  placeReadySummary(tx);
  if (end.kind !== "failed") beginNextTurn(tx);
}

function entryOf(end: TurnEnd): number | null {
  if (end.kind === "answered") return end.answer;
  return end.kind === "reset" ? null : end.entry;
}

/** Returns the entry that the input stands in. */
function settleInput(tx: Tx, key: string, end: TurnEnd): number {
  const input = must(tx.input(key), `input ${key} of the turn has no row`);
  if (input.state.status !== "placed") throw new Error(`Bug: input ${key} of the turn is ${input.state.status}`);
  const { entry } = input.state;
  const state: InputState =
    end.kind === "answered"
      ? { status: "done", entry, answer: end.answer }
      : { status: "unanswered", entry, reason: UNANSWERED[end.kind] };
  tx.putInput({ ...input, state });
  return entry;
}

const UNANSWERED = { failed: "failed", stopped: "aborted", skipped: "skipped", reset: "reset" } as const;
