import { describe, expect, it } from "vitest";
import type { QuestionCard, ShownQuestion } from "../../../src/protocol/questions.ts";
import type { View } from "../../../src/protocol/view.ts";
import { AnswerDrafts } from "../../../web/src/app/drafts.ts";
import { announceCards } from "../../../web/src/state/announce.ts";
import type { Choices } from "../../../web/src/state/cards.ts";
import { stateOf } from "../../../web/src/state/list.ts";
import {
  askedIn,
  describeShown,
  EMPTY_DRAFT,
  faultsOf,
  givenOf,
  withChoice,
  withOther,
} from "../../../web/src/state/questions.ts";
import { whyNotBack } from "../../../web/src/state/rest-point.ts";
import { describeTool, explainTool } from "../../../web/src/state/tool-state.ts";
import { waitingIn } from "../../../web/src/state/waiting.ts";
import { makeCard, makeView } from "./sample-view.ts";

const one: ShownQuestion = {
  text: "Which?",
  options: [{ label: "Red" }, { label: "Blue" }],
  multi: false,
  allowOther: true,
};
const many: ShownQuestion = { ...one, multi: true };
const free: ShownQuestion = { text: "Why?", options: [], multi: false, allowOther: false };

const card = (part: Partial<QuestionCard> = {}): QuestionCard => ({
  prompt: "q4",
  task: 4,
  speaker: "p_anna",
  askedAt: 0,
  deadline: 1,
  questions: [one],
  status: "open",
  ...part,
});

const asking = (cards: readonly QuestionCard[], part: Partial<View> = {}): View =>
  makeView({ plugins: { questions: { cards } as never }, ...part });

describe("an answer in the making", () => {
  it("[L-140] of options that exclude one another the last one stands, own words included", () => {
    const red = withChoice(one, EMPTY_DRAFT, "Red", true);
    const blue = withChoice(one, red, "Blue", true);
    expect(givenOf(one, blue)).toEqual({ choices: ["Blue"] });
    const other = withOther(one, { ...blue, text: "Mauve" }, true);
    expect(givenOf(one, other)).toEqual({ choices: [], text: "Mauve" });
    expect(givenOf(one, withChoice(one, other, "Red", true))).toEqual({ choices: ["Red"] });
  });

  it("[L-140] of many, each stands by itself", () => {
    const both = withChoice(many, withChoice(many, EMPTY_DRAFT, "Blue", true), "Red", true);
    expect(givenOf(many, withOther(many, { ...both, text: "x" }, true))).toEqual({
      choices: ["Blue", "Red"],
      text: "x",
    });
    expect(givenOf(many, withChoice(many, both, "Blue", false))).toEqual({ choices: ["Red"] });
  });

  it("[L-141] [L-142] what does not fit is said at its question, and one without an answer is sent as null", () => {
    const three = card({ questions: [one, free, many] });
    expect(faultsOf(three, [])).toEqual([expect.stringContaining("Choose one"), "Write an answer.", undefined]);
    const none = { ...EMPTY_DRAFT, none: true };
    expect(faultsOf(three, [none, none, none])).toEqual([undefined, undefined, undefined]);
    expect(givenOf(free, none)).toBeNull();
    expect(faultsOf(card({ questions: [many] }), [{ ...EMPTY_DRAFT, other: true }])).toEqual([
      expect.stringContaining("Write your own answer"),
    ]);
  });

  it("[L-143] is kept by card, until the card is gone", () => {
    const drafts = new AnswerDrafts();
    const red = withChoice(one, EMPTY_DRAFT, "Red", true);
    drafts.set("q4", 2, red);
    drafts.keep((prompt) => prompt === "q4");
    expect([drafts.of("q4", 2), drafts.of("q4", 0), drafts.of("q5", 2)]).toEqual([red, EMPTY_DRAFT, EMPTY_DRAFT]);
    drafts.keep(() => false);
    expect(drafts.of("q4", 2)).toEqual(EMPTY_DRAFT);
  });
});

describe("what waits", () => {
  it("[L-145] a screen reader hears a new question once, after the approvals", () => {
    const holds = { cards: [makeCard({ hold: "h1", action: "send" })] };
    const both = makeView({ plugins: { holds: holds as never, questions: { cards: [card()] } as never } });
    const choices: Choices = new Map([["h1", { hold: "h1", may: ["approve"] }]]);
    const first = announceCards(new Set(), both, choices);
    expect(first.words).toEqual(["Approval needed: send", "A question for you: Which?"]);
    expect(announceCards(first.heard, both, choices).words).toEqual([]);
    expect(waitingIn(both).map(({ id, kind }) => [id, kind])).toEqual([
      ["h1", "approval"],
      ["q4", "question"],
    ]);
    expect(waitingIn(asking([card({ status: "answered" })]))).toEqual([]);
  });

  it("[L-146] the list says that the conversation waits, and editing says why it cannot", () => {
    expect(stateOf(asking([card()]))).toBe("waiting");
    expect(whyNotBack(asking([card()]))).toBe("A question waits. Answer it, or stop the answer.");
  });
});

describe("the row of a call that asked", () => {
  const call = (data: object, text = "") => ({
    name: "ask_user",
    args: "{}",
    result: { id: 2, kind: "core.tool_result", at: 0, data: data as never, message: toolMessage(text) },
  });
  const toolMessage = (text: string) =>
    ({ role: "tool", callId: "c", name: "ask_user", isError: false, content: [{ type: "text", text }] }) as const;

  it("[L-144] says what was answered, or that nobody answered, or that it waits still", () => {
    expect(explainTool(call({ outcome: "ok" }, '"Anna" chose "Red".'))).toBe('"Anna" chose "Red".');
    expect(describeTool(call({ outcome: "blocked", code: "expired" })).words).toBe("nobody answered");
    expect(describeTool(call({ outcome: "pending", code: "pending" })).words).toBe("still waiting for an answer");
    expect(explainTool({ ...call({ outcome: "ok" }, "x"), name: "current_time" })).toBeUndefined();
  });

  it("[L-144] shows the question itself, whatever the model wrote", () => {
    expect(askedIn('{"question":"Which?","options":[{"label":"Red"}]}')).toBe("Which?");
    expect(askedIn('{"questions":[{"question":"Which?"},{"question":"Why?"}]}')).toBe("Which? · Why?");
    for (const bad of ["", "null", "[]", "{}", '{"question":5}', '{"questions":[null]}'])
      expect(askedIn(bad)).toBeUndefined();
  });

  it("[L-144] an answer in a line", () => {
    const lines = [
      null,
      { choices: [] },
      { choices: ["Red", "Blue"], text: "mostly" },
      { choices: [], text: "Because." },
    ];
    expect(lines.map(describeShown)).toEqual(["No answer", "Nothing", "Red, Blue, “mostly”", "“Because.”"]);
  });
});
