import * as z from "zod";
import { MAX_LABEL_UNITS, MAX_OPTIONS, MAX_QUESTION_UNITS, MAX_QUESTIONS } from "../../protocol/limits.ts";
import { unitsText } from "../../protocol/units.ts";

const trimmed = z.string().trim();

const option = z.strictObject({
  label: unitsText(MAX_LABEL_UNITS, 1, trimmed),
  description: unitsText(MAX_LABEL_UNITS, 0, trimmed).exactOptional(),
});

const options = z
  .array(option)
  .max(MAX_OPTIONS)
  .superRefine((offered, context) => {
    const labels = offered.map(({ label }) => label);
    const twice = labels.find((label, index) => labels.indexOf(label) !== index);
    if (twice === undefined) return;
    context.addIssue({ code: "custom", message: `The label ${JSON.stringify(twice)} is offered twice: rename one.` });
  });

/** What `ask_user` takes, and `ask_questions` several of. */
export const questionInput = z.strictObject({
  question: unitsText(MAX_QUESTION_UNITS, 1, trimmed),
  options: options.default([]).describe("What can be chosen. Without: the person writes the answer."),
  multi: z.boolean().default(false).describe("Several options may be chosen, or none."),
  allow_other: z.boolean().default(false).describe("The person may write an answer of their own instead of choosing."),
});

export const questionsInput = z.strictObject({
  questions: z.array(questionInput).min(1).max(MAX_QUESTIONS),
});

/** One question as the model put it. */
export type AskedQuestion = z.output<typeof questionInput>;
