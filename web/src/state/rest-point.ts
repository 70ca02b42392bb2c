import type { View, ViewEntry } from "../../../src/protocol/view.ts";
import { waitingIn } from "./waiting.ts";

/** Why the conversation cannot go back now, in words, or undefined when it can. */
export function whyNotBack(view: View): string | undefined {
  if (view.turn !== null && view.turn.stage !== "waiting") return "An answer is running. Stop it or wait for its end.";
  const [first] = waitingIn(view);
  if (first?.kind === "question") return "A question waits. Answer it, or stop the answer.";
  if (view.turn !== null || first !== undefined) return "An approval waits. Decide it, or stop the answer.";
  const isCallAlone = Object.values(view.tasks).some((task) => task.kind === "core.call");
  if (isCallAlone) return "A tool call is still at work. Stop it or wait for its end.";
  return view.compaction === null ? undefined : "Older messages are being summarised. Wait for the end.";
}

/**
 * The entry before another one: where the conversation goes back to when that one is said anew. 0 before the first,
 * undefined when it was not loaded yet. @param earlier the server holds more before the entries.
 */
export function entryBefore(entries: readonly ViewEntry[], id: number, earlier: boolean): number | undefined {
  const index = entries.findIndex((entry) => entry.id === id);
  if (index < 0 || (index === 0 && earlier)) return undefined;
  return entries[index - 1]?.id ?? 0;
}
