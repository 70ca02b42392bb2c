import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ModelFrame, ModelRequest } from "../../../src/kernel/ports/model.ts";
import type { ClockPort } from "../../../src/kernel/ports/ports.ts";
import type { Json } from "../../../src/lib/json.ts";
import { chunksOf, MAX_CHUNK_UNITS } from "../../../src/models/demo/chunks.ts";
import { createDemoModel } from "../../../src/models/demo/model.ts";
import { DEMO_MARK } from "../../../src/models/demo/words.ts";
import type { Message, ToolMessage } from "../../../src/protocol/message.ts";
import { run, toolWorld } from "../../plugins/kit/tool-context.ts";
import { assistant, requestOf, TOOLS, user } from "./kit.ts";

/** A clock whose waits end at once, moving it on; it counts them. */
function quickClock(): ClockPort & { readonly waits: number[] } {
  const waits: number[] = [];
  let now = 1_000;
  return {
    waits,
    now: () => now,
    wait: async (untilMs) => {
      waits.push(untilMs - now);
      now = untilMs;
    },
  };
}

async function framesOf(request: ModelRequest, chunkMs = 0, signal = new AbortController().signal) {
  const frames: ModelFrame[] = [];
  const model = createDemoModel({ clock: quickClock(), chunkMs });
  for await (const frame of model.stream(request, signal)) frames.push(frame);
  return frames;
}

function joined(frames: readonly ModelFrame[], type: "text" | "thinking"): string {
  return frames.map((frame) => (frame.type === type ? frame.text : "")).join("");
}

const long = requestOf([user("write something long")]);

describe("streaming", () => {
  it("[G-41] the chunks are small and join to the message's text", async () => {
    const frames = await framesOf(long);
    const last = frames.at(-1);
    expect(frames.length).toBeGreaterThan(150);
    expect(last?.type === "end" && last.message.content).toEqual([{ type: "text", text: joined(frames, "text") }]);
    for (const frame of frames)
      if (frame.type === "text") expect(frame.text.length).toBeLessThanOrEqual(MAX_CHUNK_UNITS);
  });

  it("[G-41] any text comes whole, in chunks of at most 48 units, no character split", () => {
    const text = fc.string({ unit: fc.constantFrom("a", " ", "\n", "é", "😀", "👩\u200d💻", "|"), maxLength: 400 });
    fc.assert(
      fc.property(text, (whole) => {
        const chunks = chunksOf(whole);
        expect(chunks.join("")).toBe(whole);
        for (const chunk of chunks) {
          expect(chunk.isWellFormed()).toBe(true);
          expect(chunk.length).toBeGreaterThan(0);
          expect(chunk.length).toBeLessThanOrEqual(48);
        }
      }),
    );
    expect(chunksOf("x".repeat(48))).toHaveLength(1);
    expect(chunksOf("x".repeat(49))).toHaveLength(2);
    expect(chunksOf("")).toEqual([]);
  });

  it("[G-41] pauses before each chunk by the given clock, and not at all at 0", async () => {
    const clock = quickClock();
    const frames: ModelFrame[] = [];
    for await (const frame of createDemoModel({ clock, chunkMs: 20 }).stream(long, new AbortController().signal))
      frames.push(frame);
    expect(new Set(clock.waits)).toEqual(new Set([20]));
    expect(clock.waits).toHaveLength(frames.length - 1);
    const still = quickClock();
    const unpaused: ModelFrame[] = [];
    for await (const frame of createDemoModel({ clock: still, chunkMs: 0 }).stream(
      long,
      new AbortController().signal,
    )) {
      unpaused.push(frame);
    }
    expect(unpaused).toEqual(frames);
    expect(still.waits).toEqual([]);
  });

  it("[G-40] the same request gives the same frames", async () => {
    for (const text of ["write something long", "risky", "several tools"]) {
      const request = requestOf([user(text)], { thinking: "high" });
      expect(await framesOf(request)).toEqual(await framesOf(structuredClone(request)));
    }
  });

  it("[G-34] calls come in the last frame, each with its own id", async () => {
    const frames = await framesOf(requestOf([user("Use several tools at once")]));
    const last = frames.at(-1);
    if (last?.type !== "end") throw new Error("the stream did not end well");
    expect(last.message.stop).toBe("calls");
    expect(last.message.content.filter((part) => part.type === "call")).toEqual([
      { type: "call", id: "demo_1", name: "current_time", args: "{}" },
      { type: "call", id: "demo_2", name: "calculate", args: '{"expression":"6 * 7"}' },
      { type: "call", id: "demo_3", name: "list_notes", args: "{}" },
    ]);
  });
});

describe("abort", () => {
  it("[G-42] before the start gives one frame", async () => {
    expect(await framesOf(long, 20, AbortSignal.abort())).toEqual([
      { type: "error", error: expect.objectContaining({ kind: "aborted", retryable: false }) as object },
    ]);
  });

  it("[G-42] in the middle ends the stream at once, also inside a pause", async () => {
    const stop = new AbortController();
    const stuck: ClockPort = {
      now: () => 0,
      wait: (_until, signal) =>
        new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true })),
    };
    let waits = 0;
    const clock: ClockPort = {
      now: () => 0,
      wait: (until, signal) => (++waits < 5 ? Promise.resolve() : stuck.wait(until, signal)),
    };
    const frames: ModelFrame[] = [];
    setTimeout(() => stop.abort(), 5);
    for await (const frame of createDemoModel({ clock, chunkMs: 20 }).stream(long, stop.signal)) frames.push(frame);
    expect(frames.map(({ type }) => type)).toEqual(["text", "text", "text", "text", "error"]);
  });

  it("[G-42] a reader that stops the stream itself gets no further frame", async () => {
    const stop = new AbortController();
    const frames: ModelFrame[] = [];
    for await (const frame of createDemoModel({ clock: quickClock(), chunkMs: 0 }).stream(long, stop.signal)) {
      frames.push(frame);
      if (frames.length === 3) stop.abort();
    }
    expect(frames.map(({ type }) => type)).toEqual(["text", "text", "text", "error"]);
  });
});

