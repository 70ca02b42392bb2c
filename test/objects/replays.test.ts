import { describe, expect, it } from "vitest";
import type { ModelRequest } from "../../src/kernel/index.ts";
import { replayRequest } from "../../src/objects/conversation/replay-request.ts";
import { MAX_REPLAYS_PER_HOUR, withReplay } from "../../src/objects/conversation/replays.ts";
import { SCRIPTED_USAGE, type Script, ScriptedModel, untilAborted } from "../kit/scripted-model.ts";
import { VirtualClock } from "../kit/virtual-clock.ts";

const HOUR = 3_600_000;
const REQUEST: ModelRequest = {
  model: "demo/demo",
  thinking: "off",
  system: "",
  volatile: "",
  messages: [{ role: "user", content: [{ type: "text", text: "Hello" }] }],
  tools: [],
};

describe("how often a request is sent again", () => {
  const full = Array.from({ length: MAX_REPLAYS_PER_HOUR }, (_, n) => n);

  it("[V-31] 20 in an hour, and the next once the first is an hour old", () => {
    expect(withReplay(full.slice(1), 100)).toEqual({ ok: true, value: [...full.slice(1), 100] });
    expect(withReplay(full, HOUR - 1)).toMatchObject({
      error: { message: expect.stringContaining("try again in 1 minutes"), retryAfterS: 1 },
    });
    expect(withReplay(full, HOUR)).toEqual({ ok: true, value: [...full.slice(1), HOUR] });
  });

  it("[V-31] no more than 20 times are ever kept", () => {
    let at: readonly number[] = [];
    for (let now = 0; now < 5 * HOUR; now += HOUR / 30) {
      const next = withReplay(at, now);
      if (next.ok) at = next.value;
      expect(at.length).toBeLessThanOrEqual(MAX_REPLAYS_PER_HOUR);
    }
  });
});

describe("a request that is sent again", () => {
  const send = (script: Script, clock = new VirtualClock()) => replayRequest(new ScriptedModel(script), clock, REQUEST);

  it("[V-30] gives the whole answer, calls included, without the vendor's own blocks", async () => {
    const calls = [{ name: "send_webhook", args: "{}", id: "c" }];
    const native = { family: "x", blocks: ["secret"] };
    expect(await send(() => ({ text: "Hello there.", thinking: "Hm.", calls, native }))).toEqual({
      ok: true,
      ms: 0,
      usage: SCRIPTED_USAGE,
      message: {
        role: "assistant",
        stop: "calls",
        content: [
          { type: "thinking", text: "Hm." },
          { type: "text", text: "Hello there." },
          { type: "call", ...calls[0] },
        ],
      },
    });
  });

  it("[V-30] says why there is no answer, in the port's words, and repeats nothing", async () => {
    const model = new ScriptedModel(() => ({ error: { message: "The key is wrong." } }));
    const answer = await replayRequest(model, new VirtualClock(), REQUEST);
    expect(answer).toEqual({ ok: false, error: "The key is wrong." });
    expect(model.requests).toHaveLength(1);
    expect(await send(() => ({ text: "Hel", isSilent: true }))).toMatchObject({ ok: false });
  });

  it.each([
    ["listens", {}],
    ["does not listen", { isDeaf: true, between: () => new Promise<void>(() => undefined) }],
  ])("[V-31] is not waited for after 2 minutes when the port %s, and until then it is", async (_how, more) => {
    const clock = new VirtualClock();
    const begun = clock.now();
    let answer: unknown;
    void send(() => ({ text: "Slow.", between: untilAborted, ...more }), clock).then((value) => {
      answer = value;
    });
    const settle = () => new Promise((resolve) => setTimeout(resolve, 0));
    clock.advanceTo(begun + 119_999);
    await settle();
    expect(answer).toBeUndefined();
    clock.advanceTo(begun + 120_000);
    await settle();
    expect(answer).toMatchObject({ ok: false, error: expect.stringContaining("2 minutes") });
    expect(clock.nextTimer()).toBeUndefined();
  });
});
