import { describe, expect, it } from "vitest";
import { defineEntry, defineNamespace, type ModelRequest } from "../../src/kernel/index.ts";
import type { KernelWorld } from "../kit/kernel-world.ts";
import { decideAll, registerGate } from "../kit/mini-gate.ts";
import type { WorldOptions } from "../kit/world-options.ts";
import { dump, entriesOf, lines, send, submission, tool } from "./make.ts";
import { started } from "./started.ts";

const NOTE = defineEntry({ kind: "diary.note" });
const STYLE = defineNamespace({ name: "style", sticky: { seen: 0 }, rewindable: { tone: "plain" } });

/** A world that has answered these words, one turn each. */
async function talked(words: readonly string[], options: WorldOptions = {}): Promise<KernelWorld> {
  const world = started({
    script: (_request, nth) => ({ text: `answer ${nth}` }),
    ...options,
    register: (registry, kernel) => {
      registry.namespace(STYLE);
      options.register?.(registry, kernel);
    },
  });
  for (const word of words) await say(world, word);
  return world;
}

async function say(world: KernelWorld, word: string): Promise<void> {
  send(world, word);
  await world.run();
}

/** Id of the entry with these words. */
function idOf(world: KernelWorld, text: string): number {
  const found = world.kernel.entriesAfter(0, 1_000).findLast(({ message }) => JSON.stringify(message)?.includes(text));
  if (!found) throw new Error(`nobody said ${text}`);
  return found.id;
}

const texts = (request: ModelRequest | undefined): string[] =>
  (request?.messages ?? []).map((message) => (message.role === "system" ? "" : JSON.stringify(message.content)));

const shown = (world: KernelWorld): string[] =>
  world.kernel.snapshot().view.entries.map(({ kind, message }) => {
    const part = message && message.role !== "system" ? message.content[0] : undefined;
    return part?.type === "text" ? part.text : kind;
  });

