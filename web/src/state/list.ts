import type { ConversationSummary } from "../../../src/protocol/rest.ts";
import type { View } from "../../../src/protocol/view.ts";
import { chatOf } from "./cards.ts";
import { answerData } from "./rows.ts";
import { waitingIn } from "./waiting.ts";

/** Joins a page to the list: newest activity first, each conversation once, the fresher row wins. */
export function mergeList(
  known: readonly ConversationSummary[],
  page: readonly ConversationSummary[],
): readonly ConversationSummary[] {
  const byId = new Map(known.map((item) => [item.id, item]));
  for (const item of page) byId.set(item.id, item);
  return [...byId.values()].sort((a, b) => b.updatedAt - a.updatedAt || (a.id < b.id ? 1 : -1));
}

/** Takes in the newest page read again: what it should hold and does not is gone; older rows stay as they were read. */
export function refreshList(
  known: readonly ConversationSummary[],
  page: readonly ConversationSummary[],
  isWholeList: boolean,
): readonly ConversationSummary[] {
  const oldest = page.at(-1)?.updatedAt ?? 0;
  const older = isWholeList ? [] : known.filter((item) => item.updatedAt < oldest);
  return mergeList(older, page);
}

/** The row of the open conversation, as its own view says it now: the list itself is only read now and then. */
export function overlayOpen(summary: ConversationSummary, view: View | undefined): ConversationSummary {
  if (view === undefined) return summary;
  return {
    ...summary,
    title: chatOf(view).title ?? summary.title,
    state: stateOf(view),
    usage: view.usage,
    updatedAt: Math.max(summary.updatedAt, view.entries.at(-1)?.at ?? 0),
  };
}

/** Where a conversation stands. */
export function stateOf(view: View): ConversationSummary["state"] {
  if (waitingIn(view).length > 0) return "waiting";
  if (view.turn !== null) return "running";
  const last = view.entries.findLast((entry) => entry.kind === "core.assistant" || entry.kind === "core.user");
  return last !== undefined && answerData(last).display?.reason === "failed" ? "failed" : "idle";
}
