import { unreachable } from "../../lib/assert.ts";
import type { ToolMessage } from "../../protocol/message.ts";
import { textOf } from "./history.ts";

export type Outcome =
  | "ok"
  | "error"
  | "declined"
  | "pending"
  | "asked"
  | "unanswered"
  | "expired"
  | "stopped"
  | "changed"
  | "refused"
  | "unknown"
  | "missing";

/**
 * What the host's own sentences mean. They stand at the beginning of a part, so that a tool's words, which come after
 * its own first line, cannot pass for them. The first that fits counts.
 */
const SENTENCES: ReadonlyArray<readonly [RegExp, Outcome]> = [
  [/^No result was recorded/i, "missing"],
  [/^(?:.{0,200}\. )?(?:The outcome of this call is unknown|Outcome unknown)\b/i, "unknown"],
  [/^(?:".{0,300}"|.{0,100}) declined this call of /i, "declined"],
  [/^Calls of \S{1,64} were declined/i, "declined"],
  [/^(?:This call of \S{1,64} waits for approval|No card can be shown here, so this call of )/i, "pending"],
  [/^The question was put and waits/i, "asked"],
  [/^Nobody answered before the deadline/i, "unanswered"],
  [/^(?:Nobody decided about|The deadline of) this call of /i, "expired"],
  [/^This call of \S{1,64} was (?:stopped|withdrawn)/i, "stopped"],
  [/^The person was asked to confirm this call of /i, "stopped"],
  [/^(?:The person stopped the turn before|Stopped before anything was sent)/i, "stopped"],
  [/^What this call of \S{1,64} would run has changed/i, "changed"],
  [
    /^(?:Nobody can be asked|No card can be shown here, and|Nobody sits in this conversation|\d+ questions wait for an answer|With this, the questions|The operator's rules forbid|The approval of this call|\d+ calls wait for a decision)/i,
    "refused",
  ],
];

/** Told to a model, not to a person. */
const INSTRUCTIONS =
  /\s(?:Do not |End your turn|Say so|Say that|Call it again|Call again|Ask again|Ask for decisions|Tell the person|It runs by itself|ask what to do|ask in your reply).*$/s;

export function readOutcome(result: ToolMessage | undefined): Outcome {
  if (result === undefined) return "missing";
  if (!result.isError) return "ok";
  const parts = result.content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  for (const [sentence, outcome] of SENTENCES) if (parts.some((part) => sentence.test(part))) return outcome;
  return "error";
}

/** What a result says to a person: without the sentences that tell a model what to do. */
export function plainWords(result: ToolMessage | undefined): string {
  if (result === undefined) return "";
  const text = textOf(result).trim();
  return result.isError ? text.replace(INSTRUCTIONS, "") : text;
}

/** What an outcome means, in one sentence that begins with what was asked for. */
export function describeOutcome(outcome: Exclude<Outcome, "ok">, what: string, words: string): string {
  switch (outcome) {
    case "error":
      return `${what} failed: ${words}`;
    case "declined":
      return `${what} was declined, so it did not run. I will not try it again on my own. What I was told: ${words}`;
    case "pending":
      return `${what} waits for approval and has not run. It runs by itself once somebody approves its card, and I will say what came of it.`;
    case "asked":
      return `${what} waits for your answer on its card, whenever you like. I go on meanwhile.`;
    case "unanswered":
      return `${what} got no answer in time, so I go on without one.`;
    case "expired":
      return `${what} expired: nobody decided in time, so it did not run. Ask again if you still want it.`;
    case "stopped":
      return `${what} was stopped before it finished.`;
    case "changed":
      return `${what} did not run: what it would have done changed after it was shown. Ask again for a fresh card.`;
    case "refused":
      return `${what} did not run: ${words}`;
    case "unknown":
      return `${what} has an unknown outcome: it may or may not have happened. I will not repeat it on my own. Check it, or tell me to try again. What I was told: ${words}`;
    case "missing":
      return `${what} has no recorded result, so I do not know whether it happened.`;
    default:
      return unreachable(outcome);
  }
}