describe("going back", () => {
  it("[K-60] [K-61] [I-29] [I-40] what is left behind is neither sent nor shown, and stays readable", async () => {
    const world = await talked(["one", "two", "three"]);
    const before = world.kernel.entriesAfter(0, 100);
    const rewound = world.kernel.history.rewind(idOf(world, "answer 0"), "p_anna");
    expect(rewound.ok).toBe(true);
    expect(shown(world)).toEqual(["one", "answer 0", "core.rewind"]);
    await say(world, "four");
    expect(shown(world)).toEqual(["one", "answer 0", "core.rewind", "four", "answer 3"]);
    expect(texts(world.model.requests[3]).join()).not.toMatch(/two|three/);
    expect(texts(world.model.requests[3])).toHaveLength(3);
    const after = world.kernel.entriesAfter(0, 100);
    expect(after.slice(0, before.length), "nothing stored was changed").toEqual(before);
    const left = world.kernel.history.left(rewound.ok ? rewound.value : 0);
    expect(left?.map(({ id }) => id)).toEqual(before.slice(2).map(({ id }) => id));
    expect(world.kernel.history.left(before[0]?.id ?? 0)).toBeUndefined();
  });

  it("[K-61] a page of older entries passes over what was left, and says whether there is more", async () => {
    const world = await talked(["one", "two", "three"]);
    world.kernel.history.rewind(idOf(world, "answer 0"), "p_anna");
    await say(world, "four");
    const { entries, earlier } = world.kernel.history.page(idOf(world, "four"), 2);
    expect(entries.map(({ kind }) => kind)).toEqual(["core.assistant", "core.rewind"]);
    expect(earlier).toBe(true);
    const first = world.kernel.history.page(entries[0]?.id ?? 0, 2);
    expect(first.entries.map(({ kind }) => kind)).toEqual(["core.user"]);
    expect(first.earlier).toBe(false);
  });

  it("[K-61] to the start: nothing is left to send or to show, and nothing is earlier", async () => {
    const world = await talked(["one", "two"]);
    expect(world.kernel.history.rewind(0, "p_anna").ok).toBe(true);
    expect(shown(world)).toEqual(["core.rewind"]);
    expect(world.kernel.snapshot().view.earlier).toBe(false);
    await say(world, "anew");
    expect(texts(world.model.requests[2])).toHaveLength(1);
  });

  it("[K-61] [I-41] to before the window: the view shows the stretch it went back to", async () => {
    const words = Array.from({ length: 60 }, (_, i) => `word ${i}.`);
    const world = await talked(words);
    expect(world.kernel.snapshot().view.entries.length).toBeLessThan(100);
    world.kernel.history.rewind(idOf(world, "word 5.") - 1, "p_anna");
    expect(shown(world).slice(-3)).toEqual(["word 4.", "answer 4", "core.rewind"]);
    world.crash();
    world.start();
    expect(shown(world).slice(-3)).toEqual(["word 4.", "answer 4", "core.rewind"]);
  });

  it("[K-61] [A-21] [I-50] rewindable documents are what they were at that entry, also without code; sticky ones stay", async () => {
    const world = await talked(["one"]);
    world.kernel.commit((tx) => tx.set(STYLE, { tone: "warm", seen: 1 }));
    await say(world, "two");
    world.kernel.commit((tx) => tx.set(STYLE, { tone: "cold", seen: 2 }));
    await say(world, "three");
    world.kernel.history.rewind(idOf(world, "answer 1"), "p_anna");
    expect(world.kernel.get(STYLE)).toEqual({ tone: "warm", seen: 2 });
    world.kernel.history.rewind(idOf(world, "answer 0"), "p_anna");
    expect(world.kernel.get(STYLE)).toEqual({ tone: "plain", seen: 2 });
    world.kernel.history.rewind(0, "p_anna");
    expect(world.kernel.get(STYLE).tone).toBe("plain");
  });

  it("[K-61] [I-51] two changes between two entries: the later one counts; one in an entry's own commit belongs to it", async () => {
    const tones: string[] = [];
    const world = await talked(["one"], {
      register: (registry) =>
        registry.hooks(STYLE, { turnEnded: (tx) => tx.set(STYLE, { tone: tones.shift() ?? "x" }) }),
    });
    expect(world.kernel.get(STYLE).tone).toBe("x");
    world.kernel.commit((tx) => tx.set(STYLE, { tone: "a" }));
    world.kernel.commit((tx) => tx.set(STYLE, { tone: "b" }));
    tones.push("at the end of two");
    await say(world, "two");
    world.kernel.history.rewind(idOf(world, "two"), "p_anna");
    expect(world.kernel.get(STYLE).tone).toBe("b");
    world.kernel.history.rewind(idOf(world, "answer 0"), "p_anna");
    expect(world.kernel.get(STYLE).tone).toBe("x");
  });

  it("[K-62] is refused as busy while a turn runs, a call waits or a call was let go", async () => {
    const world = await talked(["one"], {
      tools: [tool("send", () => Promise.resolve({ text: "sent" }))],
      register: (registry, kernel) => registerGate(registry, kernel, "send"),
      script: (request) =>
        JSON.stringify(request.messages.at(-1)).includes("go")
          ? { calls: [{ name: "send", args: "{}" }] }
          : { text: "ok" },
    });
    const to = idOf(world, "ok");
    const busy = { ok: false, error: "busy" };
    send(world, "go");
    expect(world.kernel.history.rewind(to, "p_anna")).toEqual(busy);
    await world.run();
    expect(world.kernel.history.rewind(to, "p_anna"), "a card is open").toEqual(busy);
    send(world, "never mind");
    await world.run();
    expect(world.control.turn).toBeNull();
    expect(world.kernel.history.rewind(to, "p_anna"), "the card lives on outside of the turn").toEqual(busy);
    decideAll(world.kernel, "declined");
    await world.run();
    expect(world.kernel.history.rewind(to, "p_anna").ok).toBe(true);
  });

  it("[K-62] is refused for what is not there, not shown, or inside a step; nothing is written", async () => {
    const world = await talked(["one"], {
      tools: [tool("look", () => Promise.resolve({ text: "seen" }))],
      script: (request, nth) =>
        request.messages.at(-1)?.role === "user" && nth % 2 === 0
          ? { calls: [{ name: "look", args: "{}" }] }
          : { text: "ok" },
    });
    const [call] = entriesOf(world, "core.assistant");
    const left = idOf(world, "ok");
    const before = dump(world);
    expect(world.kernel.history.rewind(call?.id ?? 0, "p_anna")).toEqual({ ok: false, error: "inside_a_step" });
    expect(world.kernel.history.rewind(9_999, "p_anna")).toEqual({ ok: false, error: "no_such_entry" });
    expect(dump(world)).toBe(before);
    world.kernel.history.rewind(idOf(world, "one"), "p_anna");
    expect(world.kernel.history.rewind(left, "p_anna")).toEqual({ ok: false, error: "no_such_entry" });
  });

  it("[K-63] sees the transcript as it was at the entry: before a reset, before another rewind", async () => {
    const world = await talked(["one", "two"]);
    world.kernel.history.reset("p_anna");
    await say(world, "three");
    expect(texts(world.model.requests[2])).toHaveLength(1);
    world.kernel.history.rewind(idOf(world, "answer 1"), "p_anna");
    await say(world, "four");
    expect(texts(world.model.requests[3]).map((text) => text.replace(/\W|type|text/g, ""))).toEqual([
      "one",
      "answer0",
      "two",
      "answer1",
      "four",
    ]);
    world.kernel.history.rewind(idOf(world, "answer 0"), "p_anna");
    await say(world, "five");
    expect(texts(world.model.requests[4])).toHaveLength(3);
  });

  it("[K-65] 200 stretches are taken, one more is refused with nothing lost; a reset makes room", async () => {
    const world = await talked([]);
    const note = () => world.kernel.commit((tx) => tx.write(NOTE, { data: "n" })) ?? 0;
    const backAndForth = () => {
      const kept = note();
      note();
      return world.kernel.history.rewind(kept, "p_anna");
    };
    for (let i = 0; i < 200; i++) expect(backAndForth().ok, `rewind ${i}`).toBe(true);
    expect(world.control.kept).toHaveLength(200);
    const [kept] = [note(), note()];
    const before = dump(world);
    expect(world.kernel.history.rewind(kept, "p_anna")).toEqual({ ok: false, error: "too_many_stretches" });
    expect(dump(world)).toBe(before);
    world.kernel.history.reset("p_anna");
    expect(world.control.kept).toEqual([]);
    expect(shown(world).at(-1)).toBe("core.reset");
  });
});

