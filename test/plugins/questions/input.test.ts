import { describe, expect, it } from "vitest";
import { questionsPlugin } from "../../../src/plugins/questions/plugin.ts";
import { toolOf } from "../kit/tool-context.ts";

const askUser = toolOf(questionsPlugin, "ask_user");
const askQuestions = toolOf(questionsPlugin, "ask_questions");
const isTaken = (input: object) => askUser.validate(input as never).ok;
const options = (count: number) => Array.from({ length: count }, (_, i) => ({ label: `option ${i}` }));
const question = (part: object = {}) => ({ question: "Which?", ...part });

describe("what may be asked", () => {
  const limits: readonly (readonly [string, (n: number) => object, number])[] = [
    ["question", (n) => question({ question: "x".repeat(n) }), 1_500],
    ["question in surrogate pairs", (n) => question({ question: "x".repeat(n % 2) + "😀".repeat(n >> 1) }), 1_500],
    ["number of options", (n) => question({ options: options(n) }), 25],
    ["label", (n) => question({ options: [{ label: "x".repeat(n) }] }), 100],
    ["description", (n) => question({ options: [{ label: "a", description: "x".repeat(n) }] }), 100],
  ];
  it.each(limits)("[N-1] %s: n is taken, n + 1 is not", (_what, at, n) => {
    expect([isTaken(at(n)), isTaken(at(n + 1))]).toEqual([true, false]);
  });

  it("[N-1] neither question nor label may be blank, and blanks around them do not count", () => {
    for (const bad of [question({ question: " " }), question({ options: [{ label: " " }] }), {}]) {
      expect(isTaken(bad)).toBe(false);
    }
    expect(askUser.validate({ question: ` ${"x".repeat(1_500)} ` })).toEqual({
      ok: true,
      value: { question: "x".repeat(1_500), options: [], multi: false, allow_other: false },
    });
  });

  it("[N-1] a key that there is not is refused by name", () => {
    expect(askUser.validate(question({ choices: ["a"] }))).toMatchObject({
      ok: false,
      error: expect.stringContaining("choices"),
    });
  });

  it("[N-2] one to five questions stand on one card", () => {
    const taken = [0, 1, 5, 6].map((count) => {
      return askQuestions.validate({ questions: Array.from({ length: count }, () => question()) }).ok;
    });
    expect(taken).toEqual([false, true, true, false]);
  });

  it("[N-3] a label that is offered twice is refused by name, blanks around it or not", () => {
    const twice = question({ options: [{ label: "Red" }, { label: "Blue" }, { label: " Red" }] });
    const refusal = 'The label "Red" is offered twice: rename one.';
    expect(askUser.validate(twice)).toMatchObject({ error: expect.stringContaining(refusal) });
    expect(askQuestions.validate({ questions: [question(), twice] })).toMatchObject({
      error: expect.stringContaining(refusal),
    });
    expect(isTaken(question({ options: [{ label: "Red" }, { label: "red" }] }))).toBe(true);
  });
});
