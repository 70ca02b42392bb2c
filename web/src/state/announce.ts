import type { View, ViewEntry } from "../../../src/protocol/view.ts";
import { answerData } from "./rows.ts";
import { WAITING_NAMES, waitingIn } from "./waiting.ts";

/**
 * What a screen reader hears when one view follows another: start, end, failure, what waits for the person. Never tokens, never
 * history: the first view announces only what waits for the person.
 */
export function announce(previous: View | undefined, next: View): readonly string[] {
  const words: string[] = [];
  if (previous !== undefined) words.push(...announceTurn(previous, next), ...announceSummary(previous, next));
  const known = new Set(previous === undefined ? [] : waitingIn(previous).map(({ id }) => id));
  for (const { id, kind, words: what } of waitingIn(next)) {
    if (!known.has(id)) words.push(`${WAITING_NAMES[kind]}: ${what}`);
  }
  return words;
}

function announceTurn(previous: View, next: View): readonly string[] {
  const before = previous.turn?.task;
  const after = next.turn?.task;
  if (before === after) return [];
  const words: string[] = [];
  if (before !== undefined) words.push(describeTurnEnd(previous, next));
  if (after !== undefined) words.push("Answer started.");
  return words;
}

function announceSummary(previous: View, next: View): readonly string[] {
  if (previous.compaction === null) return next.compaction === null ? [] : ["Summarising older messages."];
  if (next.compaction !== null) return [];
  const isPlaced = freshEntries(previous, next).some((entry) => entry.kind === "core.summary");
  return [isPlaced ? "Older messages were summarised." : "No summary was made."];
}

/** Ids rise strictly, so entries beyond the newest known one are the new ones. */
function freshEntries(previous: View, next: View): readonly ViewEntry[] {
  const newest = previous.entries.at(-1)?.id ?? 0;
  return next.entries.filter((entry) => entry.id > newest);
}

function describeTurnEnd(previous: View, next: View): string {
  const fresh = freshEntries(previous, next).filter((entry) => entry.kind === "core.assistant");
  const display = fresh.map((entry) => answerData(entry).display).find((value) => value !== undefined);
  if (display?.reason === "failed") return `The answer failed: ${display.error ?? "no reason was given"}`;
  if (display?.reason === "stopped" || previous.turn?.stopping === true) return "Stopped.";
  return "Answer finished.";
}
