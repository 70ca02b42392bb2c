import { describe, expect, it } from "vitest";
import { type CutSize, chooseCut } from "../../src/kernel/compaction/cut.ts";
import { cutSize } from "../../src/kernel/compaction/limits.ts";
import type { Entry } from "../../src/kernel/index.ts";
import type { TurnTool } from "../../src/kernel/state/control.ts";
import { SeededRandom } from "../kit/random.ts";
import { words } from "./kit.ts";

const SIZE: CutSize = { keepTokens: 1_000, inputTokens: 5_000, minTokens: 500 };
const USAGE = { input: 1, output: 1, cachedRead: 0, cachedWrite: 0, costMicros: 0 };
const CONFIG = { auto: true, compactAt: 0.75, keepRecentTokens: 20_000 };

/** Entries that tests write down shortly: what they say and about how many tokens. */
class Draft {
  readonly entries: Entry[] = [];

  user(tokens: number, input = `in${this.entries.length}`): this {
    const message = { role: "user", content: [{ type: "text", text: words("u", tokens) }] } as const;
    return this.#add({ kind: "core.user", message, data: { input, actor: "p_anna" } });
  }

  assistant(tokens: number, calls = 0): this {
    const called = Array.from(
      { length: calls },
      (_, i) => ({ type: "call", id: `c${i}`, name: "look", args: "{}" }) as const,
    );
    const content = [{ type: "text", text: words("a", tokens) } as const, ...called];
    const message = { role: "assistant", content, stop: "end" } as const;
    return this.#add({ kind: "core.assistant", message, data: { model: "m", usage: USAGE, ms: 1 } });
  }

  /** The result of a call of the entry with this id. */
  result(entry: number, index: number, tokens: number): this {
    const message = {
      role: "tool",
      callId: `c${index}`,
      name: "look",
      content: [{ type: "text", text: words("r", tokens) }],
      isError: false,
    } as const;
    return this.#add({ kind: "core.tool_result", message, data: { entry, index, outcome: "ok" } });
  }

  summary(tokens: number): this {
    const message = { role: "user", content: [{ type: "text", text: words("s", tokens) }] } as const;
    return this.#add({ kind: "core.summary", message, head: [] });
  }

  #add(entry: Omit<Entry, "id" | "rev" | "at">): this {
    this.entries.push({ id: this.entries.length + 1, rev: 1, at: 0, ...entry });
    return this;
  }
}

function exchanges(count: number, tokens = 200): Draft {
  const draft = new Draft();
  for (let n = 0; n < count; n++) draft.user(tokens).assistant(tokens);
  return draft;
}

function live(entry: number, index = 0): TurnTool {
  return { task: 99, entry, index, name: "look" };
}

