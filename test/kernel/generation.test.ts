import { describe, expect, it, vi } from "vitest";
import type { ModelError } from "../../src/kernel/index.ts";
import { MAX_RETRY_AFTER_MS, MAX_STEPS } from "../../src/kernel/limits.ts";
import type { Run } from "../../src/kernel/registry/task-kind.ts";
import { decideRetry } from "../../src/kernel/turn/retry.ts";
import type { Usage } from "../../src/protocol/message.ts";
import type { KernelWorld } from "../kit/kernel-world.ts";
import { decideAll, registerGate } from "../kit/mini-gate.ts";
import { plantTask } from "../kit/planted-task.ts";
import { SCRIPTED_USAGE, type Script, untilAborted } from "../kit/scripted-model.ts";
import { ANNA, containing, entriesOf, lines, results, send, textOf, tool } from "./make.ts";
import { TEST_KIND, testKind } from "./make-task.ts";
import { started } from "./started.ts";

// Long histories on a busy machine.
vi.setConfig({ testTimeout: 30_000 });

const look = tool("look", () => Promise.resolve({ text: "seen" }));
const callLook = { calls: [{ name: "look", args: "{}" }] };
const checkpointOf = (world: KernelWorld) => Object.values(world.control.tasks)[0]?.checkpoint;
const turnOf = (world: KernelWorld) => world.kernel.snapshot().view.turn;

/** `data.display` and text of the entries that are shown only. */
function shownOnly(world: KernelWorld) {
  return entriesOf(world, "core.assistant").flatMap((entry) => {
    const { display } = entry.data as { display?: { reason: string; error?: string } };
    return display ? [{ ...display, text: textOf(entry) }] : [];
  });
}

