import { defineNamespace } from "../../kernel/index.ts";
import { err, ok, type Result } from "../../lib/result.ts";

/** Requests that one conversation may send again within an hour: each costs money and answers nobody's message. */
export const MAX_REPLAYS_PER_HOUR = 20;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** When requests were sent again lately, oldest first; ms. */
export const REPLAYS = defineNamespace<{ readonly at: readonly number[] }>({ name: "replays", sticky: { at: [] } });

/** The times with one more, or why not, and after how many seconds. */
export function withReplay(
  at: readonly number[],
  now: number,
): Result<readonly number[], { readonly message: string; readonly retryAfterS: number }> {
  const recent = at.filter((time) => now - time < HOUR_MS);
  const [first = now] = recent;
  if (recent.length < MAX_REPLAYS_PER_HOUR) return ok([...recent, now]);
  const left = first + HOUR_MS - now;
  const minutes = Math.ceil(left / MINUTE_MS);
  return err({
    message: `${MAX_REPLAYS_PER_HOUR} requests were sent again within an hour, the limit: try again in ${minutes} minutes.`,
    retryAfterS: Math.ceil(left / 1_000),
  });
}
