import { describe, expect, it } from "vitest";
import { NOTICES } from "../../../src/host/index.ts";
import { utf8Bytes } from "../../../src/lib/bytes.ts";
import { decidePrompt } from "../../../src/plugins/questions/decide-prompt.ts";
import type { OpenPrompt } from "../../../src/plugins/questions/record.ts";
import { MAX_ASKED_BYTES, MAX_OPEN_PROMPTS, withPrompt } from "../../../src/plugins/questions/state.ts";
import { containing, dump, lines, results } from "../../kernel/make.ts";
import { ANNA, ask, askAll, BERT, COLOUR, DAY, QuestionWorld } from "../../kit/question-world.ts";

const HOUR = 3_600_000;
const RED = [{ choices: ["Red"] }];
const FREE = { question: "Why?" };

const refused = (code: string, message: string) => ({ ok: false, error: { code, message: containing(message) } });
const notices = (asked: QuestionWorld) => lines(asked.world).filter((line) => line.startsWith("notice:"));

describe("a question", () => {
  it("[N-6] [N-7] is on a card from the commit on in which its call begins to wait", async () => {
    const asked = new QuestionWorld([ask({ ...COLOUR, question: "Which\ncolour\u202e?" })]);
    const card = await asked.toCard();
    const { now } = asked.world.clock;
    expect(card).toEqual({
      prompt: `q${card.task}`,
      task: card.task,
      speaker: ANNA,
      askedAt: now.call(asked.world.clock),
      deadline: now.call(asked.world.clock) + DAY,
      questions: [
        {
          text: "Which\ncolour\\u{202e}?",
          options: [{ label: "Red" }, { label: "Blue" }],
          multi: false,
          allowOther: false,
        },
      ],
      status: "open",
    });
    const [opening, ...more] = asked.world.commits.filter(({ ops }) => JSON.stringify(ops).includes(card.prompt));
    expect(opening?.events).toEqual([{ type: "tool.waiting", task: card.task, on: "questions" }]);
    expect(more).toEqual([]);
  });

  it("[N-14] is answered, and the answer is the call's result", async () => {
    const asked = new QuestionWorld([ask(COLOUR)]);
    await asked.toCard();
    expect(asked.answer(RED)).toEqual({ ok: true, value: {} });
    await asked.settle();
    expect(results(asked.world)).toEqual([{ outcome: "ok", text: '"Anna" chose "Red".' }]);
    expect(lines(asked.world).at(-1)).toBe("assistant: All done.");
    expect(asked.cards).toEqual([]);
    expect(dump(asked.world), "nothing is left beside the call").toContain('["memos",[]]');
    expect(asked.world.alarm.armedFor).toBeNull();
  });

  it("[N-8] shows who answered what until its call has its result, an own text cut at 100 characters", async () => {
    const asked = new QuestionWorld([askAll({ ...COLOUR, multi: true }, FREE, FREE)]);
    await asked.toCard();
    asked.answer([{ choices: ["Blue", "Red"] }, { text: "y".repeat(101) }, null]);
    const { status, answered } = asked.card;
    expect([status, answered]).toEqual([
      "answered",
      {
        by: "Anna",
        at: asked.world.clock.now(),
        answers: [{ choices: ["Red", "Blue"] }, { choices: [], text: "y".repeat(100) }, null],
      },
    ]);
    await asked.settle();
    expect(results(asked.world)[0]?.text).toContain(`"${"y".repeat(101)}"`);
  });

  it("[N-2] several calls of one step have a card each and are answered apart", async () => {
    const asked = new QuestionWorld([ask(COLOUR), ask(FREE)]);
    await asked.toCard();
    const [first, second] = asked.cards;
    asked.answer([{ text: "Because." }], { prompt: second?.prompt ?? "" });
    await asked.settle();
    expect(asked.cards).toEqual([first]);
    asked.answer(RED);
    await asked.settle();
    expect(results(asked.world).map(({ text }) => text)).toEqual([
      '"Anna" chose "Red".',
      '"Anna" answered in their own words: "Because.".',
    ]);
  });
});

