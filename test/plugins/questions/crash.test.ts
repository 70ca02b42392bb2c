import { describe, expect, it } from "vitest";
import { MIRROR, NOTICES } from "../../../src/host/index.ts";
import type { Kernel } from "../../../src/kernel/index.ts";
import type { GivenAnswer } from "../../../src/protocol/frames.ts";
import { expectAtRest, expectSame, type Played, playCut } from "../../kernel/cut-run.ts";
import type { KernelWorld } from "../../kit/kernel-world.ts";
import { nodeWorld } from "../../kit/node-world.ts";
import { answerIn, ask, askAll, asking, COLOUR, cardsIn } from "../../kit/question-world.ts";
import { type Action, callsThenText, type Scenario, say } from "../../kit/scenarios.ts";

/** Hundreds of runs, whose number is what counts. On a machine with other work they take their time. */
const EXHAUSTIVE = { timeout: 60_000 };

const isOver = (kernel: Kernel, outcome: RegExp) =>
  kernel.entriesAfter(0, 1_000).some(({ message }) => outcome.test(JSON.stringify(message ?? null)));

/** Answers as a client does: the same card again until it is told that the answer is there. */
function answer(answers: readonly GivenAnswer[]): Action {
  let prompt: string | undefined;
  return (kernel) => {
    prompt ??= cardsIn(kernel).find(({ status }) => status === "open")?.prompt;
    return prompt !== undefined && answerIn(kernel, prompt, answers).ok;
  };
}

const whenOpen: Action = (kernel) => cardsIn(kernel).length > 0 || isOver(kernel, /answer|stopped/);
const whenIdle: Action = (kernel) => kernel.control.turn === null;
const stop: Action = (kernel) => {
  if (cardsIn(kernel).length > 0 && kernel.control.turn?.stopping === false) kernel.stop();
  return isOver(kernel, /stopped the turn/) || kernel.control.turn?.stopping === true;
};

const RED = [{ choices: ["Red"] }];
const one = () => asking(callsThenText([ask(COLOUR)]));
const several = () => asking(callsThenText([askAll(COLOUR, { question: "Why?" }), ask(COLOUR)]));

type Steps = () => Pick<Scenario, "options" | "actions">;

/** Made anew for each run: an answer remembers its card from one repeat to the next. */
const SCENARIOS: readonly (readonly [string, Steps])[] = [
  ["answered", () => ({ options: one, actions: [say("go"), answer(RED)] })],
  ["given no answer", () => ({ options: one, actions: [say("go"), answer([null])] })],
  [
    "two cards, one of several questions",
    () => ({
      options: several,
      actions: [say("go"), answer([{ choices: ["Blue"] }, { text: "Because." }]), answer(RED)],
    }),
  ],
  [
    "answered after it left its turn",
    () => ({ options: one, actions: [say("go"), whenOpen, say("never mind"), whenIdle, answer(RED)] }),
  ],
  ["stopped", () => ({ options: one, actions: [say("go"), whenOpen, stop] })],
  ["never answered", () => ({ options: one, actions: [say("go")] })],
];

/** Plays it with lists that are told, as an object does; `told` is what they show in the end. */
async function playListed(scenario: Scenario, killAt: readonly number[]) {
  let told: readonly string[] | undefined;
  const cut: Played = await playCut(scenario, killAt, (options) => {
    const world: KernelWorld = nodeWorld({
      ...options,
      deliver(row) {
        if (row.target === MIRROR) told = cardsIn(world.kernel).map(({ status }) => status);
        return Promise.resolve({ status: "sent" });
      },
    });
    return world;
  });
  const notices = cut.world.delivered.filter(({ target }) => target === NOTICES);
  return { ...cut, told, notices: [...new Set(notices.map(({ key }) => key))] };
}

describe.each(SCENARIOS)("a question, %s", (name, steps) => {
  const play = (killAt: readonly number[]) => playListed({ name, ...steps() }, killAt);

  it.each([0, 1, 2, 4])(
    "[N-19] [N-26] [N-27] ends the same after a death anywhere, and another %i points later",
    EXHAUSTIVE,
    async (gap) => {
      const whole = await play([]);
      expectAtRest(whole, "uncut");
      const { passed } = whole.world.crashes;
      expect(passed.length).toBeGreaterThan(8);
      expect(whole.notices).toHaveLength(name === "never answered" ? 1 : 0);
      for (const [index, point] of passed.entries()) {
        const where = `killed at ${index} (${point}), then ${gap} later`;
        const cut = await play(gap === 0 ? [index] : [index, index + gap]);
        expectAtRest(cut, where);
        expectSame(cut.lines, whole.lines, where);
        expect(cardsIn(cut.world.kernel), `${where}: no card is left`).toEqual([]);
        expect(cut.told, `${where}: none is listed`).toEqual([]);
        expect(cut.notices, `${where}: who was reminded`).toEqual(whole.notices);
      }
    },
  );
});
