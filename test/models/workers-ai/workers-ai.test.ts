import { describe, expect, it } from "vitest";
import type { AiBinding } from "../../../src/models/index.ts";
import { createModels } from "../../../src/models/index.ts";
import { configSchema } from "../../../src/protocol/config.ts";
import { CLOCK_TOOL, listenTo, makeRequest, mutePort, realClock } from "../kit.ts";

const CONFIG = configSchema.parse({
  providers: {
    cf: { kind: "workers-ai", models: [{ id: "@cf/meta/llama", images: true, price: { input: 1, output: 2 } }] },
  },
});

function ask(ai: AiBinding | undefined, signal = new AbortController().signal) {
  const { port } = createModels({
    config: CONFIG,
    secrets: () => undefined,
    loadFile: () => Promise.reject(new Error("none")),
    demo: mutePort,
    clock: realClock,
    ...(ai ? { ai } : {}),
  });
  return listenTo(port.stream(makeRequest({ model: "cf/@cf/meta/llama", tools: [CLOCK_TOOL] }), signal));
}

/** A binding that streams these events, as text or as JSON. */
function streaming(...events: unknown[]): AiBinding {
  const lines = events.map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`);
  return { run: () => Promise.resolve(new Blob(lines).stream()) };
}

const throwing = (reason: Error): AiBinding => ({ run: () => Promise.reject(reason) });
const USAGE = { usage: { prompt_tokens: 10, completion_tokens: 3 } };

describe("Workers AI", () => {
  it("[M-1] [M-33] reads the older form of chunks", async () => {
    const told = await ask(streaming({ response: "Good " }, { response: "day" }, { response: "", ...USAGE }, "[DONE]"));
    expect(told.text).toBe("Good day");
    expect(told.message).toMatchObject({ stop: "end" });
    expect(told.usage).toMatchObject({ input: 10, output: 3, costMicros: 16 });
  });

  it("[M-1] reads the newer form of chunks, reasoning included", async () => {
    const delta = (value: unknown) => ({ choices: [{ index: 0, delta: value, finish_reason: null }] });
    const told = await ask(
      streaming(delta({ reasoning_content: "hm" }), delta({ content: "yes" }), { ...delta({}), ...USAGE }, "[DONE]"),
    );
    expect(told.thinking).toBe("hm");
    expect(told.text).toBe("yes");
  });

  it("[M-30] decides by the presence of calls: the finish reason stays stop", async () => {
    const older = streaming(
      { tool_calls: [{ name: "clock", arguments: { zone: "UTC" } }] },
      { response: "", ...USAGE },
      "[DONE]",
    );
    const newer = streaming(
      { choices: [{ delta: { tool_calls: [{ index: 0, id: "c1", function: { name: "clock", arguments: "" } }] } }] },
      { choices: [{ delta: { tool_calls: [{ index: 0, function: { arguments: '{"zone":"UTC"}' } }] } }] },
      {
        choices: [
          {
            delta: { tool_calls: [{ index: 0, id: null, function: { name: null, arguments: "" } }] },
            finish_reason: "stop",
          },
        ],
      },
      "[DONE]",
    );
    for (const ai of [older, newer]) {
      const { message } = await ask(ai);
      expect(message?.stop).toBe("calls");
      expect(message?.content).toMatchObject([{ type: "call", name: "clock", args: '{"zone":"UTC"}' }]);
    }
  });

  it("[M-1] takes the whole answer of a model that does not stream", async () => {
    const whole: AiBinding = { run: () => Promise.resolve({ response: "All at once", ...USAGE }) };
    expect((await ask(whole)).text).toBe("All at once");
    const chat: AiBinding = {
      run: () => Promise.resolve({ choices: [{ message: { content: "Whole" }, finish_reason: "stop" }] }),
    };
    expect((await ask(chat)).text).toBe("Whole");
  });

  it("[M-2] a stream without its end is cut", async () => {
    expect((await ask(streaming({ response: "Good " }))).error).toMatchObject({ kind: "cut", retryable: true });
  });

  it("[M-6] an error inside the stream is an error", async () => {
    expect((await ask(streaming({ errors: [{ code: 500, message: "no" }] }))).error?.kind).toBe("server");
    expect((await ask(streaming({ error: "boom" }))).error?.kind).toBe("server");
  });

  it("[M-34] [M-35] [M-36] reads the codes of what the binding throws", async () => {
    const table: [Error, string, boolean][] = [
      [new Error("3040: Capacity temporarily exceeded, please try again."), "overloaded", true],
      [new Error("AiError: 3036: you have used up your daily free allocation"), "rate_limit", false],
      [new Error("5007: No such model @cf/nobody"), "unknown_model", false],
      [new Error("5016: agree to the terms"), "auth", false],
      [
        new Error("AiError: 5021: The estimated number of tokens exceeded this model context window limit"),
        "context_overflow",
        false,
      ],
      [
        new Error("The estimated number of input tokens exceeds this model's context window limit"),
        "context_overflow",
        false,
      ],
      [Object.assign(new Error("Timeout"), { code: 3007 }), "server", true],
      [new Error("something else"), "server", true],
    ];
    for (const [error, kind, retryable] of table)
      expect((await ask(throwing(error))).error).toMatchObject({ kind, retryable });
  });

  it("[M-46] without the binding it says so and sends nothing", async () => {
    const { error } = await ask(undefined);
    expect(error).toMatchObject({ kind: "auth", retryable: false });
    expect(error?.message).toContain("binding AI");
  });

  it("[M-8] an abort reaches the binding", async () => {
    const stop = new AbortController();
    let inner: AbortSignal | undefined;
    const hanging: AiBinding = {
      run: (_model, _inputs, options) => {
        inner = options?.signal;
        return new Promise(() => undefined);
      },
    };
    const asked = ask(hanging, stop.signal);
    await realClock.wait(Date.now() + 20, new AbortController().signal);
    stop.abort();
    expect((await asked).error?.kind).toBe("aborted");
    expect(inner?.aborted).toBe(true);
  });
});
