import { describe, expect, it } from "vitest";
import { makeRequest, ONE_OF_EACH, openWorld, realClock } from "./kit.ts";

/** So many events bring a part of the text, but no end. */
const IN_THE_MIDDLE = { anthropic: 5, "openai-chat": 3, "openai-responses": 6 };
const QUICK = { idle: { firstMs: 150, betweenMs: 150 } };

describe.each(ONE_OF_EACH)("faults over $vendor", ({ model, vendor }) => {
  it("[M-2] [M-51] a silent end without the terminal event is cut, retryable, after the text that came", async () => {
    await using world = await openWorld();
    world.server.reply({ text: ["a", "b", "c"], fault: { kind: "silent_end", after: IN_THE_MIDDLE[vendor] } });
    const told = await world.ask(model);
    expect(told.error).toMatchObject({ kind: "cut", retryable: true });
    expect(told.text).not.toBe("");
    expect(told.frames.filter(({ type }) => type === "end" || type === "error")).toHaveLength(1);
  });

  it("[M-3] [M-51] a socket that closes in the middle is cut", async () => {
    await using world = await openWorld();
    world.server.reply({ text: ["a", "b", "c"], fault: { kind: "cut", after: IN_THE_MIDDLE[vendor] } });
    const told = await world.ask(model);
    expect(told.error).toMatchObject({ kind: "cut", retryable: true });
    expect(told.text).not.toBe("");
  });

  it("[M-3] [M-51] a socket that closes before any byte is network, and so is a port where nobody listens", async () => {
    const world = await openWorld();
    world.server.reply({ drop: true });
    expect((await world.ask(model)).error).toMatchObject({ kind: "network", retryable: true });
    await world[Symbol.asyncDispose]();
    expect((await world.ask(model)).error).toMatchObject({ kind: "network", retryable: true });
  });

  it("[M-4] [M-51] silence in the middle and before the first byte times out", async () => {
    await using world = await openWorld(QUICK);
    world.server.reply(
      { text: ["a", "b", "c"], fault: { kind: "idle", after: 5 } },
      { fault: { kind: "idle", after: 0 } },
    );
    for (const _ of [1, 2]) {
      expect((await world.ask(model)).error).toMatchObject({ kind: "idle_timeout", retryable: true });
    }
  });

  it("[M-4] [M-51] pings keep a stream alive", async () => {
    await using world = await openWorld(QUICK);
    world.server.reply({ text: ["a"], fault: { kind: "pings", after: 3, everyMs: 40 } });
    const stop = new AbortController();
    const asked = world.ask(model, {}, stop.signal);
    await realClock.wait(Date.now() + 500, stop.signal);
    stop.abort();
    expect((await asked).error?.kind).toBe("aborted");
  });

  it("[M-5] [M-51] a web page with status 200 is no answer", async () => {
    await using world = await openWorld();
    world.server.reply({ page: "<html>Sign in to the network</html>" });
    const { error } = await world.ask(model);
    expect(error).toMatchObject({ kind: "protocol", retryable: false });
    expect(error?.message).not.toContain("Sign in");
  });

  it("[M-5] [M-51] an unreadable event is no answer", async () => {
    await using world = await openWorld();
    world.server.reply({ text: ["a"], fault: { kind: "garbage", after: 3 } });
    expect((await world.ask(model)).error?.kind).toBe("protocol");
  });

  it("[M-6] [M-36] [M-51] an error event inside a stream is an error of its kind", async () => {
    await using world = await openWorld();
    const expected = [
      ["server", "server", true],
      ["rate_limit", "rate_limit", true],
      ["too_long", "context_overflow", false],
    ] as const;
    for (const [error, kind, retryable] of expected) {
      world.server.reply({ text: ["a", "b"], fault: { kind: "error", after: IN_THE_MIDDLE[vendor], error } });
      const told = await world.ask(model);
      expect(told.error).toMatchObject({ kind, retryable });
      expect(told.frames.at(-1)?.type).toBe("error");
    }
  });

  it("[M-8] an abort in the middle ends at once and closes the connection", async () => {
    await using world = await openWorld();
    world.server.reply({ text: Array.from({ length: 100 }, String), delayMs: 20 });
    const stop = new AbortController();
    const began = Date.now();
    const asked = world.ask(model, {}, stop.signal);
    await realClock.wait(began + 200, stop.signal);
    stop.abort();
    const told = await asked;
    expect(told.error?.kind).toBe("aborted");
    expect(Date.now() - began).toBeLessThan(600);
    await expect.poll(() => world.server.live).toBe(0);
  });

  it("[M-8] an abort before the call sends nothing", async () => {
    await using world = await openWorld();
    expect((await world.ask(model, {}, AbortSignal.abort())).error?.kind).toBe("aborted");
    expect(world.server.requests).toEqual([]);
  });

  it("[M-9] a reader that leaves closes the stream", async () => {
    await using world = await openWorld();
    world.server.reply({ text: Array.from({ length: 1000 }, String), delayMs: 5 });
    const stream = world.models.port.stream(makeRequest({ model }), new AbortController().signal);
    for await (const frame of stream) if (frame.type === "text") break;
    await expect.poll(() => world.server.live).toBe(0);
  });
});

describe("faults over one wire", () => {
  it("[M-6] tokens that Anthropic counted before its error are told", async () => {
    await using world = await openWorld();
    world.server.reply({ text: ["a"], fault: { kind: "error", after: 3, error: "overloaded" } });
    const { error } = await world.ask("a/claude-opus-5-5");
    expect(error).toMatchObject({ kind: "overloaded", usage: { input: 12, cachedRead: 100, cachedWrite: 8 } });
  });

  it("[M-2] chat completions are whole once the finish reason came, even if the usage is lost", async () => {
    await using world = await openWorld();
    world.server.reply({ text: ["a"], fault: { kind: "cut", after: 3 } });
    const told = await world.ask("c/local");
    expect(told.message).toMatchObject({ stop: "end", content: [{ text: "a" }] });
    expect(told.usage).toMatchObject({ input: 0, output: 0 });
  });
});
