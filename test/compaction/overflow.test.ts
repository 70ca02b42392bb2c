import { describe, expect, it } from "vitest";
import type { AssistantEntryData } from "../../src/protocol/view.ts";
import { entriesOf, send } from "../kernel/make.ts";
import { checkMessages } from "../kit/check-messages.ts";
import type { KernelWorld } from "../kit/kernel-world.ts";
import type { ScriptedAnswer } from "../kit/scripted-model.ts";
import { asked, chat, compactionEvents, counting, requestTokens, settingsWith, words } from "./kit.ts";
import { smallWorld } from "./small-world.ts";

const OVERFLOW: ScriptedAnswer = {
  error: {
    kind: "context_overflow",
    retryable: false,
    message: "too long",
    usage: { input: 11, output: 0, cachedRead: 0, cachedWrite: 0, costMicros: 5 },
  },
};

/** A vendor that refuses what is longer than this. */
function refusingAbove(tokens: number, summary?: () => ScriptedAnswer) {
  return counting((request) => (requestTokens(request) > tokens ? OVERFLOW : { text: words("Answer", 200) }), summary);
}

function lastDisplay(world: KernelWorld) {
  const data = entriesOf(world, "core.assistant").at(-1)?.data as unknown as AssistantEntryData | undefined;
  return data?.display;
}

describe("overflow", () => {
  it("[Q-4] older messages are summarised, and the step is made again as a new request", async () => {
    const world = smallWorld({ settings: settingsWith(undefined), script: refusingAbove(1_700) });
    world.kernel.commit((tx) => tx.configure("autoCompact", false));
    await chat(world, 5);
    expect(compactionEvents(world)).toEqual(["started overflow", "finished overflow"]);
    const { answers } = asked(world);
    expect(answers.map((request) => requestTokens(request) > 1_700)).toEqual([false, false, false, false, true, false]);
    expect(answers.flatMap((request) => checkMessages(request.messages))).toEqual([]);
    expect(entriesOf(world, "core.assistant")).toHaveLength(5);
    const steps = world.commits.flatMap(({ ops }) => ops).filter((op) => op[0] === "s" && op[1].at(-1) === "step");
    expect(steps.every((op) => op[0] === "s" && op[2] === 1)).toBe(true);
  });

  it("[Q-4] a second refusal of the same step fails the turn; the next turn has its own", async () => {
    const world = smallWorld({ settings: settingsWith(6_000), script: refusingAbove(1_700) });
    await chat(world, 4);
    send(world, words("huge", 2_200));
    await world.run();
    expect(compactionEvents(world)).toEqual(["started overflow", "finished overflow"]);
    expect(lastDisplay(world)).toMatchObject({
      reason: "failed",
      error: expect.stringContaining("even after its older part was summarised") as unknown,
      choices: ["compact", "reset", "model"],
    });
    expect(asked(world).answers).toHaveLength(6);
  });

  it("[Q-5] [B-5] with nothing to summarise the turn fails at once and says what can be done", async () => {
    const world = smallWorld({ script: refusingAbove(1_000) });
    send(world, words("huge", 1_200));
    await world.run();
    expect(compactionEvents(world)).toEqual([]);
    expect(asked(world).answers).toHaveLength(1);
    const display = lastDisplay(world);
    expect(display?.error).toBe(
      "The conversation does not fit the model's window of 4000 tokens, and there is nothing older to summarise. Start afresh here, or choose a model with a larger window.",
    );
    expect(display?.choices).toEqual(["reset", "model"]);
    expect(world.control.usage.input).toBe(11);
  });

  it("[Q-25] when no summary can be made the turn fails, naming why", async () => {
    const world = smallWorld({
      settings: settingsWith(undefined),
      script: refusingAbove(1_700, () => ({ error: { kind: "auth", retryable: false, message: "The key is wrong." } })),
    });
    await chat(world, 5);
    expect(compactionEvents(world)).toEqual(["started overflow", "failed overflow vendor"]);
    const display = lastDisplay(world);
    expect(display?.error).toContain("no summary of its older part could be made. The key is wrong.");
    expect(display?.choices).toEqual(["compact", "reset", "model"]);
    expect(world.control.turn).toBeNull();
  });

  it("[Q-10] an overflow summarises of the turn's own words what takes more than half of the window, oldest first", async () => {
    const world = smallWorld({
      settings: settingsWith(2_000),
      script: counting((request, nth) =>
        nth === 0 ? OVERFLOW : requestTokens(request) > 2_000 ? OVERFLOW : { text: "Fine." },
      ),
    });
    world.kernel.commit((tx) => tx.configure("autoCompact", false));
    send(world, words("older", 900));
    send(world, words("newer", 900));
    await world.run();
    const events = compactionEvents(world);
    expect(events).toEqual(["started overflow", "finished overflow"]);
    const texts = JSON.stringify(asked(world).answers.at(-1)?.messages);
    expect(texts).toContain("newer");
    expect(texts).not.toContain("older word");
  });
});