describe("the request", () => {
  it("[T-12] [I-42] [I-57] is committed before it leaves, with its cutoff and settings", async () => {
    const seen: unknown[] = [];
    const world = started({
      tools: [look],
      settings: () => ({ model: "test/big", thinking: "high", offers: () => true }),
      script: () => {
        seen.push(checkpointOf(world));
        return { text: "ok" };
      },
    });
    send(world, "hi");
    await world.run();
    expect(seen).toMatchObject([
      {
        phase: "requesting",
        step: 1,
        attempt: 1,
        pinned: { model: "test/big", thinking: "high", tools: ["look"], cutoff: 3 },
      },
    ]);
    expect(world.model.requests).toMatchObject([{ model: "test/big", thinking: "high", tools: [{ name: "look" }] }]);
  });

  it("[T-12] [C-17] [R-5] keeps its settings through retries and deaths, whatever changed meanwhile", async () => {
    let model = "test/first";
    const script: Script = (_request, nth) => {
      model = "test/second";
      if (nth === 0) return { error: {} };
      return nth === 1 ? { text: "x", between: untilAborted } : { text: "ok" };
    };
    const world = started({
      script,
      tools: [look],
      settings: () => ({ model, thinking: "off", offers: () => model === "test/first" }),
      register: (registry) => {
        registry.registerSection({ name: "who", kind: "stable", render: () => `I am ${model}.` });
        registry.registerSection({ name: "when", kind: "volatile", render: ({ now }) => String(now) });
      },
    });
    send(world, "hi");
    await world.run(() => world.model.requests.length === 2);
    world.crash();
    await world.run();
    const [first, ...repeats] = world.model.requests;
    expect(repeats).toEqual([first, first]);
    expect(first).toMatchObject({ model: "test/first", system: "I am test/first.", tools: [{ name: "look" }] });
    send(world, "again");
    await world.run();
    expect(world.model.requests.at(-1)).toMatchObject({ model: "test/second", system: "I am test/second.", tools: [] });
  });

  it("[T-12] entries committed while it waits to be sent again do not enter it, only the next one", async () => {
    const note = { role: "user", content: [{ type: "text", text: "[note of a plugin]" }] } as const;
    const start = async (run: Run) => {
      await Promise.resolve();
      run.commit((tx) => {
        tx.append({ kind: "plugin.note", message: note });
        tx.finish(run.id, "completed");
      });
    };
    const world = started({
      script: (_request, nth) => (nth === 0 ? { error: {} } : { text: "ok" }),
      kinds: [testKind({ phases: { start } })],
    });
    world.crash();
    const until = world.clock.now() + 1_000;
    plantTask(world, { kind: TEST_KIND, ...{ status: "sleeping", until } });
    world.start();
    send(world, "hi");
    await world.run();
    expect(lines(world)).toEqual(["user: hi", "plugin.note: [note of a plugin]", "assistant: ok"]);
    expect(world.model.requests[1]).toEqual(world.model.requests[0]);
    send(world, "again");
    await world.run();
    expect(world.model.requests[2]?.messages[1]).toEqual(note);
  });

  it("[T-12] [T-4] what is said while it is under way does not enter it when it is sent again", async () => {
    const world = started({
      script: (_request, nth) => (nth === 0 ? { text: "x", between: untilAborted } : { text: "ok" }),
    });
    send(world, "hi");
    await world.run(() => world.model.requests.length === 1);
    send(world, "one more thing");
    world.crash();
    await world.run(() => world.model.requests.length === 2);
    expect(world.model.requests[1]).toEqual(world.model.requests[0]);
  });

  it("[T-13] [I-44] the system prompt is an entry, appended only when it changed", async () => {
    let mood = "calm";
    const world = started({
      register: (registry) => {
        registry.registerSection({ name: "who", kind: "stable", render: () => "You are Althing." });
        registry.registerSection({ name: "empty", kind: "stable", render: () => "" });
        registry.registerSection({ name: "mood", kind: "stable", render: () => Promise.resolve(`Be ${mood}.`) });
      },
    });
    for (const text of ["one", "two"]) {
      send(world, text);
      await world.run();
    }
    mood = "brisk";
    world.crash();
    world.start();
    send(world, "three");
    await world.run();
    expect(lines(world)).toEqual([
      "user: one",
      "system: You are Althing.\n\nBe calm.",
      "assistant: Hello.",
      "user: two",
      "assistant: Hello.",
      "user: three",
      "system: You are Althing.\n\nBe brisk.",
      "assistant: Hello.",
    ]);
    expect(world.model.requests.map((request) => request.system)).toEqual([
      "You are Althing.\n\nBe calm.",
      "You are Althing.\n\nBe calm.",
      "You are Althing.\n\nBe brisk.",
    ]);
    expect(world.model.requests.flatMap((request) => request.messages).every(({ role }) => role !== "system")).toBe(
      true,
    );
  });

  it("[T-14] text that changes from call to call is kept apart and never stored as an entry", async () => {
    let n = 0;
    const world = started({
      register: (registry) => {
        registry.registerSection({ name: "who", kind: "stable", render: () => "You are Althing." });
        registry.registerSection({ name: "tick", kind: "volatile", render: ({ actor }) => `tick ${++n} for ${actor}` });
      },
    });
    for (const text of ["one", "two"]) {
      send(world, text);
      await world.run();
    }
    expect(world.model.requests.map((request) => request.volatile)).toEqual([
      `tick 1 for ${ANNA}`,
      `tick 2 for ${ANNA}`,
    ]);
    expect(JSON.stringify(world.kernel.entriesAfter(0, 100))).not.toContain("tick");
    expect(JSON.stringify(world.model.requests.map((request) => [request.system, request.messages]))).not.toContain(
      "tick",
    );
  });

  it("[T-13] a section that throws is left out and reported", async () => {
    const world = started({
      register: (registry) => {
        registry.registerSection({ name: "broken", kind: "stable", render: () => Promise.reject(new Error("no")) });
        registry.registerSection({ name: "who", kind: "stable", render: () => "You are Althing." });
      },
    });
    send(world, "hi");
    await world.run();
    expect(world.model.requests[0]?.system).toBe("You are Althing.");
    expect(world.reports).toEqual([{ event: "section.failed", facts: { section: "broken", error: "Error: no" } }]);
  });
});

