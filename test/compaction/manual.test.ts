import { describe, expect, it } from "vitest";
import { forkOf } from "../fork/make.ts";
import { entriesOf, send, tool } from "../kernel/make.ts";
import { checkMessages } from "../kit/check-messages.ts";
import { type KernelWorld, settle } from "../kit/kernel-world.ts";
import type { ScriptedAnswer } from "../kit/scripted-model.ts";
import { asked, chat, compactionEvents, counting, settingsWith, summariesOf, textsOf, WINDOW, words } from "./kit.ts";
import { smallWorld } from "./small-world.ts";

const ANSWER: ScriptedAnswer = { text: words("Answer", 200) };
const CALL: ScriptedAnswer = { text: "On it.", calls: [{ name: "look", args: "{}" }] };

/** A tool that waits, and a model that calls it when told to go. */
function waiting() {
  const gate = Promise.withResolvers<void>();
  const world = smallWorld({
    tools: [tool("look", () => gate.promise.then(() => ({ text: "found" })))],
    script: counting((request) => (textsOf(request).at(-1)?.startsWith("go") === true ? CALL : ANSWER)),
  });
  return { world, open: () => gate.resolve() };
}

function stage(world: KernelWorld): string | undefined {
  return world.kernel.snapshot().view.compaction?.stage;
}

