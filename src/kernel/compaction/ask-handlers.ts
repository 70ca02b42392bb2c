import { deriveMessages } from "../context/derive.ts";
import { MAX_REASON_UNITS } from "../limits.ts";
import type { BeforeCompaction } from "../registry/hooks.ts";
import type { Run } from "../registry/task-kind.ts";
import type { Services } from "../run/services.ts";
import { compactionOf } from "../state/compaction.ts";
import type { Entry } from "../storage/entries.ts";
import { runHooks } from "../turn/hook-chain.ts";
import { judgeText } from "./judge.ts";
import { summaryTokens } from "./place.ts";
import { MAX_INSTRUCTION_UNITS } from "./prompt.ts";

/** What the first handler that decides anything decides. One whose decision cannot be used is reported and passed over. */
export async function askHandlers(
  services: Services,
  run: Run,
  entries: readonly Entry[],
  summaryBytes: number,
): Promise<BeforeCompaction | undefined> {
  const { reason, cut } = compactionOf(run.task());
  const pending = { task: run.id, reason, through: cut.through, signal: run.signal };
  let found: BeforeCompaction | undefined;
  await runHooks(services, services.registry.snapshot(), "beforeCompaction", {
    signal: run.signal,
    call: (hooks) => hooks.beforeCompaction?.({ ...pending, messages: structuredClone(deriveMessages(entries)) }),
    take(decision) {
      if (!decision) return undefined;
      requireUsable(decision, summaryBytes, cut.tokens);
      found = decision;
      return "enough";
    },
  });
  return found;
}

/** @throws when the decision cannot be used. */
function requireUsable(decision: BeforeCompaction, summaryBytes: number, tokens: number): void {
  switch (decision.kind) {
    case "decline":
      return requireText(decision.reason, MAX_REASON_UNITS);
    case "instructions":
      return requireText(decision.text, MAX_INSTRUCTION_UNITS);
    case "summary": {
      requireText(decision.text, Number.POSITIVE_INFINITY);
      const judged = judgeText(decision.text, summaryBytes);
      if ("complaint" in judged) throw new Error(`its summary cannot be used: ${judged.complaint}`);
      if (summaryTokens(judged.text) < tokens) return;
      throw new Error("its summary is not shorter than what it stands for");
    }
    default:
      throw new Error(`it decided ${JSON.stringify(decision)}`);
  }
}

/** Handlers are code of others, which a cast may have made say anything. */
function requireText(text: unknown, most: number): void {
  if (typeof text !== "string") throw new Error(`it gave ${JSON.stringify(text)} instead of a text`);
  if (text.length > most) throw new Error(`its text has ${text.length} characters, the limit is ${most}: say less`);
}