describe("the answer", () => {
  it("[T-15] the answer, the end of its inputs and the end of the turn are one commit", async () => {
    const world = started();
    send(world, "hi");
    const seen: unknown[] = [];
    await world.run(() => {
      const { turn } = world.control;
      const input = world.kernel.input(`${ANNA}:hi`)?.state.status;
      seen.push([turn === null, input === "done", entriesOf(world, "core.assistant").length === 1]);
      return turn === null;
    });
    for (const [ended, done, answered] of seen as boolean[][]) expect([done, answered]).toEqual([ended, ended]);
    expect(world.commits.at(-1)?.events).toEqual([{ type: "turn.ended", outcome: "answered" }]);
  });

  it("[T-16] text and thinking arrive in pieces that join by offset to what is stored, request by request", async () => {
    const script: Script = (_request, nth) => {
      if (nth === 0) return { text: "half an answer, then", error: {} };
      return nth === 1 ? { text: "I look.", thinking: "Hm, 😀.", ...callLook } : { text: "There it is." };
    };
    const world = started({ tools: [look], script });
    send(world, "hi");
    await world.run();
    const joined = new Map<string, string>();
    for (const { task, attempt, channel, offset, text } of world.deltas) {
      const key = `${task} ${attempt} ${channel}`;
      expect(offset, key).toBe((joined.get(key) ?? "").length);
      joined.set(key, (joined.get(key) ?? "") + text);
    }
    const task = world.deltas[0]?.task;
    expect(Object.fromEntries(joined)).toEqual({
      [`${task} 1 text`]: "half an an",
      [`${task} 2 thinking`]: "Hm, 😀.",
      [`${task} 2 text`]: "I look.",
      [`${task} 3 text`]: "There it is.",
    });
    expect(lines(world)).toContain("assistant: Hm, 😀.|I look.|call look");
    expect(lines(world).at(-1)).toBe("assistant: There it is.");
  });

  it("[T-16] [I-107] who comes late sees the text so far, and nothing of it once it is stored", async () => {
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const world = started({ script: () => ({ text: "Hello there.", between: () => gate }) });
    send(world, "hi");
    await world.run(() => world.deltas.length === 1);
    const { task } = world.deltas[0] ?? {};
    expect(world.kernel.snapshot().live).toEqual([{ task, attempt: 1, channel: "text", text: "Hello " }]);
    release();
    await world.run();
    expect(world.kernel.snapshot().live).toEqual([]);
  });

  it("[T-15] an answer without any words ends the turn and is left out of later requests", async () => {
    const world = started({ script: (_request, nth) => (nth === 0 ? {} : { text: "Hello." }) });
    send(world, "hi");
    await world.run();
    expect(world.kernel.input(`${ANNA}:hi`)?.state.status).toBe("done");
    send(world, "hm?");
    await world.run();
    expect(world.model.requests[1]?.messages.map((message) => message.role)).toEqual(["user", "user"]);
  });
});