describe("cut", () => {
  it("[Q-8] [Q-9] leaves the newest whole exchanges that fit", () => {
    const { entries } = exchanges(6);
    const cut = chooseCut(entries, 0, null, SIZE);
    // Two exchanges of about 420 tokens fit in a thousand.
    expect(cut?.through).toBe(8);
    expect(cut?.keep).toEqual([]);
    expect(chooseCut(entries, 0, null, { ...SIZE, keepTokens: 1_300 })?.through).toBe(6);
  });

  it("[Q-9] where no exchange fits, leaves whole steps", () => {
    const draft = exchanges(2).user(100, "now").assistant(10, 1).result(6, 0, 900).assistant(10, 1).result(8, 0, 900);
    const cut = chooseCut(draft.entries, 0, { inputs: ["now"], tools: [] }, SIZE);
    expect(cut?.through).toBe(7);
    expect(cut?.keep).toEqual([5]);
  });

  it("[Q-9] never parts a call from its results, in whatever order they are stored", () => {
    const draft = exchanges(3).user(10).assistant(10, 2).user(600).result(8, 1, 50).result(8, 0, 50).assistant(100);
    const cut = chooseCut(draft.entries, 0, null, { ...SIZE, keepTokens: 200 });
    expect(cut?.through).toBe(11);
    const wide = chooseCut(draft.entries, 0, null, SIZE);
    expect(wide?.through).toBe(6);
  });

  it("[Q-9] leaves a call that still runs, and everything after it", () => {
    const draft = exchanges(4).user(10, "now").assistant(3_000, 1);
    const cut = chooseCut(draft.entries, 0, { inputs: ["now"], tools: [live(10)] }, { ...SIZE, keepTokens: 5_000 });
    expect(cut).toBeUndefined();
    const done = { ...live(10), outcome: "ok" } as const;
    const after = draft.result(10, 0, 10).entries;
    expect(chooseCut(after, 0, { inputs: ["now"], tools: [done] }, SIZE)?.through).toBe(11);
  });

  it("[Q-10] keeps what the running turn has to answer, as far as it fits, newest first", () => {
    const draft = exchanges(3).user(300, "a").user(300, "b").assistant(10, 1).result(9, 0, 2_000);
    const turn = { inputs: ["a", "b"], tools: [] };
    expect(chooseCut(draft.entries, 0, turn, SIZE)?.keep).toEqual([7, 8]);
    expect(chooseCut(draft.entries, 0, turn, { ...SIZE, inputTokens: 400 })?.keep).toEqual([8]);
  });

  it("[Q-10] keeps fifty messages of the turn, not fifty-one", () => {
    const draft = exchanges(3);
    const inputs = Array.from({ length: 51 }, (_, n) => `m${n}`);
    for (const input of inputs) draft.user(1, input);
    draft.assistant(10, 1).result(58, 0, 2_000);
    const cut = chooseCut(draft.entries, 0, { inputs, tools: [] }, SIZE);
    expect(cut?.keep).toHaveLength(50);
    expect(cut?.keep[0]).toBe(8);
  });

  it.each([
    [499, undefined],
    [500, 2],
  ])("[Q-11] %i new tokens before what stays: through %s", (tokens, through) => {
    const text = (count: number) => "x".repeat(count * 4);
    const base = { rev: 1, at: 0 } as const;
    const said = { role: "user", content: [{ type: "text", text: text(tokens - 8 - 8 - 10) }] } as const;
    const answer = { role: "assistant", content: [{ type: "text", text: text(10) }], stop: "end" } as const;
    const data = { model: "m", usage: USAGE, ms: 1 };
    const entries: Entry[] = [
      { ...base, id: 1, kind: "core.user", message: said },
      { ...base, id: 2, kind: "core.assistant", message: answer, data },
      ...exchanges(1).entries.map((entry) => ({ ...entry, id: entry.id + 2 })),
    ];
    expect(chooseCut(entries, 0, null, { ...SIZE, keepTokens: 450 })?.through).toBe(through);
  });

  it("[Q-11] an earlier summary alone is not summarised again; with enough new it goes in", () => {
    const little = new Draft().summary(2_000).user(100).assistant(100).user(200).assistant(200);
    expect(chooseCut(little.entries, 1, null, { ...SIZE, keepTokens: 450 })).toBeUndefined();
    const enough = new Draft().summary(2_000).user(300).assistant(300).user(200).assistant(200);
    const cut = chooseCut(enough.entries, 1, null, { ...SIZE, keepTokens: 450 });
    expect(cut).toMatchObject({ head: 1, through: 3 });
    expect(cut?.tokens).toBeGreaterThan(2_600);
  });

  it("[Q-8] [Q-11] sizes: by configuration, window and transcript", () => {
    const all = { all: 9_000, own: 1_000 };
    expect(cutSize("threshold", CONFIG, 1_000_000, all)).toMatchObject({ keepTokens: 20_000, minTokens: 5_000 });
    expect(cutSize("threshold", CONFIG, 32_000, all)).toMatchObject({ keepTokens: 8_000, minTokens: 2_000 });
    expect(cutSize("threshold", CONFIG, 4_000, all)).toMatchObject({ keepTokens: 1_000, minTokens: 500 });
    expect(cutSize("overflow", CONFIG, 32_000, all)).toMatchObject({ keepTokens: 4_000, inputTokens: 16_000 });
    expect(cutSize("overflow", CONFIG, undefined, all)).toMatchObject({ keepTokens: 4_000, inputTokens: 4_500 });
    expect(cutSize("manual", CONFIG, undefined, all)).toMatchObject({ keepTokens: 4_000, minTokens: 500 });
  });

  it("[Q-9] [I-33] of a thousand damaged histories no cut parts a call from a result, and what stays fits", () => {
    for (let seed = 1; seed <= 1_000; seed++) {
      const random = new SeededRandom(seed);
      const draft = new Draft();
      const open: [entry: number, index: number][] = [];
      for (let n = random.between(0, 30); n > 0; n--) {
        const what = random.between(0, 3);
        if (what === 0) draft.user(random.between(0, 400));
        else if (what === 1) {
          const calls = random.between(0, 3);
          draft.assistant(random.between(0, 300), calls);
          for (let index = 0; index < calls; index++) if (random.unit() < 0.9) open.push([draft.entries.length, index]);
        } else if (open.length > 0) {
          const [call] = open.splice(random.between(0, open.length - 1), 1);
          if (call) draft.result(...call, random.between(0, 500));
        } else draft.summary(random.between(0, 300));
      }
      const cut = chooseCut(draft.entries, 0, null, SIZE);
      if (!cut) continue;
      for (const { id, message, data } of draft.entries) {
        if (message?.role !== "tool") continue;
        const { entry } = data as { entry: number };
        expect(entry <= cut.through, `seed ${seed}: the result ${id} of ${entry}`).toBe(id <= cut.through);
      }
      const left = draft.entries.filter(({ id, head }) => id > cut.through && head === undefined);
      const bytes = JSON.stringify(left.map(({ message }) => message)).length;
      expect(bytes / 4, `seed ${seed}: what stays`).toBeLessThan(1_000 + left.length * 60);
    }
  });
});