describe("limits", () => {
  it("[N-4] twenty cards are open at most; the next call is refused to the model", async () => {
    const asked = new QuestionWorld(Array.from({ length: MAX_OPEN_PROMPTS + 1 }, () => ask(FREE)));
    await asked.toCard();
    expect(asked.cards).toHaveLength(20);
    expect(results(asked.world)).toEqual([
      {
        outcome: "blocked",
        code: "too_many_questions",
        text: containing("20 questions wait for an answer here already"),
      },
    ]);
    asked.answer([null]);
    expect(asked.stored.records).toHaveProperty(asked.cards.at(-1)?.prompt ?? "");
  });

  it("[N-4] what is asked has 160,000 bytes at most, one more is refused", () => {
    const record = (text: string): OpenPrompt => ({
      status: "open",
      id: "q2",
      task: 2,
      origin: 2,
      speaker: ANNA,
      askedAt: 0,
      deadline: DAY,
      questions: [{ question: text, options: [], multi: false, allow_other: false }],
      remindedAt: null,
    });
    const full = record("é".repeat(60_000));
    const state = { records: { q1: { ...full, id: "q1" } }, settled: [] };
    const rest = MAX_ASKED_BYTES - utf8Bytes(JSON.stringify([full.questions, record("").questions]));
    expect(withPrompt(state, record("x".repeat(rest))).ok).toBe(true);
    expect(withPrompt(state, record("x".repeat(rest + 1)))).toMatchObject({
      ok: false,
      error: containing("160001 bytes together, the limit is 160000"),
    });
  });

  it("[N-4] twenty cards with the largest answers fit beside what is asked", async () => {
    const big = { question: "?".repeat(1_490), options: [] };
    const asked = new QuestionWorld(Array.from({ length: MAX_OPEN_PROMPTS }, () => askAll(big, big, big, big, big)));
    await asked.toCard();
    const open = asked.cards;
    expect(open).toHaveLength(20);
    const text = "\u0001".repeat(2_000);
    for (const { prompt } of open) {
      const own = Array.from({ length: 5 }, () => ({ text: `x${text}x` }));
      expect(asked.answer(own, { prompt })).toEqual({ ok: true, value: {} });
    }
    await asked.settle();
    expect(results(asked.world)).toHaveLength(20);
  });

  it("[N-20] the last ten are remembered, without what was asked", async () => {
    const asked = new QuestionWorld(Array.from({ length: 11 }, () => ask(FREE)));
    await asked.toCard();
    const prompts = asked.cards.map(({ prompt }) => prompt);
    for (const prompt of prompts) {
      asked.answer([null], { prompt });
      await asked.settle();
    }
    const codes = prompts.map((prompt) => asked.answer([{ text: "Late." }], { prompt }));
    expect(codes[0]).toEqual(refused("unknown_prompt", "ended long ago"));
    expect(codes.slice(1)).toEqual(
      Array.from({ length: 10 }, () => refused("already_decided", '"Anna" answered this already, at')),
    );
    expect(Object.values(asked.stored.records).map(({ questions }) => questions)).toEqual(
      Array.from({ length: 10 }, () => []),
    );
  });
});

