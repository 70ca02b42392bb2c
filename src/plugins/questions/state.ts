import { defineNamespace, type HostTx } from "../../kernel/index.ts";
import { utf8Bytes } from "../../lib/bytes.ts";
import type { Json } from "../../lib/json.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import type { QuestionCard } from "../../protocol/questions.ts";
import { cardOf } from "./card.ts";
import type { OpenPrompt, PromptRecord } from "./record.ts";

/** Cards of one conversation that wait for an answer at a time. */
export const MAX_OPEN_PROMPTS = 20;
/** UTF-8 bytes of everything that is asked on cards which have no result yet, as stored. What answers add has its place beside. */
export const MAX_ASKED_BYTES = 160_000;
/** Cards with a result that are remembered, so that a late answer is told the truth. */
const MAX_SETTLED = 10;

/** The cards of one conversation. */
export type QuestionsState = {
  readonly records: { readonly [prompt: string]: PromptRecord };
  /** Cards whose call has its result, oldest first: not shown any more. */
  readonly settled: readonly string[];
};

/** The questions of a conversation. Clients see the cards. */
export const QUESTIONS = defineNamespace<QuestionsState>({
  name: "questions",
  // Sticky: what is open now, whatever the transcript is taken back to.
  sticky: { records: {}, settled: [] },
  view: (state) => ({ cards: shownCards(state) as unknown as Json }),
});

/** Cards that people see. */
export function shownCards(state: QuestionsState): readonly QuestionCard[] {
  return liveRecords(state).flatMap(cardOf);
}

/** Records whose call has no result yet: those that wait first. */
function liveRecords({ records, settled }: QuestionsState): readonly PromptRecord[] {
  const live = Object.values(records).filter(({ id }) => !settled.includes(id));
  return [...live.filter(({ status }) => status === "open"), ...live.filter(({ status }) => status !== "open")];
}

/** The card of a task whose call has no result yet. */
export function promptOfTask(state: QuestionsState, task: number): PromptRecord | undefined {
  return liveRecords(state).find((record) => record.task === task);
}

/** The card of a name that a client sent: only what was stored under it, never a member that every object has. */
export function promptNamed({ records }: QuestionsState, name: string): PromptRecord | undefined {
  return Object.hasOwn(records, name) ? records[name] : undefined;
}

/** The state with a card more, or the sentence that refuses it. */
export function withPrompt(state: QuestionsState, record: OpenPrompt): Result<Partial<QuestionsState>, string> {
  const live = liveRecords(state);
  const open = live.filter(({ status }) => status === "open").length;
  if (open >= MAX_OPEN_PROMPTS) {
    return err(
      `${open} questions wait for an answer here already, the limit is ${MAX_OPEN_PROMPTS}. This one was not put. Wait for answers before you ask more.`,
    );
  }
  const bytes = utf8Bytes(JSON.stringify([...live, record].map(({ questions }) => questions)));
  if (bytes > MAX_ASKED_BYTES) {
    return err(
      `With this, the questions that wait here have ${bytes} bytes together, the limit is ${MAX_ASKED_BYTES}. It was not put. Ask shorter, or wait for answers first.`,
    );
  }
  return ok({ records: { ...state.records, [record.id]: record } });
}

export function putPrompt(tx: HostTx, record: PromptRecord): void {
  const { records } = tx.get(QUESTIONS);
  tx.set(QUESTIONS, { records: { ...records, [record.id]: record } });
}

/** The call of a card has its result: who answered is kept for late answers, what was asked is not. */
export function settlePrompt(tx: HostTx, record: PromptRecord): void {
  const state = tx.get(QUESTIONS);
  const settled = [...state.settled, record.id];
  const gone = new Set(settled.splice(0, Math.max(0, settled.length - MAX_SETTLED)));
  const others = Object.entries(state.records).filter(([id]) => !gone.has(id));
  const emptied = record.status === "answered" ? { ...record, shown: [] } : record;
  tx.set(QUESTIONS, { records: Object.fromEntries([...others, [record.id, { ...emptied, questions: [] }]]), settled });
}
