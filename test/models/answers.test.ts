import { describe, expect, it } from "vitest";
import type { Answer } from "../kit/model-server/index.ts";
import { CLOCK_TOOL, ONE_OF_EACH, openWorld, say } from "./kit.ts";

const CALLS = [
  { name: "clock", args: '{"zone":"UTC"}' },
  { name: "clock", args: '{ "zone" : "Asia/Tokyo" }' },
  { name: "clock", args: '{"zone": "Eur' },
];

describe.each(ONE_OF_EACH)("answers over $vendor", ({ model }) => {
  it("[M-1] [M-49] streams thinking and text in order and ends with the whole message", async () => {
    await using world = await openWorld();
    world.server.reply({ thinking: ["Hm, ", "yes."], text: ["Good ", "day", "."] });
    const told = await world.ask(model, { thinking: "high" });
    expect(told.frames.map((frame) => frame.type)).toEqual(["thinking", "thinking", "text", "text", "text", "end"]);
    expect(told.message?.content).toEqual([
      { type: "thinking", text: "Hm, yes." },
      { type: "text", text: "Good day." },
    ]);
    expect(told.message?.stop).toBe("end");
    expect(world.server.requests.map(({ complaints }) => complaints)).toEqual([[]]);
  });

  it("[M-30] [M-16] delivers parallel calls in order, their arguments raw, malformed ones too", async () => {
    await using world = await openWorld();
    world.server.reply({ text: ["Let me look."], calls: CALLS });
    const { message } = await world.ask(model, { tools: [CLOCK_TOOL] });
    const calls = message?.content.filter((part) => part.type === "call") ?? [];
    expect(calls.map(({ name, args }) => ({ name, args }))).toEqual(CALLS);
    expect(new Set(calls.map(({ id }) => id)).size).toBe(3);
    expect(message?.stop).toBe("calls");
  });

  it("[M-30] an answer with a call wants tools even where it was cut at its limit", async () => {
    await using world = await openWorld();
    world.server.reply({ calls: [{ name: "clock", args: '{"zone":"U' }], limit: true });
    expect((await world.ask(model, { tools: [CLOCK_TOOL] })).message?.stop).toBe("calls");
  });

  it("[M-31] a refusal is an outcome with the vendor's words and without calls", async () => {
    await using world = await openWorld();
    world.server.reply({ refusal: "I cannot help with that.", calls: CALLS });
    const { message, error } = await world.ask(model, { tools: [CLOCK_TOOL] });
    expect(error).toBeUndefined();
    expect(message).toEqual({
      role: "assistant",
      content: [{ type: "text", text: "I cannot help with that." }],
      stop: "refusal",
    });
  });

  it("[M-32] an answer cut at its limit says so", async () => {
    await using world = await openWorld();
    world.server.reply({ text: ["Once upon"], limit: true });
    expect((await world.ask(model)).message?.stop).toBe("length");
  });

  it("[M-33] counts input without cached tokens and prices each kind", async () => {
    await using world = await openWorld();
    world.server.reply({ text: ["x"], usage: { prompt: 1000, cachedRead: 700, cachedWrite: 200, output: 50 } });
    expect((await world.ask(model)).usage).toEqual({
      input: 100,
      output: 50,
      cachedRead: 700,
      cachedWrite: 200,
      // 100 × $2 + 50 × $10 + 700 × $0.5 + 200 × $4, each per million tokens
      costMicros: 200 + 500 + 350 + 800,
    });
  });

  it("[M-7] [M-11] unknown events and odd pieces change nothing", async () => {
    const answer: Answer = { thinking: ["a", "ß"], text: ["😀", "é\n\n"], calls: CALLS };
    await using world = await openWorld();
    world.server.reply(answer, { ...answer, noise: true }, { ...answer, shredInto: 7 });
    const [plain, noisy, shredded] = [
      await world.ask(model, { tools: [CLOCK_TOOL] }),
      await world.ask(model, { tools: [CLOCK_TOOL] }),
      await world.ask(model, { tools: [CLOCK_TOOL] }),
    ];
    const content = (told: typeof plain) =>
      told.message?.content.map((part) => (part.type === "call" ? { ...part, id: "" } : part));
    expect(plain.text).toBe("😀é\n\n");
    expect(content(noisy)).toEqual(content(plain));
    expect(noisy.text).toBe(plain.text);
    expect(content(shredded)).toEqual(content(plain));
  });

  it("[M-23] the output limit is the request's, at most the model's", async () => {
    await using world = await openWorld();
    await world.ask(model, { maxOutputTokens: 321 });
    await world.ask(model, { maxOutputTokens: 16_001 });
    await world.ask(model);
    const limits = world.server.requests.map(
      ({ body }) => body.max_tokens ?? body.max_completion_tokens ?? body.max_output_tokens,
    );
    expect(limits).toEqual([321, 16_000, 16_000]);
  });

  it("[M-1] an empty answer is a message without content", async () => {
    await using world = await openWorld();
    world.server.reply({});
    const told = await world.ask(model, { messages: [say("Say nothing.")] });
    expect(told.message).toEqual({ role: "assistant", content: [], stop: "end" });
  });
});
