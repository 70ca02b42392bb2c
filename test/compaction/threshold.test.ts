import { describe, expect, it } from "vitest";
import { contextTokensOf, textTokens } from "../../src/kernel/compaction/estimate.ts";
import { entriesOf, send, tool } from "../kernel/make.ts";
import { checkMessages } from "../kit/check-messages.ts";
import { type KernelWorld, settle } from "../kit/kernel-world.ts";
import type { ScriptedAnswer } from "../kit/scripted-model.ts";
import { asked, chat, compactionEvents, counting, settingsWith, summariesOf, textsOf, WINDOW, words } from "./kit.ts";
import { smallWorld } from "./small-world.ts";

function configure(world: KernelWorld, key: string, value: boolean | number | string): void {
  world.kernel.commit((tx) => tx.configure(key, value));
}

describe("threshold", () => {
  it("[Q-1] [Q-21] [Q-26] [C-20] the turn waits for a summary before a request that would fill the window", async () => {
    const world = smallWorld();
    await chat(world, 10);
    expect(compactionEvents(world)).toEqual(["started threshold", "finished threshold"]);
    const { answers } = asked(world);
    const last = answers.at(-1);
    expect(last && textsOf(last)[0]).toContain("They talked.");
    expect(answers.flatMap((request) => checkMessages(request.messages))).toEqual([]);
    expect(world.control.turn).toBeNull();
    const [{ entry, data } = { entry: undefined, data: undefined }] = summariesOf(world);
    expect(data).toMatchObject({ reason: "threshold", model: "test/model" });
    expect(data?.tokensAfter).toBeLessThan(data?.tokensBefore ?? 0);
    const [event] = world.commits.flatMap(({ events }) => events).filter(({ type }) => type === "compaction.finished");
    expect(event?.["entry"]).toBe(entry?.id);
    expect(world.kernel.receipt(Number(event?.["task"]))).toMatchObject({
      outcome: "completed",
      result: { entry: entry?.id },
    });
  });

  it("[Q-21] prompt and tools are stated anew after a summary, whatever the turn kept of before", async () => {
    const world = smallWorld({
      tools: [tool("look", () => Promise.resolve({ text: "found" }))],
      register: (registry) => {
        registry.registerSection({ name: "who", kind: "stable", render: () => "You are Althing." });
      },
    });
    await chat(world, 10);
    const [summary] = summariesOf(world);
    const prompts = entriesOf(world, "core.system").map(({ id }) => id);
    expect(prompts).toHaveLength(2);
    expect(prompts[1]).toBeGreaterThan(summary?.entry.id ?? Number.POSITIVE_INFINITY);
    const { answers } = asked(world);
    expect(answers.every(({ system, tools }) => system === "You are Althing." && tools.length === 1)).toBe(true);
  });

  it("[Q-21] [I-43] a prompt that is gone is not sent again from what a summary kept", async () => {
    let prompt = "You are Althing.";
    const world = smallWorld({
      register: (registry) => {
        registry.registerSection({ name: "who", kind: "stable", render: () => prompt });
      },
    });
    await chat(world, 5);
    prompt = "Now you are Ting.";
    await chat(world, 1, 200, "more");
    prompt = "";
    world.kernel.compact();
    await world.run();
    await chat(world, 1, 100, "later");
    expect(asked(world).answers.at(-1)?.system).toBe("");
    expect(entriesOf(world, "core.system")).toHaveLength(3);
  });

  it.each([
    [3_000, []],
    [3_001, ["started threshold", "finished threshold"]],
  ])("[Q-1] at %i tokens of a threshold of 3,000: %j", async (tokens, events) => {
    const text = words("now", 300);
    const counted = tokens - (4 + 4 + textTokens(text));
    const usage = { input: 1, output: 0, cachedRead: 0, cachedWrite: 0, costMicros: 0 };
    const world = smallWorld({
      script: counting((_request, nth) => {
        const input = nth === 4 ? counted : 1;
        return { text: words("Answer", 300), usage: { ...usage, input } };
      }),
    });
    await chat(world, 5, 300);
    send(world, text);
    await world.run();
    expect(compactionEvents(world)).toEqual(events);
  });

  it.each([
    ["autoCompact off", settingsWith(WINDOW), "autoCompact", false],
    ["an unknown window", settingsWith(undefined), "autoCompact", true],
  ] as const)("[Q-1] none begins by itself with %s", async (_name, settings, key, value) => {
    const world = smallWorld({ settings });
    configure(world, key, value);
    await chat(world, 10);
    expect(compactionEvents(world)).toEqual([]);
  });

  it("[Q-1] compactAt moves the threshold; a value that makes no sense counts as the default", async () => {
    const early = smallWorld();
    configure(early, "compactAt", 0.4);
    await chat(early, 5);
    expect(compactionEvents(early)).toContain("finished threshold");
    const odd = smallWorld();
    configure(odd, "compactAt", "soon");
    await chat(odd, 5);
    expect(compactionEvents(odd)).toEqual([]);
    await chat(odd, 5, 200, "more");
    expect(compactionEvents(odd)).toContain("finished threshold");
  });

  it("[Q-2] counts what the vendor counted and estimates the rest", async () => {
    const usage = { input: 100, output: 20, cachedRead: 1_000, cachedWrite: 300, costMicros: 0 };
    const world = smallWorld({ script: counting(() => ({ text: "Fine.", usage })) });
    await chat(world, 2);
    send(world, words("third", 400));
    const { answers } = asked(world);
    expect(answers).toHaveLength(2);
    const prompt = { system: "s".repeat(400), volatile: "v".repeat(40), tools: [] };
    const entries = world.kernel.history.entriesAfter(0, 100).map((entry) => ({ ...entry, rev: 1 }));
    const estimate = contextTokensOf(entries, prompt, "p".repeat(80));
    // Without the requests' cutoffs nothing was counted: everything is estimated, the prompt too.
    expect(estimate).toBeGreaterThan(110 + 20 + 2 * 200);
    expect(estimate).toBeLessThan(110 + 20 + 1 + 3 * 600);
    await world.run();
    const sent = entries.map((entry) => (entry.kind === "core.assistant" ? { ...entry, request: SENT } : entry));
    expect(contextTokensOf(sent, prompt, "")).toBe(1_420 + 4 + 4 + 400 + 2);
  });

  it("[Q-2] a file counts as 1,500 tokens, and an answer of before a summary counts nothing", () => {
    const file = { id: "f", name: "a.png", mime: "image/png", bytes: 3_000_000 };
    const base = { rev: 1, at: 0 } as const;
    const user = {
      ...base,
      id: 1,
      kind: "core.user",
      message: { role: "user", content: [{ type: "file", file }] },
    } as const;
    const none = { system: "", volatile: "", tools: [] };
    expect(contextTokensOf([user], none, "")).toBe(1_500 + 4 + 1);
    const answer = {
      ...base,
      id: 5,
      kind: "core.assistant",
      message: { role: "assistant", content: [{ type: "text", text: "Fine." }], stop: "end" },
      data: { usage: { input: 9_000, output: 1, cachedRead: 0, cachedWrite: 0, costMicros: 0 } },
      request: { ...SENT, cutoff: 3 },
    } as const;
    expect(contextTokensOf([user, answer], none, "")).toBe(9_001);
    const summary = { ...base, id: 4, kind: "core.summary", message: { role: "user", content: [] }, head: [] } as const;
    expect(contextTokensOf([summary, answer], none, "")).toBeLessThan(100);
  });

  it.each([
    ["nothing", [], []],
    ["a steering input", [900], ["started threshold", "finished threshold"]],
  ] as const)("[Q-3] %s that waits counts", async (_name, steering, events) => {
    const gate = Promise.withResolvers<void>();
    const world = smallWorld({
      tools: [tool("look", () => gate.promise.then(() => ({ text: "found" })))],
      script: counting((request) => (textsOf(request).at(-1)?.startsWith("go") === true ? CALL : ANSWER)),
    });
    await chat(world, 4);
    send(world, words("go", 300));
    await settle();
    for (const tokens of steering) send(world, words("and", tokens));
    gate.resolve();
    await world.run();
    expect(compactionEvents(world)).toEqual(events);
  });

  it("[Q-7] a step that needs a summary waits for the one that is being made", async () => {
    const gate = Promise.withResolvers<void>();
    const world = smallWorld({
      script: counting(undefined, () => ({ text: "They talked.", pieces: 3, between: () => gate.promise })),
    });
    await chat(world, 7);
    expect(world.kernel.compact()).toBe("started");
    await settle();
    send(world, words("now", 300));
    await settle();
    expect(world.kernel.snapshot().view.turn?.stage).toBe("compacting");
    expect(world.kernel.snapshot().view.compaction?.reason).toBe("manual");
    gate.resolve();
    await world.run();
    expect(compactionEvents(world)).toEqual(["started manual", "finished manual"]);
    expect(asked(world).answers.map(textsOf).at(-1)?.[0]).toContain("They talked.");
  });

  it("[Q-22] [T-48] a reset while the turn waits between its steps ends it, and no further step begins", async () => {
    const gate = Promise.withResolvers<void>();
    const world = smallWorld({
      tools: [tool("look", () => Promise.resolve({ text: words("found", 1_500) }))],
      script: counting(
        (request) => (textsOf(request).at(-1)?.startsWith("go") === true ? CALL : ANSWER),
        () => ({ text: "They talked.", pieces: 3, between: () => gate.promise }),
      ),
    });
    await chat(world, 4);
    send(world, "go");
    await settle();
    expect(world.kernel.snapshot().view.turn?.stage).toBe("compacting");
    const sent = asked(world).answers.length;
    expect(world.kernel.history.reset("anna")).toBe("queued");
    gate.resolve();
    await world.run();
    expect(compactionEvents(world)).toEqual(["started threshold", "finished threshold"]);
    expect(asked(world).answers).toHaveLength(sent);
    expect(world.kernel.input("p_anna:go")?.state).toMatchObject({ status: "unanswered", reason: "reset" });
    expect(entriesOf(world, "core.reset")).toHaveLength(1);
  });

  it("[Q-25] a failed summary leaves the turn going on, and none is tried again in it", async () => {
    const world = smallWorld({
      tools: [tool("look", () => Promise.resolve({ text: words("found", 100) }))],
      script: counting(
        (request) => (textsOf(request).at(-1)?.startsWith("go") === true ? CALL : ANSWER),
        () => ({ text: "" }),
      ),
    });
    await chat(world, 7);
    send(world, words("go", 400));
    await world.run();
    expect(compactionEvents(world)).toEqual(["started threshold", "failed threshold unusable"]);
    expect(world.kernel.input(`p_anna:${words("go", 400)}`)?.state.status).toBe("done");
    // The next turn tries anew.
    await chat(world, 1, 200, "later");
    expect(compactionEvents(world).slice(2)).toEqual(["started threshold", "failed threshold unusable"]);
  });

  it("[Q-11] a threshold that prompt and tools alone reach does not summarise at every step", async () => {
    const world = smallWorld({
      register: (registry) => {
        registry.registerSection({ name: "who", kind: "stable", render: () => words("You are Althing.", 2_800) });
      },
      settings: settingsWith(WINDOW),
    });
    await chat(world, 12, 100);
    const events = compactionEvents(world).filter((event) => event === "started threshold");
    expect(events.length).toBeLessThan(6);
  });
});

const SENT = { model: "test/model", thinking: "off", volatile: "", cutoff: 1 } as const;
const CALL: ScriptedAnswer = { calls: [{ name: "look", args: "{}" }] };
const ANSWER: ScriptedAnswer = { text: words("Answer", 200) };