describe("thinking, usage and limits", () => {
  it("[G-43] a short thought comes first and is part of the message", async () => {
    const frames = await framesOf(requestOf([user("2+2")], { thinking: "low" }));
    expect(frames[0]?.type).toBe("thinking");
    expect(joined(frames, "thinking")).toBe("I call calculate.");
    const last = frames.at(-1);
    expect(last?.type === "end" && last.message.content[0]).toEqual({ type: "thinking", text: "I call calculate." });
    const firstText = frames.findIndex(({ type }) => type === "text");
    expect(frames.slice(firstText).some(({ type }) => type === "thinking")).toBe(false);
  });

  it("[G-43] there is none with thinking off", async () => {
    const frames = await framesOf(requestOf([user("2+2")], { thinking: "off" }));
    expect(joined(frames, "thinking")).toBe("");
    expect(JSON.stringify(frames.at(-1))).not.toContain("thinking");
  });

  it("[G-44] usage grows with what is sent and said, and costs nothing", async () => {
    const usageOf = async (request: ModelRequest) => {
      const last = (await framesOf(request)).at(-1);
      if (last?.type !== "end") throw new Error("the stream did not end well");
      return last.usage;
    };
    const short = await usageOf(requestOf([user("hi")], { tools: [] }));
    const history = await usageOf(
      requestOf([user("hi"), assistant(`${DEMO_MARK} ${"x".repeat(4_000)}`), user("hi")], { tools: [] }),
    );
    const tools = await usageOf(requestOf([user("hi")]));
    expect(short).toMatchObject({ cachedRead: 0, cachedWrite: 0, costMicros: 0 });
    expect(history.input - short.input).toBeGreaterThan(1_000);
    expect(tools.input).toBeGreaterThan(short.input);
    expect((await usageOf(long)).output).toBeGreaterThan(short.output);
  });

  it("[G-44] an answer at the output limit is whole, beyond it is cut and its calls are left out", async () => {
    const whole = joined(await framesOf(requestOf([user("2+2")])), "text");
    const limitedTo = async (tokens: number) =>
      (await framesOf(requestOf([user("2+2")], { maxOutputTokens: tokens }))).at(-1);
    const fits = await limitedTo(Math.ceil(whole.length / 4));
    expect(fits?.type === "end" && fits.message.stop).toBe("calls");
    const cut = await limitedTo(Math.floor((whole.length - 1) / 4));
    if (cut?.type !== "end") throw new Error("the stream did not end well");
    expect(cut.message).toMatchObject({ stop: "length" });
    expect(cut.message.content).toHaveLength(1);
    expect((await limitedTo(0))?.type).toBe("end");
  });
});

describe("with the real tools", () => {
  /** Runs turns as the kernel does, without holds: model, tools, model, until it stops calling. */
  async function talk(...texts: readonly string[]): Promise<readonly string[]> {
    const world = toolWorld();
    const messages: Message[] = [assistant(`I am the ${DEMO_MARK}.`)];
    let task = 0;
    for (const text of texts) {
      messages.push(user(text));
      for (let steps = 0; steps < 4; steps++) {
        const last = (await framesOf(requestOf(messages))).at(-1);
        if (last?.type !== "end") throw new Error("the stream did not end well");
        messages.push(last.message);
        const calls = last.message.content.filter((part) => part.type === "call");
        if (calls.length === 0) break;
        for (const { id, name, args } of calls) {
          const tool = TOOLS.find((candidate) => candidate.name === name);
          if (tool === undefined) throw new Error(`no tool ${name}`);
          const { text: given, isError = false } = await run(tool, JSON.parse(args) as Json, world.context(++task));
          messages.push({
            role: "tool",
            callId: id,
            name,
            content: [{ type: "text", text: given }],
            isError,
          } satisfies ToolMessage);
        }
      }
    }
    return messages.flatMap((message) =>
      message.role === "assistant" && message.stop === "end"
        ? message.content.map((part) => ("text" in part ? part.text : ""))
        : [],
    );
  }

  it("[G-34] [G-36] a whole conversation comes out true", async () => {
    const [, time, sum, added, found, wrong, page, hook, several, deleted, gone] = await talk(
      "What time is it in Tokyo?",
      "What is 17% of 2,340?",
      "Add a note: buy milk",
      "search my notes for milk",
      "What time is it in Tokio?",
      "read https://example.com/",
      "call the deploy webhook",
      "use several tools at once",
      "delete note n3",
      "list my notes",
    );
    expect(time).toBe(
      "It is Saturday, 29 November 2025, 20:55:03 in Asia/Tokyo (UTC+09:00), 2025-11-29T20:55:03+09:00.",
    );
    expect(sum).toBe("`(17/100)*2340 = 397.8`");
    expect(added).toBe("Note n3 is kept: buy milk");
    expect(found).toContain("- n3 (2025-11-29 11:55 UTC): buy milk");
    expect(wrong).toBe('The time in `Tokio` failed: "Tokio" is not a known time zone. Did you mean "Asia/Tokyo"?');
    expect(page).toContain("> Title: Example\n>\n> # Example Domain");
    expect(hook).toBe(
      "The webhook was called.\n\n> the deployment answered with status 200.\n> Its reply, untrusted text:\n> queued",
    );
    expect(several).toContain("`6 * 7 = 42`");
    expect(deleted).toBe("Note n3 is deleted.");
    expect(gone).toBe("There are no notes yet.");
  });
});
