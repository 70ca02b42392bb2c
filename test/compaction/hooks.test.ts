import { describe, expect, it } from "vitest";
import { defineNamespace, type Hooks } from "../../src/kernel/index.ts";
import type { KernelWorld } from "../kit/kernel-world.ts";
import { asked, chat, compactionEvents, summariesOf, textsOf, words } from "./kit.ts";
import { smallWorld } from "./small-world.ts";

const FIRST = defineNamespace({ name: "first", sticky: {} });
const SECOND = defineNamespace({ name: "second", sticky: {} });

type Handler = NonNullable<Hooks["beforeCompaction"]>;

/** A conversation with handlers before its compaction, which is asked for. */
async function withHandlers(...handlers: readonly Handler[]): Promise<KernelWorld> {
  const world = smallWorld({
    register: (registry) => {
      for (const [index, namespace] of [FIRST, SECOND].entries()) {
        const beforeCompaction = handlers[index];
        registry.namespace(namespace);
        if (beforeCompaction) registry.hooks(namespace, { beforeCompaction });
      }
    },
  });
  await chat(world, 4);
  world.kernel.compact();
  await world.run();
  return world;
}

function faults(world: KernelWorld): string[] {
  return world.reports.filter(({ event }) => event === "hook.failed").map(({ facts }) => String(facts["error"]));
}

describe("handlers before a compaction", () => {
  it("[Q-28] [C-21] the first that decides wins: a decline fails it with its reason", async () => {
    const calls: string[] = [];
    const world = await withHandlers(
      (pending) => {
        calls.push(`first ${pending.reason} ${pending.messages.length} ${pending.through}`);
        return Promise.resolve({ kind: "decline", reason: "Not now." });
      },
      () => {
        calls.push("second");
        return Promise.resolve(undefined);
      },
    );
    expect(calls).toEqual(["first manual 4 6"]);
    expect(compactionEvents(world)).toEqual(["started manual", "failed manual declined"]);
    expect(asked(world).summaries).toEqual([]);
  });

  it("[Q-28] cannot change what is stored", async () => {
    const world = await withHandlers((pending) => {
      for (const message of pending.messages) if (message.role !== "system") (message.content as unknown[]).length = 0;
      return Promise.resolve(undefined);
    });
    expect(asked(world).summaries.map(textsOf)[0]?.[0]).toContain("message 1");
  });

  it("[Q-28] instructions are told to the summarising model", async () => {
    const world = await withHandlers(
      () => Promise.resolve(undefined),
      () => Promise.resolve({ kind: "instructions", text: "Name every ship." }),
    );
    expect(asked(world).summaries.map(textsOf)[0]?.[0]).toContain("Name every ship.");
    expect(summariesOf(world)).toHaveLength(1);
  });

  it("[Q-28] [C-21] a summary of a handler is placed without asking a model", async () => {
    const world = await withHandlers(() => Promise.resolve({ kind: "summary", text: " They met. " }));
    expect(asked(world).summaries).toEqual([]);
    const [summary] = summariesOf(world);
    expect(JSON.stringify(summary?.entry.message)).toContain("They met.");
    expect(summary?.data).toMatchObject({ model: "", usage: { input: 0 } });
  });

  it.each<readonly [name: string, bad: Handler, error: string]>([
    ["throws", () => Promise.reject(new Error("no luck")), "no luck"],
    ["gives an empty summary", () => Promise.resolve({ kind: "summary", text: " " }), "it was empty"],
    [
      "gives a summary that is no shorter",
      () => Promise.resolve({ kind: "summary", text: words("long", 900) }),
      "not shorter than what it stands for",
    ],
    [
      "gives a summary of more than 32 KiB",
      () => Promise.resolve({ kind: "summary", text: "x".repeat(32_769) }),
      "it had 32769 bytes, the limit is 32768",
    ],
    [
      "instructs with more than 600 characters",
      () => Promise.resolve({ kind: "instructions", text: "x".repeat(601) }),
      "its text has 601 characters, the limit is 600",
    ],
    [
      "declines in more than 2,000 characters",
      () => Promise.resolve({ kind: "decline", reason: "x".repeat(2_001) }),
      "its text has 2001 characters, the limit is 2000",
    ],
    ["says no text", () => Promise.resolve({ kind: "summary", text: 7 } as never), "it gave 7 instead of a text"],
    ["decides something else", () => Promise.resolve({ kind: "later" } as never), 'it decided {"kind":"later"}'],
  ])("[Q-28] one that %s is reported and passed over", async (_name, bad, error) => {
    const world = await withHandlers(bad, () => Promise.resolve({ kind: "instructions", text: "x".repeat(600) }));
    expect(faults(world)).toEqual([expect.stringContaining(error)]);
    expect(asked(world).summaries.map(textsOf)[0]?.[0]).toContain("x".repeat(600));
    expect(summariesOf(world)).toHaveLength(1);
  });

  it("[Q-23] pinned entries, standing sections and rewindable documents survive a summary", async () => {
    const plan = defineNamespace({ name: "plan", rewindable: { aim: "none" } });
    const world = smallWorld({
      register: (registry) => {
        registry.namespace(plan);
        registry.registerSection({ name: "law", kind: "stable", render: () => "Never delete a file." });
      },
    });
    await chat(world, 1, 50, "the address is 12 Elm Street,");
    world.kernel.commit((tx) => tx.set(plan, { aim: "north" }));
    expect(world.kernel.history.pin(1, true).ok).toBe(true);
    await chat(world, 12);
    expect(summariesOf(world).length).toBeGreaterThan(0);
    const last = asked(world).answers.at(-1);
    expect(last?.system).toBe("Never delete a file.");
    const texts = last ? textsOf(last) : [];
    expect(texts[0]).toContain("They talked.");
    expect(texts[1]).toContain("12 Elm Street");
    expect(world.kernel.get(plan)).toEqual({ aim: "north" });
    expect(world.kernel.snapshot().view.pins).toEqual([1]);
  });
});
