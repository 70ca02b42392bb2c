import { type Control, tasksOf } from "./control.ts";
import { dueOf } from "./task.ts";

/**
 * When the object must be awake next by itself: the earliest of runnable, sleeping and deadline-bound tasks and
 * undelivered rows. 0 means now, null never. Tasks whose kind's code is missing are blocked: nothing wakes for them.
 * @param after leaves out what is due until then: it is under way, or waits for what is.
 */
export function nextDue(control: Control, isKnownKind: (kind: string) => boolean, after = -1): number | null {
  let due: number | null = null;
  const consider = (at: number | undefined) => {
    if (at !== undefined && at > after && (due === null || at < due)) due = at;
  };
  for (const task of tasksOf(control)) if (isKnownKind(task.kind) || task.aborting) consider(dueOf(task));
  for (const item of control.outbox) consider(item.due);
  return due;
}

/** What to do with the one alarm. */
export type AlarmChange =
  | { readonly kind: "keep" }
  | { readonly kind: "set"; readonly at: number }
  | { readonly kind: "delete" };

/** What is known about the alarm. */
export interface AlarmState {
  /** Armed for this time, null: not armed. */
  readonly at: number | null;
  /** An alarm handler is under way and will fire again if the process dies. */
  readonly covering: boolean;
}

/** What becomes due this soon is waited for in the running loop; anything later is the alarm's. Milliseconds. */
export const LINGER_MS = 3_000;

/**
 * Keeps invariant W-1 with the fewest changes: an armed alarm that fires earlier than needed is left alone, work that the
 * running loop waits for needs nothing while a handler covers it, and an alarm about to fire is never deleted.
 */
export function decideAlarm(due: number | null, alarm: AlarmState, now: number): AlarmChange {
  if (due === null) return alarm.at !== null && alarm.at > now ? { kind: "delete" } : { kind: "keep" };
  const at = Math.max(due, now);
  if (alarm.at !== null && alarm.at <= at) return { kind: "keep" };
  if (alarm.covering && at <= now + LINGER_MS) return { kind: "keep" };
  return { kind: "set", at };
}
