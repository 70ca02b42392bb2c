import type { View, ViewEntry } from "../../../src/protocol/view.ts";
import type { Choices } from "./cards.ts";
import { answerData } from "./rows.ts";
import { WAITING_NAMES, waitingIn } from "./waiting.ts";

/** What a screen reader hears when one view follows another: start, end, failure. Never tokens, never history. */
export function announce(previous: View | undefined, next: View): readonly string[] {
  return previous === undefined ? [] : [...announceTurn(previous, next), ...announceSummary(previous, next)];
}

/**
 * What a screen reader hears of the cards that wait: once for whom each waits. One that the server has not spoken of yet is
 * not announced yet. @param heard what was said already, as the last call gave it.
 */
export function announceCards(
  heard: ReadonlySet<string>,
  view: View,
  choices: Choices,
): { readonly words: readonly string[]; readonly heard: ReadonlySet<string> } {
  const all = waitingIn(view).flatMap(({ id, kind, words }) => {
    const told = choices.get(id);
    if (kind === "question" || told?.may.includes("approve")) return [`${id} ${WAITING_NAMES[kind]}: ${words}`];
    return told === undefined ? [] : [`${id} Waits for somebody else: ${words}. ${told.why ?? ""}`];
  });
  const words = all.filter((one) => !heard.has(one)).map((one) => one.slice(one.indexOf(" ") + 1));
  return { words, heard: new Set(all) };
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
