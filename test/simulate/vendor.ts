import type { ModelRequest } from "../../src/kernel/index.ts";
import { type ScriptedAnswer, untilAborted } from "../kit/scripted-model.ts";
import type { VirtualClock } from "../kit/virtual-clock.ts";
import type { AnswerPlan } from "./script.ts";

/** A part of every vendor's answer that no client may ever see. */
const VENDOR_SECRET = "vendor-secret";

/** A turn that only ever calls would never end: every fifth answer is a text. */
const CALLS_BEFORE_TEXT = 4;

/** Words that make the vendor call tools, unless it fails. */
export function askFor(tools: readonly string[]): string {
  return tools.length === 0 ? "please" : `[calls ${tools.join()}]`;
}

/** True for a request of the kernel's own that asks for a summary. */
export function isSummaryRequest({ system }: ModelRequest): boolean {
  return system.startsWith("You summarise");
}

function askedFor({ messages }: ModelRequest): readonly string[] {
  const last = messages.at(-1);
  const text = last?.role === "user" ? JSON.stringify(last.content) : "";
  return /\[calls ([\w,]+)\]/.exec(text)?.[1]?.split(",") ?? [];
}

/** What the vendor does at its `nth` request. Each answer has a mark of its own. */
export function answerOf(request: ModelRequest, planned: AnswerPlan, nth: number, clock: VirtualClock): ScriptedAnswer {
  const asked = isSummaryRequest(request) ? [] : askedFor(request);
  const plan: AnswerPlan =
    planned.kind === "text" && asked.length > 0 ? { kind: "calls", names: asked, args: "{}", sameIds: false } : planned;
  const text = `${markOf("answer", nth)} and some more words`;
  switch (plan.kind) {
    case "text":
      return { text, thinking: "Hm.", native: { family: "test", blocks: [VENDOR_SECRET, nth] } };
    case "cut":
      return { text, isSilent: true };
    case "hang":
      return { text, between: untilAborted };
    case "deaf":
      return { text, isDeaf: true, between: () => new Promise(() => undefined) };
    case "empty":
      return {};
    case "length":
      return { text, stop: "length" };
    case "overflow":
      return { text, error: { kind: "context_overflow", retryable: false } };
    case "slow":
      return { text, pieces: 4, between: (signal) => clock.wait(clock.now() + plan.ms, signal) };
    case "error": {
      const { retryable, retryAfterMs } = plan;
      return { text, error: { retryable, ...(retryAfterMs !== undefined && { retryAfterMs }) } };
    }
    case "calls": {
      if (nth % (CALLS_BEFORE_TEXT + 1) === CALLS_BEFORE_TEXT) return { text };
      const { names, args, sameIds } = plan;
      return { text, calls: names.map((name) => ({ name, args, ...(sameIds && { id: "same" }) })) };
    }
  }
}

/** A word that nothing else says. */
export function markOf(kind: "answer" | "message" | "result" | "note" | "yield" | "remark", nth: number): string {
  return `<${kind}-${nth}>`;
}

/** All marks in a text. */
export function marksIn(text: string): readonly string[] {
  return text.match(/<[a-z]+-\d+>/g) ?? [];
}
