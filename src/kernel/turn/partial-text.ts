import type { Services } from "../run/services.ts";
import type { Task } from "../state/task.ts";
import { readSlot } from "../storage/slots.ts";
import { checkpointOf } from "./generation-checkpoint.ts";

/** What is kept of a request's text while it streams. */
export interface SavedText {
  /** The turn's count of requests. */
  readonly request: number;
  readonly text: string;
}

/** What the last request has streamed so far, or as much of it as was saved before a crash. */
export function partialText(services: Services, task: Task): string {
  const streamed = services.live.textOf(task.id, "text");
  if (streamed !== "") return streamed;
  const { phase, pinned, requests } = checkpointOf(task);
  // Once answered, the text is an entry; what was saved of it must not come again.
  if (phase === "tools" || pinned === null) return "";
  const saved = readSlot(services.ports.storage, task.id) as SavedText | undefined;
  return saved?.request === requests ? saved.text : "";
}
