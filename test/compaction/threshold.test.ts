import { describe, expect, it } from "vitest";
import { send } from "../kernel/make.ts";
import { checkMessages } from "../kit/check-messages.ts";
import { asked, chat, compactionEvents, counting, settingsWith, smallWorld, summariesOf, textsOf, WINDOW, words } from "./kit.ts";

describe("threshold", () => {
  it("[Q-1] [Q-21] [C-20] the turn waits for a summary before a request that would fill the window", async () => {
    const world = smallWorld();
    await chat(world, 12);
    expect(summariesOf(world).length).toBeGreaterThan(0);
    expect(compactionEvents(world).slice(0, 2)).toEqual(["started threshold", "finished threshold"]);
    const { answers } = asked(world);
    for (const request of answers) expect(checkMessages(request.messages)).toEqual([]);
    const [first] = textsOf(answers.at(-1) ?? answers[0]!);
    expect(first).toContain("They talked.");
    expect(world.control.turn).toBeNull();
  });

  it("[Q-1] below the threshold nothing begins", async () => {
    const world = smallWorld();
    await chat(world, 4);
    expect(compactionEvents(world)).toEqual([]);
  });
});
void send; void counting; void settingsWith; void WINDOW; void words;
