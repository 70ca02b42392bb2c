import { unreachable } from "../../../src/lib/assert.ts";
import { cutText } from "../../../src/lib/cut.ts";
import type { ToolOutcome, ToolResultData } from "../../../src/protocol/view.ts";
import { asks } from "./questions.ts";
import { type Call, textOf } from "./rows.ts";

/** How a tool row looks and what it says. `tone` picks icon and colour; `words` stand beside the name. */
export interface ToolState {
  readonly tone: "pending" | "waiting" | "running" | "ok" | "error" | "stopped" | "unknown";
  readonly words: string;
  /** Set when it took a measured time. */
  readonly ms?: number;
  /** Set while it runs: when it began, in ms since 1970. */
  readonly since?: number;
}

/** What is true of a call now: its result, else its task, else that nothing is known of it. */
export function describeTool(call: Call): ToolState {
  if (call.result !== undefined) {
    const data = call.result.data as unknown as Partial<ToolResultData>;
    const words = asks(call.name) ? QUESTION_WORDS[data.code ?? ""] : undefined;
    return { ...describeResult(data), ...(words !== undefined && { words }) };
  }
  const { tool } = call;
  if (tool === undefined) return { tone: "pending", words: "not started" };
  switch (tool.status) {
    case "pending":
      return { tone: "pending", words: "about to start" };
    case "waiting":
      return { tone: "waiting", words: WAITING_WORDS[tool.waitingOn ?? ""] ?? "waiting" };
    case "running":
      return {
        tone: "running",
        words: "running",
        ...(tool.startedAt === undefined ? {} : { since: tool.startedAt }),
      };
    case "done":
      return describeOutcome(tool.outcome ?? "ok", undefined);
    default:
      return unreachable(tool.status);
  }
}

function describeResult(data: Partial<ToolResultData>): ToolState {
  const state = describeOutcome(data.outcome ?? "ok", data.code);
  const isDeclined = data.code === "declined" && data.decidedBy !== undefined;
  const words = isDeclined
    ? `declined by ${data.decidedBy}`
    : [state.words, approvalWords(data)].filter(Boolean).join(", ");
  return { ...state, words, ...(data.ms === undefined ? {} : { ms: data.ms }) };
}

function approvalWords(data: Partial<ToolResultData>): string {
  const ran = data.outcome !== "blocked" && data.outcome !== "pending";
  return data.decidedBy !== undefined && ran ? `approved by ${data.decidedBy}` : "";
}

function describeOutcome(outcome: ToolOutcome, code: string | undefined): ToolState {
  switch (outcome) {
    case "ok":
      return { tone: "ok", words: "" };
    case "error":
      return { tone: "error", words: ERROR_WORDS[code ?? ""] ?? "failed" };
    case "blocked":
      return { tone: "stopped", words: BLOCKED_WORDS[code ?? ""] ?? "not allowed, it did not run" };
    case "stopped":
      return { tone: "stopped", words: "stopped before it ran" };
    case "unknown":
      return { tone: "unknown", words: "outcome unknown" };
    case "pending":
      return { tone: "waiting", words: "still waiting for a decision" };
    default:
      return unreachable(outcome);
  }
}

/** By the namespace that a call waits on. */
const WAITING_WORDS: Readonly<Record<string, string>> = {
  holds: "waiting for a decision",
  questions: "waiting for an answer",
};

/** Of a call that asks a person, by its code. */
const QUESTION_WORDS: Readonly<Record<string, string>> = {
  pending: "still waiting for an answer",
  expired: "nobody answered",
  stopped: "stopped before it was answered",
  nobody_to_ask: "nobody to ask",
  too_many_questions: "too many questions wait",
};

const ERROR_WORDS: Readonly<Record<string, string>> = {
  invalid_arguments: "failed: its input did not fit",
  missing_tool: "failed: there is no such tool",
  unknown_outcome: "outcome unknown",
  timeout: "failed: it took too long",
};

const BLOCKED_WORDS: Readonly<Record<string, string>> = {
  declined: "declined",
  expired: "expired, it did not run",
  unavailable: "nobody could approve it",
  cancelled: "cancelled, it did not run",
  changed: "changed since it was shown, it did not run",
  pending: "still waiting for a decision",
};

/** A sentence for an outcome that needs more than a word. */
export function explainTool(call: Call): string | undefined {
  const data = call.result?.data as Partial<ToolResultData> | undefined;
  if (data?.outcome === "unknown" || data?.code === "unknown_outcome") {
    return "It had started when the connection to it was lost. It may or may not have taken effect, so it was not run again. Check before you retry.";
  }
  // What the person said belongs to the conversation: it is read without opening the row.
  if (data?.outcome === "ok" && call.result !== undefined && asks(call.name)) return textOf(call.result);
  return undefined;
}

/** A tool's input for reading: indented JSON, or the raw text when it is not JSON. */
export function prettyArgs(args: string): string {
  try {
    return JSON.stringify(JSON.parse(args), null, 2);
  } catch {
    return args;
  }
}

const PREVIEW_UNITS = 80;

/** A tool's input in a few words, for its closed row: the values without their names. */
export function previewArgs(args: string): string {
  let value: unknown;
  try {
    value = JSON.parse(args);
  } catch {
    return cutText(args, PREVIEW_UNITS);
  }
  if (typeof value !== "object" || value === null) return cutText(String(value), PREVIEW_UNITS);
  const words = Object.values(value).map((item: unknown) => (typeof item === "string" ? item : JSON.stringify(item)));
  return cutText(words.join(", ").replace(/\s+/g, " "), PREVIEW_UNITS);
}
