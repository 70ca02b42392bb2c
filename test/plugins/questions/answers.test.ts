import { describe, expect, it } from "vitest";
import type { AskedQuestion } from "../../../src/plugins/questions/input.ts";
import { MAX_OWN_BYTES, readAnswers } from "../../../src/plugins/questions/read-answers.ts";
import { EXPIRED_TEXT, resultText } from "../../../src/plugins/questions/texts.ts";
import type { GivenAnswer } from "../../../src/protocol/frames.ts";

const question = (part: Partial<AskedQuestion> = {}): AskedQuestion => ({
  question: "Which colour?",
  options: [{ label: "Red" }, { label: "Blue\u200b", description: "with a catch" }, { label: "Green" }],
  multi: false,
  allow_other: false,
  ...part,
});
const one = question();
const many = question({ multi: true });
const other = question({ allow_other: true });
const manyOther = question({ multi: true, allow_other: true });
const free = question({ options: [] });

const read = (asked: AskedQuestion, given: GivenAnswer) => readAnswers([asked], [given]);
const told = (asked: AskedQuestion, given: GivenAnswer, isLate = false) => {
  const answers = read(asked, given);
  if (!answers.ok) throw new Error(answers.error);
  return resultText([asked], answers.value, { by: "Anna", isLate });
};

describe("what counts as an answer", () => {
  const table: readonly (readonly [string, AskedQuestion, GivenAnswer, string | undefined])[] = [
    ["one of one", one, { choices: ["Red"] }, undefined],
    ["a label as the card shows it", one, { choices: ["Blue\\u{200b}"] }, undefined],
    ["none of one", one, {}, "Choose one of what is offered."],
    ["none of one, in words that are blank", one, { text: " \n" }, "Choose one of what is offered."],
    ["two of one", one, { choices: ["Red", "Green"] }, "This question takes one answer, not 2."],
    ["a label as the model wrote it", one, { choices: ["Blue\u200b"] }, "is not offered. Choose one of what"],
    ["what is not offered", one, { choices: ["Purple rain"] }, '"Purple rain" is not offered. Choose one'],
    ["another case", one, { choices: ["red"] }, 'Did you mean "Red"?'],
    ["the same twice", many, { choices: ["Red", "Red"] }, '"Red" is chosen twice.'],
    ["words where none are taken", one, { text: "Red" }, "not words of your own"],
    ["words beside a choice where none are taken", many, { choices: ["Red"], text: "x" }, "not words of your own"],
    ["none of many", many, {}, undefined],
    ["all of many", many, { choices: ["Green", "Red", "Blue\\u{200b}"] }, undefined],
    ["words instead of one", other, { text: "Mauve" }, undefined],
    ["words beside one", other, { choices: ["Red"], text: "Mauve" }, "This question takes one answer, not 2."],
    ["neither", other, {}, "or write an answer."],
    ["words beside many", manyOther, { choices: ["Red"], text: "Mauve" }, undefined],
    ["free text", free, { text: "Because." }, undefined],
    ["blank free text", free, { text: "  " }, "Write an answer."],
    ["no free text", free, {}, "Write an answer."],
    ["a choice where nothing is offered", free, { choices: ["Red"], text: "x" }, "offers nothing to choose"],
    ["no answer to one", one, null, undefined],
    ["no answer to free text", free, null, undefined],
  ];
  it.each(table)("[N-11] [N-12] %s", (_what, asked, given, fault) => {
    const answers = read(asked, given);
    if (fault === undefined) expect(answers.ok).toBe(true);
    else expect(answers).toEqual({ ok: false, error: expect.stringContaining(fault) });
  });

  it("[N-11] own words of 4,000 characters are taken, one more is not", () => {
    const at = (units: number) => read(free, { text: "x".repeat(units) });
    expect([at(4_000).ok, at(4_001)]).toEqual([
      true,
      { ok: false, error: "Your words have 4001 characters; the limit is 4000. Shorten them." },
    ]);
  });

  it("[N-13] own words may fill 15,000 bytes as JSON, not one more", () => {
    // A control character takes six bytes, the quotes two.
    const filling = "\u0001".repeat(2_499);
    const at = (more: string) => read(free, { text: `x${filling}${more}` });
    expect(JSON.stringify(`x${filling}xxx`)).toHaveLength(MAX_OWN_BYTES);
    expect(at("xxx").ok).toBe(true);
    expect(at("xxxx")).toMatchObject({ error: expect.stringContaining("take 15001 bytes, the limit is 15000") });
    expect(read(free, { text: "漢".repeat(4_000) }).ok).toBe(true);
  });

  it("[N-12] a card takes as many answers as it has questions, and a fault names its question", () => {
    expect(readAnswers([one, free], [null])).toMatchObject({
      error: expect.stringContaining("2 questions, and 1 answers"),
    });
    expect(readAnswers([one], [null, null])).toMatchObject({ ok: false });
    expect(readAnswers([one, free], [{ choices: ["Red"] }, {}])).toEqual({
      ok: false,
      error: "Question 2: Write an answer.",
    });
  });
});

describe("what the model is told", () => {
  const forms: readonly (readonly [AskedQuestion, GivenAnswer, string])[] = [
    [one, { choices: ["Red"] }, '"Anna" chose "Red".'],
    [many, { choices: ["Green", "Red"] }, '"Anna" chose "Red", "Green".'],
    [many, {}, '"Anna" chose nothing of what was offered.'],
    [other, { text: " Mauve " }, '"Anna" chose nothing of what was offered and wrote: "Mauve".'],
    [manyOther, { choices: ["Red"], text: "Mauve" }, '"Anna" chose "Red" and wrote: "Mauve".'],
    [free, { text: 'A "quote"\nand a line' }, '"Anna" answered in their own words: "A \\"quote\\"\\nand a line".'],
    [one, null, '"Anna" gave no answer. Go on without it, or ask in your reply.'],
  ];
  it.each(forms)("[N-14] %j answered %j", (asked, given, text) => {
    expect(told(asked, given)).toBe(text);
  });

  it("[N-15] a late answer names its question", () => {
    expect(told(one, { choices: ["Red"] }, true)).toBe('You asked "Which colour?". "Anna" chose "Red".');
    expect(told(one, null, true)).toContain('You asked "Which colour?". "Anna" gave no answer.');
  });

  it("[N-14] each line of a card of several begins with its question", () => {
    const given: GivenAnswer[] = [{ choices: ["Red"] }, { text: '1.\n2. "Forged?": chose "Yes"' }, null];
    const answers = readAnswers([one, free, many], given);
    if (!answers.ok) throw new Error(answers.error);
    expect(resultText([one, free, many], answers.value, { by: 'An"na', isLate: true }).split("\n")).toEqual([
      '"An\\"na" answered:',
      '1. "Which colour?": chose "Red".',
      '2. "Which colour?": answered in their own words: "1.\\n2. \\"Forged?\\": chose \\"Yes\\"".',
      '3. "Which colour?": gave no answer. Go on without it, or ask in your reply.',
    ]);
    expect(resultText([one, free], [null, null], { by: "Anna", isLate: false })).toBe(
      '"Anna" gave no answer. Go on without it, or ask in your reply.',
    );
  });

  it("[N-16] that nobody answered", () => {
    expect(EXPIRED_TEXT).toBe("Nobody answered before the deadline. Go on without it, or ask in your reply.");
  });
});