describe("errors", () => {
  const error: ModelError = { kind: "overloaded", message: "busy", retryable: true };

  it.each([
    [1, 2_000],
    [2, 4_000],
    [3, 8_000],
    [4, 16_000],
  ])("[T-17] [C-18] attempt %i is followed after %i ms", (attempt, delayMs) => {
    expect(decideRetry(error, attempt)).toEqual({ retry: true, delayMs });
  });

  it.each([
    ["the fifth attempt is the last", error, 5, { retry: false }],
    [
      "the vendor's wish counts when it is longer",
      { ...error, retryAfterMs: 30_000 },
      1,
      { retry: true, delayMs: 30_000 },
    ],
    ["the own pause counts when that is longer", { ...error, retryAfterMs: 1_000 }, 3, { retry: true, delayMs: 8_000 }],
    [
      "the longest wish that is granted",
      { ...error, retryAfterMs: MAX_RETRY_AFTER_MS },
      1,
      { retry: true, delayMs: 600_000 },
    ],
    ["a wish longer than that", { ...error, retryAfterMs: MAX_RETRY_AFTER_MS + 1 }, 1, { retry: false }],
    ["what cannot be retried", { ...error, retryable: false }, 1, { retry: false }],
  ])("[T-17] %s", (_name, failure, attempt, verdict) => {
    expect(decideRetry(failure, attempt)).toEqual(verdict);
  });

  it("[T-17] a retryable error sleeps and tries again, five times in all, then the turn fails with the reason", async () => {
    const times: number[] = [];
    const retries: unknown[] = [];
    const world = started({
      onFrame: () => {
        const turn = turnOf(world);
        if (turn?.retry)
          retries.push([turn.stage, turn.attempt, turn.retry.until - world.clock.now(), turn.retry.error]);
      },
      script: () => {
        times.push(world.clock.now());
        return { text: "I beg", error: { message: "The vendor is busy." } };
      },
    });
    const startedAt = world.clock.now();
    send(world, "hi");
    await world.run();
    expect(times.map((at) => (at - startedAt) / 1_000)).toEqual([0, 2, 6, 14, 30]);
    expect(retries).toEqual([2, 4, 8, 16].map((s, i) => ["retrying", i + 1, s * 1_000, "The vendor is busy."]));
    expect(shownOnly(world)).toEqual([{ reason: "failed", error: "The vendor is busy.", text: "I b" }]);
    expect(world.kernel.input(`${ANNA}:hi`)?.state).toMatchObject({ status: "unanswered", reason: "failed" });
  });

  it("[T-17] a stream that ends without a last frame is retried", async () => {
    const world = started({
      script: (_request, nth) => (nth === 0 ? { text: "half", isSilent: true } : { text: "whole" }),
    });
    send(world, "hi");
    await world.run();
    expect(lines(world)).toEqual(["user: hi", "assistant: whole"]);
  });

  it("[T-18] [I-38] [B-8] an error that cannot be retried ends the turn at once, shows what came, and sends it to no model", async () => {
    const script: Script = (_request, nth) =>
      nth === 0
        ? { text: "I was about to", error: { kind: "auth", message: "The key is wrong.", retryable: false } }
        : { text: "ok" };
    const world = started({ script });
    const startedAt = world.clock.now();
    send(world, "hi");
    await world.run();
    expect(world.clock.now()).toBe(startedAt);
    expect(shownOnly(world)).toEqual([{ reason: "failed", error: "The key is wrong.", text: "I was a" }]);
    expect(world.commits.at(-1)?.events).toContainEqual({ type: "turn.ended", outcome: "failed" });
    send(world, "and now?");
    await world.run();
    expect(JSON.stringify(world.model.requests[1])).not.toContain("I was");
  });

  it("[T-19] [R-6] [R-7] a request interrupted by a death counts as an attempt and is sent again at once, five times in all", async () => {
    const world = started({ script: () => ({ text: "never ending", between: untilAborted }) });
    const startedAt = world.clock.now();
    send(world, "hi");
    for (let attempt = 1; attempt <= 5; attempt++) {
      await world.run(() => world.model.requests.length === attempt);
      expect(checkpointOf(world)).toMatchObject({ phase: "requesting", step: 1, attempt });
      world.crash();
    }
    await world.run();
    expect(world.clock.now()).toBe(startedAt);
    expect(world.model.requests).toHaveLength(5);
    expect(shownOnly(world)).toMatchObject([{ reason: "failed", error: containing("interrupted 5 times") }]);
  });

  it("[T-18] a turn without a model fails saying so, one that may not run with the host's sentence", async () => {
    for (const [settings, message] of [
      [{ model: null }, "No model is configured"],
      [{ model: "test/model", refusal: "You may not speak here." }, "You may not speak here."],
    ] as const) {
      const world = started({ settings: () => ({ thinking: "off", offers: () => true, ...settings }) });
      send(world, "hi");
      await world.run();
      expect(world.model.requests).toEqual([]);
      expect(shownOnly(world)).toMatchObject([{ reason: "failed", error: containing(message) }]);
    }
  });

  it("[T-17] settings that cannot be read are asked for again, within the attempts of a step", async () => {
    let asked = 0;
    const failing = (times: number) => () => {
      if (asked++ < times) throw new Error("directory down");
      return { model: "test/model", thinking: "off", offers: () => true } as const;
    };
    const world = started({ settings: failing(3) });
    send(world, "hi");
    await world.run();
    expect(lines(world)).toEqual(["user: hi", "assistant: Hello."]);
    expect(world.model.requests).toHaveLength(1);
    asked = 0;
    const never = started({ settings: failing(99) });
    send(never, "hi");
    await never.run();
    expect(asked).toBe(5);
    expect(shownOnly(never)).toMatchObject([{ reason: "failed", error: containing("directory down") }]);
  });
});