describe("by hand", () => {
  it("[Q-6] [Q-20] idle: a summary is made and placed at once, and no turn begins", async () => {
    const world = smallWorld();
    await chat(world, 5);
    const before = asked(world).answers.length;
    expect(world.kernel.compact()).toBe("started");
    expect(world.kernel.snapshot().view.turn).toBeNull();
    await world.run();
    expect(compactionEvents(world)).toEqual(["started manual", "finished manual"]);
    expect(asked(world).answers).toHaveLength(before);
    expect(world.alarm.armedFor).toBeNull();
    expect(summariesOf(world)[0]?.data.reason).toBe("manual");
  });

  it("[Q-6] with nothing older it says so and writes nothing; while one is live it is busy", async () => {
    const world = smallWorld();
    expect(world.kernel.compact()).toBe("nothing");
    await chat(world, 1, 20);
    const rev = world.kernel.snapshot().rev;
    expect(world.kernel.compact()).toBe("nothing");
    expect(world.kernel.snapshot().rev).toBe(rev);
    await chat(world, 5);
    expect(world.kernel.compact()).toBe("started");
    expect(world.kernel.compact()).toBe("busy");
    await world.run();
    expect(summariesOf(world)).toHaveLength(1);
  });

  it("[Q-6] while a fork is still being copied it is busy", async () => {
    const parent = smallWorld();
    await chat(parent, 5);
    const fork = forkOf(parent, entriesOf(parent, "core.assistant").at(-1)?.id ?? 0, {
      settings: settingsWith(WINDOW),
      script: counting(),
    });
    expect(fork.kernel.compact()).toBe("busy");
    await fork.run();
    expect(fork.kernel.compact()).toBe("started");
    await fork.run();
    expect(summariesOf(fork)).toHaveLength(1);
  });

  it("[Q-20] in a turn the summary waits for the next step, and the call keeps its result", async () => {
    const { world, open } = waiting();
    await chat(world, 5);
    send(world, "go");
    await settle();
    expect(world.kernel.compact()).toBe("started");
    await settle();
    expect(stage(world)).toBe("placing");
    expect(summariesOf(world)).toEqual([]);
    open();
    await world.run();
    const [summary] = summariesOf(world);
    const result = entriesOf(world, "core.tool_result")[0];
    expect(summary?.entry.id).toBeGreaterThan(result?.id ?? 0);
    const last = asked(world).answers.at(-1);
    expect(checkMessages(last?.messages ?? [])).toEqual([]);
    const texts = last ? textsOf(last) : [];
    expect(texts[0]).toContain("They talked.");
    expect(texts).toContain("go");
    expect(texts.at(-1)).toBe("found");
    expect(compactionEvents(world)).toEqual(["started manual", "finished manual"]);
  });

  it("[Q-20] a request under way and its repeats stay as pinned; the summary is placed at the turn's end", async () => {
    let failures = 0;
    const world = smallWorld({
      script: counting((request) => {
        const isLast = textsOf(request).at(-1)?.startsWith("again") === true;
        return isLast && failures++ < 2 ? { error: {} } : ANSWER;
      }),
    });
    await chat(world, 5);
    send(world, words("again", 100));
    await settle();
    expect(world.kernel.snapshot().view.turn?.stage).toBe("retrying");
    expect(world.kernel.compact()).toBe("started");
    await settle();
    expect(stage(world)).toBe("placing");
    await world.run();
    const tries = asked(world).answers.slice(-3);
    expect(tries[1]).toEqual(tries[0]);
    expect(tries[2]).toEqual(tries[0]);
    const answer = entriesOf(world, "core.assistant").at(-1);
    expect(summariesOf(world)[0]?.entry.id).toBeGreaterThan(answer?.id ?? 0);
    expect(world.kernel.history.sentRequest(answer?.id ?? 0)?.request).toEqual(tries[2]);
  });

  it("[Q-9] a call that still runs is not summarised", async () => {
    const { world, open } = waiting();
    send(world, words("go", 1_500));
    await settle();
    expect(world.kernel.compact()).toBe("nothing");
    open();
    await world.run();
    expect(entriesOf(world, "core.tool_result")).toHaveLength(1);
  });

  it.each(["reset", "rewind"])("[Q-22] [C-21] a %s meanwhile makes the summary stale", async (how) => {
    const gate = Promise.withResolvers<void>();
    const slow = () => ({ text: "They talked.", pieces: 3, between: () => gate.promise });
    const world = smallWorld({ script: counting(undefined, slow) });
    await chat(world, 5);
    expect(world.kernel.compact()).toBe("started");
    await settle();
    if (how === "reset") expect(world.kernel.history.reset("anna")).toBe("placed");
    else expect(world.kernel.history.rewind(1, "anna")).toEqual({ ok: false, error: "busy" });
    gate.resolve();
    await world.run();
    const isStale = how === "reset";
    expect(compactionEvents(world).at(-1)).toBe(isStale ? "failed manual stale" : "finished manual");
    expect(summariesOf(world)).toHaveLength(isStale ? 0 : 1);
  });

  it("[Q-22] a reset that waits for the turn's end is placed before the summary, which is stale then", async () => {
    const { world, open } = waiting();
    await chat(world, 5);
    send(world, "go");
    await settle();
    world.kernel.compact();
    await settle();
    expect(world.kernel.history.reset("anna")).toBe("queued");
    open();
    await world.run();
    expect(compactionEvents(world)).toEqual(["started manual", "failed manual stale"]);
    expect(summariesOf(world)).toEqual([]);
  });

  it("[Q-27] is stopped by itself only", async () => {
    const gate = Promise.withResolvers<void>();
    const slow = () => ({ text: "They talked.", pieces: 3, between: () => gate.promise });
    const usage = { input: 70, output: 0, cachedRead: 0, cachedWrite: 0, costMicros: 0 };
    const { world } = { world: smallWorld({ script: counting(undefined, () => ({ ...slow(), error: { usage } })) }) };
    await chat(world, 5);
    const spent = world.control.usage.input;
    world.kernel.compact();
    await settle();
    expect(world.kernel.stop()).toBe(false);
    const { task = 0 } = world.kernel.snapshot().view.compaction ?? {};
    expect(world.kernel.commit((tx) => tx.abort(task))).toBe(true);
    expect(world.kernel.snapshot().view.compaction?.stopping).toBe(true);
    gate.resolve();
    await world.run();
    expect(compactionEvents(world)).toEqual(["started manual", "failed manual stopped"]);
    expect(world.kernel.receipt(task)).toMatchObject({ outcome: "aborted", result: { code: "stopped" } });
    expect(world.control.usage.input - spent).toBe(70);
  });

  it("[Q-27] [C-20] stopping the turn stops the compaction that it waits for, and leaves another alone", async () => {
    const world = smallWorld({
      script: counting(undefined, () => ({ text: "They talked.", pieces: 3, between: (signal) => aborted(signal) })),
    });
    await chat(world, 7);
    send(world, words("now", 300));
    await settle();
    expect(world.kernel.snapshot().view.turn?.stage).toBe("compacting");
    expect(world.kernel.stop()).toBe(true);
    await world.run();
    expect(compactionEvents(world)).toEqual(["started threshold", "failed threshold stopped"]);
    expect(world.control.turn).toBeNull();

    const { world: other, open } = waiting();
    await chat(other, 5);
    send(other, "go");
    await settle();
    other.kernel.compact();
    other.kernel.stop();
    open();
    await other.run();
    expect(compactionEvents(other)).toEqual(["started manual", "finished manual"]);
  });

  it("[Q-29] settings are those of whoever spoke last; a host that cannot say is asked again", async () => {
    let isDown = false;
    const speakers: string[] = [];
    const world = smallWorld({
      settings: (speaker) => {
        speakers.push(`${speaker.actor} ${JSON.stringify(speaker.meta)}`);
        if (isDown) throw new Error("no directory");
        return { model: "test/model", thinking: "high", contextTokens: WINDOW, offers: () => true };
      },
    });
    await chat(world, 4);
    send(world, words("bert", 200), { actor: "p_bert", meta: { tier: "owner" } });
    await world.run();
    isDown = true;
    world.kernel.compact();
    await settle();
    expect(stage(world)).toBe("retrying");
    isDown = false;
    await world.run();
    expect(new Set(speakers.slice(5))).toEqual(new Set(['p_bert {"tier":"owner"}']));
    expect(summariesOf(world)).toHaveLength(1);
    expect(asked(world).summaries[0]?.thinking).toBe("off");
  });

  it.each([
    ["refuses", { model: "test/model", refusal: "You may not." }, "You may not."],
    ["has no model", { model: null }, "No model is configured"],
  ])("[Q-29] [Q-26] a host that %s fails the compaction", async (_name, changes, error) => {
    let extra = {};
    const base = settingsWith(WINDOW);
    const world = smallWorld({ settings: async (...args) => ({ ...(await base(...args)), ...extra }) });
    await chat(world, 5);
    extra = changes;
    world.kernel.compact();
    const { task = 0 } = world.kernel.snapshot().view.compaction ?? {};
    await world.run();
    expect(compactionEvents(world)).toEqual(["started manual", "failed manual no_model"]);
    const receipt = world.kernel.receipt(task);
    expect(receipt).toMatchObject({ outcome: "failed", result: { code: "no_model" } });
    expect(JSON.stringify(receipt?.result)).toContain(error);
  });
});

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