describe("who may answer", () => {
  const table = [
    ["private", ANNA, "guest", true],
    ["private", ANNA, "owner", true],
    ["private", BERT, "member", false],
    ["private", BERT, "owner", false],
    ["shared", ANNA, "guest", true],
    ["shared", ANNA, "member", true],
    ["shared", BERT, "member", false],
    ["shared", BERT, "admin", false],
    ["shared", BERT, "owner", true],
  ] as const;
  it.each(table)("[N-9] in a %s conversation %s as %s: %s", async (visibility, by, tier, may) => {
    const asked = new QuestionWorld([ask(COLOUR)]);
    await asked.toCard();
    const before = dump(asked.world);
    const answer = asked.answer(RED, { visibility, by, tier });
    if (may) return expect(answer).toEqual({ ok: true, value: {} });
    expect(answer).toEqual(refused("forbidden", "The question stays open."));
    expect(dump(asked.world)).toBe(before);
  });

  it("[N-10] the first wins; the same again by the same person is no conflict, anything else is told who and when", async () => {
    const asked = new QuestionWorld([ask(COLOUR)]);
    const { prompt } = await asked.toCard();
    const at = new Date(asked.world.clock.now()).toISOString();
    expect(asked.answer(RED)).toEqual({ ok: true, value: {} });
    const after = dump(asked.world);
    const late = refused("already_decided", `"Anna" answered this already, at ${at}.`);
    for (const when of ["before its result", "after it"]) {
      expect(asked.answer(RED, { prompt }), when).toEqual({ ok: true, value: {} });
      expect(asked.answer([{ choices: ["Blue"] }], { prompt }), when).toEqual(late);
      expect(asked.answer([{ choices: ["No such"] }], { prompt }), when).toEqual(late);
      expect(asked.answer(RED, { prompt, by: BERT, tier: "owner", visibility: "shared" }), when).toEqual(late);
      if (when === "before its result") expect(dump(asked.world)).toBe(after);
      await asked.settle();
    }
    expect(results(asked.world)).toHaveLength(1);
  });

  it("[N-11] what does not fit changes nothing", async () => {
    const asked = new QuestionWorld([ask(COLOUR)]);
    await asked.toCard();
    const before = dump(asked.world);
    expect(asked.answer([{ choices: ["Green"] }])).toEqual(refused("bad_request", '"Green" is not offered.'));
    expect(asked.answer([{ choices: ["__proto__"] }])).toMatchObject({ ok: false });
    for (const prompt of ["q999", "__proto__", "constructor"]) {
      expect(asked.answer(RED, { prompt })).toEqual(refused("unknown_prompt", "no such question"));
    }
    expect(dump(asked.world)).toBe(before);
  });

  it("[N-5] nobody sits in a conversation that another one owns: the model is told, and nothing waits", async () => {
    const asked = new QuestionWorld([ask(COLOUR)]);
    asked.world.facts = { key: "sub:web:1:1", visibility: "private", owner: ANNA, owned: { parent: "web:1", task: 1 } };
    asked.world.start().resume();
    asked.say("go");
    await asked.settle();
    expect(asked.cards).toEqual([]);
    expect(results(asked.world)).toEqual([
      { outcome: "blocked", code: "nobody_to_ask", text: containing("your owner decides") },
    ]);
  });
});

