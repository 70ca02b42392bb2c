import type { App } from "../../app/app.ts";

/**
 * Runs what says an earlier message anew, with the entry to go back to; where that is not possible now, says why.
 * @param entry the message that is said anew.
 */
export function goBackBefore(app: App, entry: number, run: (rewindTo: number) => void): void {
  const chat = app.chat.value;
  const reason = chat.transcript.whyNotBack.value;
  if (reason !== undefined) return app.notices.info(reason);
  const rewindTo = chat.before(entry);
  if (rewindTo === undefined) return app.notices.info("Earlier messages are still loading. Try again in a moment.");
  run(rewindTo);
}
