import { describe, expect, it } from "vitest";
import type { ModelRequest } from "../../src/kernel/index.ts";
import { tool } from "../kernel/make.ts";
import { checkMessages } from "../kit/check-messages.ts";
import type { KernelWorld } from "../kit/kernel-world.ts";
import {
  asked,
  chat,
  compactionEvents,
  counting,
  isSummaryRequest,
  requestTokens,
  summariesOf,
  textsOf,
  WINDOW,
  words,
} from "./kit.ts";
import { smallWorld } from "./small-world.ts";

const TURNS = 1_000;

/** What a stretch of turns cost. */
interface Cost {
  readonly rows: number;
  readonly tokens: number;
}

async function stretch(world: KernelWorld, turns: number, name: string): Promise<Cost> {
  const [rows, sent] = [world.storage.counts.written, world.model.requests.length];
  await chat(world, turns, 60, name);
  const tokens = world.model.requests.slice(sent).reduce((sum, request) => sum + requestTokens(request), 0);
  return { rows: (world.storage.counts.written - rows) / turns, tokens: tokens / turns };
}

describe("a thousand turns", () => {
  it("[Q-30] [Q-24] requests, rows per turn and what an open reads stay bounded, and everything stays readable", async () => {
    const world = smallWorld({
      tools: [tool("look", () => Promise.resolve({ text: words("found", 40) }))],
      script: counting((request) =>
        /^every \d*7 /.test(textsOf(request).at(-1) ?? "")
          ? { text: "On it.", calls: [{ name: "look", args: "{}" }] }
          : { text: words("Answer", 60) },
      ),
    });
    const early = await stretch(world, 100, "every");
    for (let n = 0; n < 8; n++) await stretch(world, 100, `${n}th every`);
    const late = await stretch(world, 100, "every later");
    expect(late.rows / early.rows).toBeLessThan(1.1);
    expect(late.tokens / early.tokens).toBeLessThan(1.3);
    const tooLong = world.model.requests.filter((request) => requestTokens(request) > WINDOW);
    expect(tooLong.map(isSummaryRequest)).toEqual([]);
    expect(world.model.requests.flatMap((request: ModelRequest) => checkMessages(request.messages))).toEqual([]);
    expect(summariesOf(world).length).toBeGreaterThan(20);
    expect(compactionEvents(world).filter((event) => event.startsWith("failed"))).toEqual([]);

    world.crash();
    const read = world.storage.counts.read;
    const kernel = world.start();
    expect(world.storage.counts.read - read).toBeLessThan(150);
    await chat(world, 1);
    expect(world.storage.counts.read - read).toBeLessThan(300);

    const shown = new Set<number>();
    for (let before = Number.MAX_SAFE_INTEGER; ; ) {
      const page = kernel.history.page(before, 100);
      for (const { id, kind } of page.entries) if (kind === "core.user") shown.add(id);
      if (!page.earlier) break;
      before = page.entries[0]?.id ?? 0;
    }
    expect(shown.size).toBe(TURNS + 1);
  }, 60_000);

  it("[Q-30] a compaction of one part writes ten rows and sets one alarm", async () => {
    const world = smallWorld();
    await chat(world, 4);
    const before = world.costs.length;
    world.kernel.compact();
    await world.run();
    const costs = world.costs.slice(before);
    // Begun, prepared, asked, answered, placed.
    expect(costs.map(({ rows }) => rows)).toEqual([1, 2, 1, 2, 4]);
    expect(costs.reduce((sum, { alarms }) => sum + alarms, 0)).toBe(1);
  });

  it("[Q-24] every request that was sent can be made again after summaries", async () => {
    const world = smallWorld();
    await chat(world, 24);
    expect(summariesOf(world).length).toBeGreaterThan(1);
    const answers = world.kernel.history.entriesAfter(0, 1_000).filter(({ kind }) => kind === "core.assistant");
    const remade = answers.map(({ id }) => world.kernel.history.sentRequest(id)?.request);
    expect(remade).toEqual(asked(world).answers);
  });
});
