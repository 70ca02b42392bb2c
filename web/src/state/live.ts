import type { LiveText, ServerFrame } from "../../../src/protocol/frames.ts";

/** Streaming text by task, attempt and channel, in order of arrival. Stands outside the view. */
export type Live = readonly LiveText[];

export type Delta = Extract<ServerFrame, { readonly type: "delta" }>;

export const NO_LIVE: Live = [];

/**
 * Adds a delta to the streaming text, so that a repeat adds nothing and an overlap only what is new.
 * @returns undefined when text before the delta is missing: the page must ask again.
 */
export function applyDelta(live: Live, delta: Delta): Live | undefined {
  const newest = newestAttempt(live, delta.task);
  if (newest !== undefined && delta.attempt < newest) return live;
  const current = newest !== undefined && delta.attempt > newest ? dropTask(live, delta.task) : live;
  const index = current.findIndex((item) => item.task === delta.task && item.channel === delta.channel);
  // A line of progress is replaced, not continued.
  const known = delta.channel === "progress" && delta.offset === 0 ? "" : (current[index]?.text ?? "");
  if (delta.offset > known.length) return undefined;
  const fresh = delta.text.slice(known.length - delta.offset);
  if (fresh === "" || current[index]?.text === known + fresh) return current;
  const grown: LiveText = {
    task: delta.task,
    attempt: delta.attempt,
    channel: delta.channel,
    text: known + fresh,
  };
  return index < 0 ? [...current, grown] : current.with(index, grown);
}

/** Forgets everything a task streamed: its answer is committed, or its attempt came to nothing. */
export function dropTask(live: Live, task: number): Live {
  return live.some((item) => item.task === task) ? live.filter((item) => item.task !== task) : live;
}

/** The text of one channel of a task, "" when there is none. */
export function liveText(live: Live, task: number, channel: LiveText["channel"]): string {
  return live.find((item) => item.task === task && item.channel === channel)?.text ?? "";
}

function newestAttempt(live: Live, task: number): number | undefined {
  return live.find((item) => item.task === task)?.attempt;
}