describe("limits of a turn", () => {
  it("[T-20] has at most 50 model steps", async () => {
    const world = started({
      tools: [look],
      script: (_request, nth) => (nth < MAX_STEPS - 1 ? callLook : { text: "last" }),
    });
    send(world, "hi");
    await world.run();
    expect(world.model.requests).toHaveLength(50);
    expect(lines(world).at(-1)).toBe("assistant: last");

    const more = started({ tools: [look], script: () => callLook });
    send(more, "hi");
    await more.run();
    expect(more.model.requests).toHaveLength(50);
    expect(results(more), "the last step's calls still have their results").toHaveLength(50);
    expect(shownOnly(more)).toMatchObject([{ reason: "failed", error: containing("50 model steps") }]);
  });

  it("[T-20] [T-17] the last step may be tried again like any other", async () => {
    const script: Script = (_request, nth) =>
      nth < MAX_STEPS - 1 ? callLook : nth === MAX_STEPS - 1 ? { error: {} } : { text: "last" };
    const world = started({ tools: [look], script });
    send(world, "hi");
    await world.run();
    expect(world.model.requests).toHaveLength(51);
    expect(lines(world).at(-1)).toBe("assistant: last");
  });

  it("[T-20] has at most ten minutes of work, also inside one request", async () => {
    const world = started({ script: () => ({ text: "on and on", between: untilAborted }) });
    const startedAt = world.clock.now();
    send(world, "hi");
    await world.run();
    expect(world.clock.now() - startedAt).toBe(600_000);
    expect(shownOnly(world)).toEqual([{ reason: "failed", error: containing("more than 10 minutes"), text: "on an" }]);
  });

  it("[T-20] [trap 53] a vendor that goes on beyond the limit is not listened to any more", async () => {
    const slowly = () => world.clock.wait(world.clock.now() + 400_000, new AbortController().signal);
    const world = started({ script: () => ({ text: "one two three", pieces: 3, between: slowly, isDeaf: true }) });
    const startedAt = world.clock.now();
    send(world, "hi");
    await world.run(() => world.control.turn === null && world.model.requests.length === 1);
    expect(world.clock.now() - startedAt).toBe(605_000);
    await world.run();
    expect(shownOnly(world)).toEqual([
      { reason: "failed", error: containing("more than 10 minutes"), text: "one two th" },
    ]);
    expect(world.deltas.map((delta) => delta.text).join("")).toBe("one two th");
    expect(world.kernel.snapshot().live).toEqual([]);
  });

  it.each([
    [299_999, "assistant: Done."],
    [300_000, "assistant: "],
  ])("[T-20] two tools that take %i ms each: the last line is %j", async (ms, last) => {
    const slow = tool(
      "look",
      async () => {
        await world.clock.wait(world.clock.now() + ms, new AbortController().signal);
        return { text: "seen" };
      },
      { timeoutMs: 3_600_000 },
    );
    const world = started({ tools: [slow], script: (_request, nth) => (nth < 2 ? callLook : { text: "Done." }) });
    send(world, "hi");
    await world.run();
    expect(lines(world).at(-1)).toBe(last);
  });

  it("[T-20] waiting for people is not work, and a death does not turn it into some", async () => {
    const world = started({
      tools: [look],
      register: (registry, kernel) => registerGate(registry, kernel, "look"),
      script: (_request, nth) => (nth === 0 ? callLook : { text: "Done." }),
    });
    send(world, "hi");
    await world.run();
    await world.pass(7 * 24 * 3_600_000);
    world.crash();
    await world.run();
    await world.pass(24 * 3_600_000);
    decideAll(world.kernel, "approved");
    await world.run();
    expect(lines(world).at(-1)).toBe("assistant: Done.");
  });

  it("[T-20] [K-23] time in which no process ran is no work", async () => {
    const script: Script = (_request, nth) => (nth === 0 ? { text: "x", between: untilAborted } : { text: "Done." });
    const world = started({ script });
    send(world, "hi");
    await world.run(() => world.model.requests.length === 1);
    world.crash();
    world.clock.advanceTo(world.clock.now() + 24 * 3_600_000);
    await world.run();
    expect(lines(world)).toEqual(["user: hi", "assistant: Done."]);
  });

  it("[T-20] pauses between attempts are work", async () => {
    const world = started({ script: () => ({ error: { retryAfterMs: 400_000 } }) });
    send(world, "hi");
    await world.run();
    expect(world.model.requests).toHaveLength(2);
    expect(shownOnly(world)).toMatchObject([{ error: containing("more than 10 minutes") }]);
  });
});

describe("usage", () => {
  const spent = (n: number): Usage => ({ input: n, output: n, cachedRead: n, cachedWrite: n, costMicros: n });
  const sum = (...all: readonly Usage[]) =>
    all.reduce((total, one) => ({
      input: total.input + one.input,
      output: total.output + one.output,
      cachedRead: total.cachedRead + one.cachedRead,
      cachedWrite: total.cachedWrite + one.cachedWrite,
      costMicros: total.costMicros + one.costMicros,
    }));

  it("[T-22] [C-31] usage of failed attempts and of the answers is added exactly once", async () => {
    const script: Script = (_request, nth) => (nth < 2 ? { error: { usage: spent(100 * (nth + 1)) } } : { text: "ok" });
    const world = started({ script });
    send(world, "hi");
    await world.run();
    send(world, "again");
    await world.run();
    expect(world.kernel.snapshot().view.usage).toEqual(sum(spent(100), spent(200), SCRIPTED_USAGE, SCRIPTED_USAGE));
    world.crash();
    expect(world.start().snapshot().view.usage).toEqual(sum(spent(300), SCRIPTED_USAGE, SCRIPTED_USAGE));
  });

  it.each([
    ["that cannot be retried", { error: { retryable: false, usage: spent(50) } }],
    ["at the time limit", { text: "x", between: untilAborted, error: { kind: "aborted", usage: spent(50) } }],
  ] as const)("[T-22] usage of a failure %s is added", async (_name, answer) => {
    const world = started({ script: () => answer });
    send(world, "hi");
    await world.run();
    expect(world.kernel.snapshot().view.usage).toEqual(spent(50));
    expect(entriesOf(world, "core.assistant")[0]?.data).toMatchObject({ usage: spent(50) });
  });
});
