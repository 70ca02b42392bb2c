import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ModelRequest } from "../../src/kernel/ports/model.ts";
import type { Message } from "../../src/protocol/message.ts";
import { type Answer, CLAUDE_MODELS, createModelServer, type ModelServer } from "../kit/model-server/index.ts";
import { anyText, anyThinking, anyTools } from "./arbitrary.ts";
import { CLOCK_TOOL, KEY, listenTo, makeRequest, openWorld, resultsOf, say } from "./kit.ts";

/** The models of a world, asked without a network. */
async function inProcess(): Promise<{
  server: ModelServer;
  ask: (request: ModelRequest) => ReturnType<typeof listenTo>;
}> {
  const server = createModelServer({ key: KEY });
  const world = await openWorld({
    fetch: (input, init) => server.fetch(new Request(input instanceof Request ? input : String(input), init)),
  });
  await world[Symbol.asyncDispose]();
  return { server, ask: (request) => listenTo(world.models.port.stream(request, new AbortController().signal)) };
}

/** The prompt of a recorded request, without what is no part of it. */
function promptOf(body: { readonly [key: string]: unknown }): string[] {
  const list = (body.messages ?? body.input) as unknown[];
  return list.map((item) =>
    JSON.stringify(item, (key, value: unknown) => (key === "cache_control" ? undefined : value)),
  );
}

const THINKERS = [...CLAUDE_MODELS.map((id) => `anthropic/${id}`), "a/claude-opus-5-5", "r/gpt-6.2-sol", "c/local"];

describe.each(THINKERS)("a conversation with %s", (model) => {
  it("[M-20] [M-24] [M-26] sends all thinking back, byte for byte, behind an unchanged beginning", async () => {
    const { server, ask } = await inProcess();
    const messages: Message[] = [say("First?")];
    for (const [step, volatile] of ["now 1", "now 2", "now 2", "now 3", ""].entries()) {
      server.reply({ thinking: [`thought ${step}`], text: ["ok"], calls: [{ name: "clock", args: '{"zone":"UTC"}' }] });
      const told = await ask(
        makeRequest({ model, thinking: "high", volatile, messages: [...messages], tools: [CLOCK_TOOL] }),
      );
      expect(told.error).toBeUndefined();
      if (told.message) messages.push(told.message, ...resultsOf(told.message), ...(step % 2 ? [say("And?")] : []));
    }
    for (const { complaints, dropped } of server.requests)
      expect({ complaints, dropped }).toEqual({ complaints: [], dropped: 0 });
    const prompts = server.requests.map(({ body }) => promptOf(body));
    const last = JSON.stringify(server.requests.at(-1)?.body);
    for (const step of [0, 1, 2, 3]) expect(last).toContain(`thought ${step}`);
    if (model === "c/local") return;
    for (const [at, prompt] of prompts.slice(0, -1).entries()) {
      expect(prompts[at + 1]?.slice(0, prompt.length)).toEqual(prompt);
    }
  });

  it("[M-24] gives another model none of it", async () => {
    const { server, ask } = await inProcess();
    server.reply({ thinking: ["secret thought"], text: ["ok"] });
    const first = await ask(makeRequest({ model, thinking: "high" }));
    const messages = [say("Hello?"), ...(first.message ? [first.message] : []), say("Again")];
    for (const other of THINKERS.filter((name) => name !== model)) {
      await ask(makeRequest({ model: other, thinking: "high", messages }));
      const { body, complaints } = server.requests.at(-1) ?? { body: {}, complaints: ["none"] };
      expect(complaints).toEqual([]);
      expect(JSON.stringify(body)).not.toContain("secret thought");
      expect(JSON.stringify(body)).not.toMatch(/sig\.|enc\./);
    }
  });

  it("[M-24] leaves it out where the transcript was edited", async () => {
    const { server, ask } = await inProcess();
    server.reply({ thinking: ["secret thought"], text: ["ok"] });
    const { message } = await ask(makeRequest({ model, thinking: "high" }));
    const edited: Message = {
      role: "assistant",
      content: [{ type: "text", text: "edited" }],
      stop: "end",
      ...(message?.native ? { native: message.native } : {}),
    };
    await ask(makeRequest({ model, thinking: "high", messages: [say("Hello?"), edited, say("Again")] }));
    const { body, complaints } = server.requests.at(-1) ?? { body: {}, complaints: ["none"] };
    expect(complaints).toEqual([]);
    if (model !== "c/local") expect(JSON.stringify(body)).not.toContain("secret thought");
    expect(JSON.stringify(body)).toContain("edited");
  });
});

interface Step {
  readonly model: string;
  readonly thinking: ModelRequest["thinking"];
  readonly volatile: string;
  readonly answer: Answer;
  readonly before: Message[];
  /** What happens to the conversation before this step, other than being appended to. */
  readonly upset: "nothing" | "system" | "tools" | "compaction" | "edit";
}

const anyAnswer: fc.Arbitrary<Answer> = fc.record(
  {
    thinking: fc.array(anyText, { minLength: 1, maxLength: 2 }),
    redacted: fc.constantFrom("x", "y"),
    text: fc.array(anyText, { maxLength: 2 }),
    calls: fc.array(
      fc.record({ name: fc.constantFrom("clock", "gone"), args: fc.constantFrom("{}", '{"a":', '{"z":1}') }),
      {
        minLength: 1,
        maxLength: 2,
      },
    ),
    refusal: fc.constant("No."),
    limit: fc.constant(true as const),
  },
  { requiredKeys: [] },
);

const anyStep: fc.Arbitrary<Step> = fc.record({
  model: fc.constantFrom(...THINKERS),
  thinking: anyThinking,
  volatile: fc.constantFrom("", "now 1", "now 2"),
  answer: anyAnswer,
  before: fc.array(
    fc.oneof(
      anyText.map(say),
      anyText.map((text): Message => ({ role: "system", text })),
    ),
    { maxLength: 2 },
  ),
  upset: fc.oneof(
    { weight: 5, arbitrary: fc.constant("nothing" as const) },
    fc.constantFrom("system", "tools", "compaction", "edit"),
  ),
});

describe("conversations of all kinds", () => {
  it("[M-13] [M-27] no history that models, people and edits made together is refused", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 1, maxLength: 6 }), anyTools, async (steps, tools) => {
        const { server, ask } = await inProcess();
        let messages: Message[] = [];
        let system = "You are Althing.";
        let offered = [CLOCK_TOOL, ...tools.filter(({ name }) => name !== "clock")];
        for (const step of steps) {
          if (step.upset === "system") system += " Changed.";
          if (step.upset === "tools") offered = offered.slice(1);
          if (step.upset === "compaction")
            messages = messages.slice(messages.findLastIndex(({ role }) => role === "user"));
          if (step.upset === "edit") messages = messages.map((one) => (one.role === "user" ? say("edited") : one));
          messages = [...messages, ...step.before];
          server.reply(step.answer);
          const { model, thinking, volatile } = step;
          const told = await ask(makeRequest({ model, thinking, volatile, system, messages, tools: offered }));
          expect(server.requests.at(-1)?.complaints).toEqual([]);
          if (told.message) messages = [...messages, told.message, ...resultsOf(told.message)];
        }
      }),
      { numRuns: 150 },
    );
  });
});