describe("edit and retry", () => {
  it("[K-64] goes back and says something else in one commit; the same key again changes nothing", async () => {
    const world = await talked(["one", "two"]);
    const again = submission("two, better", { rewindTo: idOf(world, "answer 0") });
    const commits = world.commits.length;
    expect(world.kernel.submit(again)).toMatchObject({ ok: true, value: { status: "placed" } });
    expect(world.commits.length - commits).toBe(1);
    await world.run();
    expect(lines(world).slice(4)).toEqual(["rewind: ", "user: two, better", "assistant: answer 2"]);
    const before = dump(world);
    expect(world.kernel.submit(again)).toMatchObject({ ok: true, value: { status: "done" } });
    expect(dump(world)).toBe(before);
    expect(world.kernel.submit({ ...again, rewindTo: 0 })).toEqual({ ok: false, error: "conflict" });
  });

  it("[K-64] refused as busy, nothing is admitted", async () => {
    const world = await talked(["one"]);
    send(world, "two");
    const before = dump(world);
    expect(world.kernel.submit(submission("three", { rewindTo: 0 }))).toEqual({ ok: false, error: "busy" });
    expect(dump(world)).toBe(before);
  });

  it("[K-64] with a full inbox it is refused before anything goes back", async () => {
    const world = await talked([], { script: () => ({ error: { retryable: false } }) });
    send(world, "first");
    for (let i = 0; i < 100; i++) send(world, `more ${i}`, { actor: "p_bert" });
    await world.run();
    expect(world.control.inbox).toHaveLength(100);
    const before = dump(world);
    expect(world.kernel.submit(submission("again", { rewindTo: 0 }))).toEqual({ ok: false, error: "inbox_full" });
    expect(dump(world)).toBe(before);
  });
});

