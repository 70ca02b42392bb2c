import type * as z from "zod";
import { definePlugin } from "../../host/index.ts";
import { defineTool, type ToolContext, type ToolResult } from "../../kernel/index.ts";
import { askHooks } from "./ask-hooks.ts";
import { type AskedQuestion, questionInput, questionsInput } from "./input.ts";
import type { Answer } from "./record.ts";
import { promptOfTask, QUESTIONS, shownCards } from "./state.ts";
import { answerMemo, takeAnswer } from "./take-answer.ts";
import { resultText } from "./texts.ts";

const HOW =
  "Waits for the answer. For what only the person can decide or know; what you can find out by yourself, find out.";

const askUser = defineTool({
  name: "ask_user",
  description: `Asks the person a question, with options to choose from or for an answer in words. ${HOW}`,
  input: questionInput,
  // It only reads what was answered, so running it again after a crash does no harm.
  replay: "safe",
  execute: (question, context) => tellAnswers([question], context),
});

const askQuestions = defineTool({
  name: "ask_questions",
  description: `Asks the person up to five questions on one card, answered together. ${HOW}`,
  input: questionsInput,
  replay: "safe",
  execute: ({ questions }, context) => tellAnswers(questions, context),
});

/** The call starts only once its answers are there: see the handlers. */
function tellAnswers(questions: readonly AskedQuestion[], context: ToolContext): Promise<ToolResult> {
  const record = promptOfTask(context.read(QUESTIONS), context.task);
  if (record?.status !== "answered") throw new Error("Bug: a question goes on without an answer");
  const answers = questions.map((_question, index) => context.recall(QUESTIONS, answerMemo(index)) as Answer | null);
  const isLate = record.task !== record.origin;
  return Promise.resolve({ text: resultText(questions, answers, { by: record.by.name, isLate }) });
}

/** Questions to the person, answered on a card. */
export const questionsPlugin = definePlugin({
  name: "questions",
  setup: () => ({
    tools: [askUser, askQuestions].map((tool) => ({ tool, tier: "member" })),
    namespaces: [QUESTIONS],
    hooks: [
      {
        namespace: QUESTIONS,
        hooks: askHooks(({ tool, input }) => {
          if (tool.name === askUser.name) return [input as z.output<typeof questionInput>];
          if (tool.name === askQuestions.name) return (input as z.output<typeof questionsInput>).questions;
          return undefined;
        }),
      },
    ],
    prompts: [
      {
        asks: (tool) => tool === askUser.name || tool === askQuestions.name,
        answer: takeAnswer,
        hasAsked: (read) => Object.keys(read.get(QUESTIONS).records).length > 0,
        cards: (read) => shownCards(read.get(QUESTIONS)),
      },
    ],
  }),
});
