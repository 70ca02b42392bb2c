import { type AudienceQuestion, decideAudience, decidePress, type Presser } from "./audience.ts";

/** Whether a person's press on a card would count, by the facts of this moment. For lists: a press itself is decided anew. */
export function mayAnswer(question: Omit<AudienceQuestion, "approvers"> & CardAudience, presser: Presser): boolean {
  const approvers = question.approvers?.map((principalId) => ({ principalId, reachable: true })) ?? null;
  return decidePress(decideAudience({ ...question, approvers }), presser).kind === "allowed";
}

interface CardAudience {
  /** Named principals. Null: nobody is named. */
  readonly approvers: readonly string[] | null;
}