describe("time", () => {
  it("[N-17] waits without memory over a restart, and is answered as before", async () => {
    const asked = new QuestionWorld([ask(COLOUR)]);
    const card = await asked.toCard();
    await asked.world.pass(HOUR);
    asked.world.crash();
    asked.world.start().resume();
    await asked.settle();
    expect(asked.cards).toEqual([card]);
    asked.answer(RED);
    await asked.settle();
    expect(results(asked.world)).toMatchObject([{ outcome: "ok" }]);
  });

  it("[N-16] [N-26] reminds once an hour before the deadline and expires at it, over restarts", async () => {
    const asked = new QuestionWorld([ask(COLOUR)]);
    const { prompt, deadline } = await asked.toCard();
    const reminders = () =>
      asked.world.commits.flatMap(({ events }) => events).filter(({ type }) => type === "plugin.questions.reminder");
    expect(asked.world.alarm.armedFor).toBe(deadline - HOUR);
    await asked.world.pass(DAY - HOUR - 1);
    expect(reminders()).toEqual([]);
    await asked.world.pass(1);
    expect(reminders()).toEqual([{ type: "plugin.questions.reminder", prompt }]);
    asked.world.crash();
    asked.world.start().resume();
    await asked.world.pass(HOUR - 1);
    expect(asked.card.status).toBe("open");
    await asked.world.pass(1);
    expect(reminders()).toHaveLength(1);
    expect(asked.world.delivered.filter(({ target }) => target === NOTICES)).toHaveLength(1);
    expect(results(asked.world)).toEqual([
      { outcome: "blocked", code: "expired", text: containing("Nobody answered") },
    ]);
    expect(asked.answer(RED, { prompt })).toEqual(refused("expired", "This question expired at"));
    expect(asked.stored.records[prompt]?.status).toBe("expired");
  });

  it("[N-10] an answer that comes at the deadline is too late, a millisecond earlier it counts", async () => {
    for (const [early, code] of [
      [1, undefined],
      [0, "expired"],
    ] as const) {
      const asked = new QuestionWorld([ask(COLOUR)]);
      const { prompt, deadline } = await asked.toCard();
      asked.world.clock.advanceTo(deadline - early);
      const answer = asked.answer(RED, { prompt });
      expect(answer.ok ? undefined : answer.error.code).toBe(code);
      await asked.settle();
      expect(results(asked.world)).toMatchObject([{ outcome: code === undefined ? "ok" : "blocked" }]);
    }
  });

  it("[N-15] [N-17] the person says something more: the turn goes on, and a late answer comes as a message that names the question", async () => {
    const asked = new QuestionWorld([ask(COLOUR)]);
    const card = await asked.toCard();
    asked.say("never mind");
    await asked.world.run(() => asked.world.control.turn === null, asked.world.clock.now());
    expect(results(asked.world)).toEqual([
      { outcome: "pending", code: "pending", text: containing("the answer comes by itself") },
    ]);
    expect(asked.card).toEqual({ ...card, task: asked.card.task });
    expect(asked.card.task).not.toBe(card.task);
    expect(asked.answer(RED)).toEqual({ ok: true, value: {} });
    await asked.settle();
    expect(notices(asked)).toEqual([
      'notice: [System] The call of ask_user that was waiting has run. What follows is its result:|You asked "Which colour?". "Anna" chose "Red".',
    ]);
    expect(asked.cards).toEqual([]);
    expect(asked.world.control.tasks).toEqual({});
  });

  it("[N-17] in a shared conversation the turn waits two minutes, over a restart, and the card stays", async () => {
    const asked = new QuestionWorld([ask(COLOUR)]);
    asked.world.facts = { key: "web:1", visibility: "shared", owner: ANNA };
    const card = await asked.toCard();
    await asked.world.pass(119_999);
    expect(asked.world.control.turn).not.toBeNull();
    asked.world.crash();
    asked.world.start().resume();
    await asked.world.pass(1);
    expect(asked.world.control.turn).toBeNull();
    expect(results(asked.world)).toMatchObject([{ outcome: "pending" }]);
    expect(asked.card).toEqual({ ...card, task: asked.card.task });
    expect(asked.world.alarm.armedFor).toBe(card.deadline - HOUR);
    asked.answer(RED, { by: BERT, tier: "owner", visibility: "shared" });
    await asked.settle();
    expect(notices(asked)).toEqual([containing('You asked "Which colour?". "Bert" chose "Red".')]);
  });

  it("[N-16] a question that left its turn expires in a message, too", async () => {
    const asked = new QuestionWorld([ask(COLOUR)]);
    await asked.toCard();
    asked.say("never mind");
    await asked.world.run();
    expect(notices(asked)).toEqual([
      containing("did not run. What follows is its result:|Nobody answered before the deadline."),
    ]);
    expect(asked.cards).toEqual([]);
  });

  it("[N-18] stopping the turn ends its questions; one that left its turn stays", async () => {
    const asked = new QuestionWorld([ask(COLOUR)]);
    const { prompt } = await asked.toCard();
    asked.world.kernel.stop();
    await asked.settle();
    expect(asked.cards).toEqual([]);
    expect(results(asked.world)).toMatchObject([{ outcome: "stopped" }]);
    expect(asked.answer(RED, { prompt })).toEqual(refused("already_decided", "This question was stopped at"));

    const left = new QuestionWorld([ask(COLOUR)]);
    await left.toCard();
    left.say("never mind");
    await left.settle();
    left.world.kernel.stop();
    await left.settle();
    expect(left.cards).toHaveLength(1);
  });

  it("[N-10] an ended card never changes again, whatever comes", () => {
    const open: OpenPrompt = {
      status: "open",
      id: "q1",
      task: 1,
      origin: 1,
      speaker: ANNA,
      askedAt: 0,
      deadline: DAY,
      questions: [],
      remindedAt: null,
    };
    const by = { principalId: ANNA, name: "Anna" };
    const commands = [
      { kind: "answer", by, answers: [null], print: "p" },
      { kind: "cancel" },
      { kind: "expire" },
      { kind: "release", task: 2 },
      { kind: "remind" },
    ] as const;
    for (const first of commands) {
      const { next } = decidePrompt(open, first, first.kind === "expire" ? DAY : 1);
      for (const second of commands) {
        const step = decidePrompt(next, second, DAY + 1);
        if (next.status !== "open") expect(step.next).toBe(next);
        else expect(step.next.status).toBe("expired");
      }
    }
  });
});
