import {
  hasNobodyToAsk,
  holdDeadline,
  isOverdue,
  remindOfPrompt,
  requestMirror,
  visibilityOf,
} from "../../host/index.ts";
import { type BeforeTool, type BeforeToolApi, CallRefused, type Hooks, type PendingCall } from "../../kernel/index.ts";
import { decidePrompt, isGraceOver, nextAttention } from "./decide-prompt.ts";
import type { AskedQuestion } from "./input.ts";
import type { OpenPrompt } from "./record.ts";
import { promptOfTask, putPrompt, QUESTIONS, settlePrompt, withPrompt } from "./state.ts";
import { EXPIRED_TEXT, NOBODY_TEXT, PENDING_TEXT } from "./texts.ts";

/** Parks each call that asks until its answer is there. @param questionsOf what a call asks; undefined: nothing. */
export function askHooks(
  questionsOf: (call: Pick<PendingCall, "tool" | "input">) => readonly AskedQuestion[] | undefined,
): Hooks {
  return {
    beforeTool(call, api) {
      const questions = questionsOf(call);
      return Promise.resolve(questions === undefined ? { kind: "pass" } : decideCall(call, questions, api));
    },
    detached(tx, { from, to }) {
      const record = promptOfTask(tx.get(QUESTIONS), from);
      if (!record) return;
      // One that is overdue ends here instead; the task that lives on must find it, or it would ask anew.
      const { next } = decidePrompt(record, { kind: "release", task: to }, tx.now);
      putPrompt(tx, { ...next, task: to });
    },
    settled(tx, { task, code }) {
      const record = promptOfTask(tx.get(QUESTIONS), task);
      if (!record) return;
      // A call that ends while its card is open expired or was stopped: the card must not stay answerable.
      const kind = code === "expired" ? "expire" : "cancel";
      settlePrompt(tx, decidePrompt(record, { kind }, tx.now).next);
      if (record.status === "open") requestMirror(tx);
    },
  };
}

/** Runs again after each wake, each restart, at the reminder and at the deadline: so it decides by what is stored. */
function decideCall(call: PendingCall, questions: readonly AskedQuestion[], api: BeforeToolApi): BeforeTool {
  if (hasNobodyToAsk(api.read)) return { kind: "block", code: "nobody_to_ask", text: NOBODY_TEXT };
  const record = promptOfTask(api.read.get(QUESTIONS), call.task);
  const now = api.now();
  if (!record) return put(call, questions, api);
  if (record.status === "answered") return { kind: "pass" };
  if (record.status !== "open" || isOverdue(record.deadline, now)) {
    return { kind: "block", code: "expired", text: EXPIRED_TEXT };
  }
  return waitOn(record, api);
}

function put({ task, actor }: PendingCall, questions: readonly AskedQuestion[], api: BeforeToolApi): BeforeTool {
  const askedAt = api.now();
  const deadline = holdDeadline(askedAt, undefined);
  const record: OpenPrompt = {
    status: "open",
    id: `q${task}`,
    task,
    origin: task,
    speaker: actor,
    askedAt,
    deadline,
    questions,
    remindedAt: null,
  };
  return {
    kind: "park",
    deadline: nextAttention(record, visibilityOf(api.read), askedAt),
    pendingText: PENDING_TEXT,
    // In the commit that parks the call: asking and waiting cannot be told apart by a crash.
    onParked(tx) {
      const state = tx.get(QUESTIONS);
      if (promptOfTask(state, task)) return "again";
      const added = withPrompt(state, record);
      if (!added.ok) throw new CallRefused("too_many_questions", added.error);
      tx.set(QUESTIONS, added.value);
      return undefined;
    },
  };
}

/** Waits on for the answer; an hour before the deadline the card reminds, once. */
function waitOn(record: OpenPrompt, api: BeforeToolApi): BeforeTool {
  const now = api.now();
  const visibility = visibilityOf(api.read);
  const reminded = decidePrompt(record, { kind: "remind" }, now);
  const next = reminded.next.status === "open" ? reminded.next : record;
  return {
    kind: "park",
    deadline: nextAttention(next, visibility, now),
    pendingText: PENDING_TEXT,
    leaves: isGraceOver(record, visibility, now),
    onParked(tx, task) {
      // Answered since this handler looked: look again instead of waiting for what has come already.
      if (promptOfTask(tx.get(QUESTIONS), task)?.status !== "open") return "again";
      if (reminded.outcome !== "done") return undefined;
      putPrompt(tx, next);
      tx.emit(QUESTIONS, "reminder", { prompt: record.id });
      remindOfPrompt(tx, api.read, record);
      return undefined;
    },
  };
}
