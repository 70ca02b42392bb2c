import type { CompactionReason, CompactionView, SummaryData } from "../../../src/protocol/view.ts";
import { type MockConversation, toJson } from "./conversation.ts";

const PARTS = 3;
/** Long enough that each part can be seen. */
const STEP_MS = 600;

const SUMMARY = "The person asked for several things and got **short answers**.\n\n- Nothing is open.";

/** Makes a summary, part by part. `pause` throws when it is stopped: then nothing is placed. */
export async function summarise(
  c: MockConversation,
  task: number,
  reason: CompactionReason,
  pause: (ms: number) => Promise<void>,
): Promise<void> {
  const through = c.active.at(-1)?.id ?? 0;
  const start: CompactionView = {
    task,
    reason,
    stage: "preparing",
    attempt: 1,
    part: 1,
    parts: PARTS,
    stopping: false,
  };
  c.commit(["s", ["compaction"], toJson(start)]);
  await pause(STEP_MS);
  for (let part = 1; part <= PARTS; part++) {
    c.commit(["s", ["compaction", "stage"], "summarizing"], ["s", ["compaction", "part"], part]);
    await pause(STEP_MS);
  }
  const usage = { input: 12_300, output: 900, cachedRead: 0, cachedWrite: 0, costMicros: 1_800 };
  const data: SummaryData = {
    reason,
    through,
    tokensBefore: 12_300,
    tokensAfter: 900,
    model: c.chat.model,
    usage,
  };
  const message = { role: "user" as const, content: [{ type: "text" as const, text: SUMMARY }] };
  const place = c.append({ kind: "core.summary", task, message, data: toJson(data) });
  c.commit(...place, c.spend(usage), ["s", ["compaction"], null]);
}