describe("pins", () => {
  it("[K-66] 20 are taken, the next is refused; taking one away makes room; repeating changes nothing", async () => {
    const world = await talked(Array.from({ length: 21 }, (_, i) => `word ${i}.`));
    const ids = entriesOf(world, "core.user").map(({ id }) => id);
    for (const id of ids.slice(0, 20)) expect(world.kernel.history.pin(id, true).ok).toBe(true);
    expect(world.kernel.snapshot().view.pins).toEqual(ids.slice(0, 20));
    expect(world.kernel.history.pin(ids[20] ?? 0, true)).toEqual({ ok: false, error: "too_many_pins" });
    const before = dump(world);
    expect(world.kernel.history.pin(ids[0] ?? 0, true).ok).toBe(true);
    expect(world.kernel.history.pin(9_999, false).ok).toBe(true);
    expect(dump(world)).toBe(before);
    world.kernel.history.pin(ids[0] ?? 0, false);
    expect(world.kernel.history.pin(ids[20] ?? 0, true).ok).toBe(true);
  });

  it("[K-66] 32 KB are taken, one byte more is refused", async () => {
    const half = 16 * 1024;
    const world = await talked(["a".repeat(half), "b".repeat(half), "c"]);
    const [a, b, c] = entriesOf(world, "core.user").map(({ id }) => id);
    for (const id of [a, b]) expect(world.kernel.history.pin(id ?? 0, true).ok).toBe(true);
    expect(world.kernel.history.pin(c ?? 0, true)).toEqual({ ok: false, error: "pins_too_large" });
  });

  it("[K-66] only what somebody said and what is shown is pinned", async () => {
    const world = await talked(["one", "two"]);
    const left = idOf(world, "answer 1");
    world.kernel.history.rewind(idOf(world, "answer 0"), "p_anna");
    for (const id of [left, entriesOf(world, "core.rewind")[0]?.id ?? 0, 9_999]) {
      expect(world.kernel.history.pin(id, true)).toEqual({ ok: false, error: "no_such_entry" });
    }
  });

  it("[K-66] a fresh start carries nothing over, and going back before it brings the pins back", async () => {
    const world = await talked(["one"]);
    const id = idOf(world, "one");
    world.kernel.history.pin(id, true);
    await say(world, "two");
    const last = idOf(world, "answer 1");
    world.kernel.history.reset("p_anna");
    expect(world.kernel.snapshot().view.pins).toEqual([]);
    await say(world, "three");
    expect(texts(world.model.requests[2])).toHaveLength(1);
    world.kernel.history.rewind(last, "p_anna");
    expect(world.kernel.snapshot().view.pins).toEqual([id]);
  });
});

describe("what was sent", () => {
  it("[K-67] is made again to the byte, whatever happened since, and making it writes nothing", async () => {
    let tone = "kind";
    const world = await talked(["one"], {
      tools: [tool("look", () => Promise.resolve({ text: "seen" }))],
      register: (registry) => {
        registry.registerSection({ name: "p", kind: "stable", render: () => `Be ${tone}.` });
        registry.registerSection({ name: "t", kind: "volatile", render: () => `It is ${world?.clock.now() ?? 0}.` });
      },
      settings: () => ({ model: `test/${tone}`, thinking: "low", offers: () => tone !== "brief" }),
      script: (request, nth) =>
        request.messages.at(-1)?.role === "user" && nth > 0
          ? { calls: [{ name: "look", args: "{}" }] }
          : { text: `answer ${nth}` },
    });
    world.kernel.history.pin(idOf(world, "one"), true);
    await say(world, "two");
    tone = "brief";
    world.kernel.history.rewind(idOf(world, "answer 0"), "p_anna");
    await say(world, "three");
    world.kernel.history.reset("p_anna");
    await say(world, "four");
    world.crash();
    world.start();
    const before = dump(world);
    const again = entriesOf(world, "core.assistant").map(({ id }) => world.kernel.history.sentRequest(id)?.request);
    expect(again).toEqual(world.model.requests);
    expect(dump(world)).toBe(before);
    expect(world.kernel.history.sentRequest(idOf(world, "three"))).toBeUndefined();
  });
});
