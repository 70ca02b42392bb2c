import { type AnswerRefused, type PromptAnswer, type PromptConversation, requestMirror } from "../../host/index.ts";
import { canonicalJson } from "../../lib/canonical.ts";
import type { Json } from "../../lib/json.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import { sha256Hex } from "../../lib/sha256.ts";
import { decidePrompt } from "./decide-prompt.ts";
import { readAnswers } from "./read-answers.ts";
import { promptNamed, putPrompt, QUESTIONS } from "./state.ts";
import { lateText } from "./texts.ts";

/** Name of the memo that holds the answer to a question, beside the call. */
export function answerMemo(index: number): string {
  return `answer.${index}`;
}

/** Takes a person's answers: who may, whether they fit, and who was first. One commit; the parked call goes on from there. */
export function takeAnswer(
  conversation: PromptConversation,
  { prompt, answers: given, by, refusalFor }: PromptAnswer,
): Result<Record<string, never>, AnswerRefused> | undefined {
  const seen = promptNamed(conversation.read().get(QUESTIONS), prompt);
  if (!seen) return undefined;
  const refusal = refusalFor(seen.speaker);
  if (refusal !== undefined) return err({ code: "forbidden", message: refusal });
  return conversation.commit<Result<Record<string, never>, AnswerRefused> | undefined>((tx) => {
    const record = promptNamed(tx.get(QUESTIONS), prompt);
    if (!record) return undefined;
    const read = record.status === "open" ? readAnswers(record.questions, given) : ok([]);
    if (!read.ok) return err({ code: "bad_request", message: read.error });
    const { principalId, name } = by;
    const print = sha256Hex(canonicalJson(given as unknown as Json));
    const command = { kind: "answer", by: { principalId, name }, answers: read.value, print } as const;
    const { next, outcome } = decidePrompt(record, command, tx.now);
    if (next !== record) {
      putPrompt(tx, next);
      if (next.status === "answered") {
        for (const [index, answer] of read.value.entries()) tx.memo(QUESTIONS, record.task, answerMemo(index), answer);
        tx.emit(QUESTIONS, "answered", { prompt, by: principalId });
      }
      tx.wake(record.task);
      requestMirror(tx);
    }
    if (outcome !== "lost" || next.status === "open") return ok({});
    return err({ code: next.status === "expired" ? "expired" : "already_decided", message: lateText(next) });
  });
}
