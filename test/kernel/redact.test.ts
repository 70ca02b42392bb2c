import { describe, expect, it } from "vitest";
import { findMessageFault } from "../../src/kernel/context/message-fault.ts";
import { defineEntry, type Kernel, type Walk } from "../../src/kernel/index.ts";
import { counting, settingsWith, WINDOW, words } from "../compaction/kit.ts";
import { finishedFork } from "../fork/make.ts";
import { editWorld } from "../kit/edit-world.ts";
import type { KernelWorld } from "../kit/kernel-world.ts";
import type { Script } from "../kit/scripted-model.ts";
import type { WorldOptions } from "../kit/world-options.ts";
import { ANNA, BERT, dump, entriesOf, lines, send, textOf, tool } from "./make.ts";
import { started } from "./started.ts";

const NOTE = defineEntry({ kind: "diary.note" });
const NATIVE = { family: "test", blocks: [{ signature: "signed-secret" }] };

/** Calls `look` for what Anna says, and repeats the words of everybody. */
const echo: Script = ({ messages }) => {
  const last = messages.at(-1);
  const text = last?.role === "user" ? JSON.stringify(last.content.at(-1)) : "";
  if (!text.includes("secret")) return { text: `Answer to ${text}` };
  const calls = [{ name: "look", args: '{"for":"secret"}' }];
  return { text: `You said ${text}`, thinking: "secret thoughts", native: NATIVE, calls };
};

const LOOK = tool("look", () => Promise.resolve({ text: "found a secret" }));

let messages = 0;

async function say(world: KernelWorld, text: string, actor = ANNA, key = `${actor}:${++messages}`): Promise<void> {
  const voice = { name: actor, label: `[From ${actor}]` };
  send(world, text, { key, actor, meta: { identity: `test:${actor}` }, voice });
  await world.run();
}

/** Whether any table holds something of this kind. */
const holds = (world: KernelWorld, words: RegExp) => words.test(dump(world));

/** Anna and Bert have talked, one turn each. */
async function talked(options: WorldOptions = {}): Promise<KernelWorld> {
  const world = started({ script: echo, tools: [LOOK], ...options });
  await say(world, "hello", BERT, `${BERT}:first`);
  await say(world, "my secret", ANNA, `${ANNA}:first`);
  await say(world, "and now", BERT);
  return world;
}

/** Erases as whoever uses the kernel does: stretch by stretch, then the inputs. Gives how many entries. */
function erase(kernel: Kernel, actors: readonly string[] = [ANNA]): number {
  let count = 0;
  for (let walk: Walk | undefined, isFirst = true; isFirst || walk; isFirst = false) {
    const found = kernel.history.said(actors, walk);
    count += kernel.history.redact(found.ids, "p_owner");
    walk = found.next;
  }
  while (kernel.history.redactInputs(actors) > 0);
  return count;
}

describe("taking words out of a transcript", () => {
  it("[K-80] [K-81] leaves a tombstone in the place of what somebody said and was answered, and no word in any table", async () => {
    const world = await talked();
    const before = world.kernel.entriesAfter(0, 100);
    expect(holds(world, /secret/)).toBe(true);
    expect(erase(world.kernel)).toBe(4);
    const after = world.kernel.entriesAfter(0, 100);
    expect(holds(world, /secret|From p_anna|test:p_anna/)).toBe(false);
    expect(after.map(({ id, kind, at, task }) => ({ id, kind, at, task }))).toEqual(
      before.map(({ id, kind, at, task }) => ({ id, kind, at, task })),
    );
    const gone = after.filter(({ redacted }) => redacted);
    expect(gone.map(({ kind }) => kind)).toEqual(["core.user", "core.assistant", "core.tool_result", "core.assistant"]);
    expect(gone[0]?.redacted).toEqual({ at: world.clock.now(), by: "p_owner" });
    expect(gone[0]?.data).toEqual({ input: `${ANNA}:first`, actor: ANNA });
    expect(after.filter(({ redacted }) => !redacted)).toEqual(
      before.filter(({ id }) => !gone.some((one) => one.id === id)),
    );
  });

  it("[K-83] what is sent from then on is valid, and has each call with its result", async () => {
    const world = await talked();
    erase(world.kernel);
    await say(world, "go on", BERT);
    const messages = world.model.requests.at(-1)?.messages ?? [];
    expect(findMessageFault(messages)).toBeUndefined();
    expect(JSON.stringify(messages)).not.toContain("secret");
    expect(messages.filter(({ role }) => role === "tool")).toHaveLength(1);
    expect(JSON.stringify(messages)).toContain("hello");
  });

  it("[K-83] a request that the words were part of is not to be had, and every other one is", async () => {
    const world = await talked();
    const answers = entriesOf(world, "core.assistant").map(({ id }) => id);
    expect(answers.map((id) => world.kernel.history.sentRequest(id) !== undefined)).toEqual([true, true, true, true]);
    erase(world.kernel);
    expect(answers.map((id) => world.kernel.history.sentRequest(id) !== undefined)).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  it("[K-83] a fork of it copies tombstones", async () => {
    const world = await talked();
    erase(world.kernel);
    const fork = await finishedFork(world, entriesOf(world, "core.assistant").at(-1)?.id ?? 0, { script: echo });
    expect(holds(fork, /secret/)).toBe(false);
    expect(entriesOf(fork, "core.user").map(({ redacted }) => redacted !== undefined)).toEqual([false, true, false]);
  });

  it("[K-84] clients that follow fold the same view as a fresh snapshot, and pages show it", async () => {
    const world = await talked();
    const commits = world.commits.length;
    erase(world.kernel);
    world.verify();
    const ops = world.commits.slice(commits).flatMap((frame) => frame.ops);
    expect(ops.filter(([name]) => name === "s")).toHaveLength(4);
    const { view } = world.kernel.snapshot();
    expect(view.entries.filter(({ redacted }) => redacted)).toHaveLength(4);
    const page = world.kernel.history.page(Number.MAX_SAFE_INTEGER, 100);
    expect(page.entries).toEqual(view.entries);
  });

  it("[K-85] again it changes nothing and costs no revision", async () => {
    const world = await talked();
    const ids = world.kernel.history.said([ANNA]).ids;
    erase(world.kernel);
    const { rev } = world.kernel.snapshot();
    const stored = dump(world);
    expect(world.kernel.history.redact(ids, "p_other")).toBe(0);
    expect(erase(world.kernel)).toBe(0);
    expect(world.kernel.snapshot().rev).toBe(rev);
    expect(dump(world)).toBe(stored);
  });

  it("[K-85] takes at most 200 entries in a commit and finds all of more, wherever it died", () => {
    const world = started();
    const actors = Array.from({ length: 450 }, (_, n) => (n % 3 === 0 ? BERT : ANNA));
    editWorld(world, (tx) => {
      for (const [n, actor] of actors.entries()) {
        const content = [{ type: "text", text: `${actor} says ${n}` }] as const;
        tx.append({ kind: "core.user", message: { role: "user", content }, data: { input: `${actor}:${n}`, actor } });
      }
    });
    const first = world.kernel.history.said([ANNA]);
    expect(first.ids.length).toBeLessThanOrEqual(200);
    const all = world.kernel.entriesAfter(0, 1_000).map(({ id }) => id);
    expect(() => world.kernel.history.redact(all.slice(0, 201), "p_owner")).toThrow("201 entries");
    expect(world.kernel.history.redact(all.slice(0, 1), "p_owner")).toBe(1);
    world.kernel.history.redact(first.ids, "p_owner");
    world.crash();
    world.start();
    erase(world.kernel);
    const left = world.kernel.entriesAfter(0, 1_000).filter(({ redacted }) => !redacted);
    expect(left.map((entry) => textOf(entry).split(" ")[0])).toEqual(Array.from({ length: left.length }, () => BERT));
    expect(left).toHaveLength(149);
  });

  it("[K-85] a large entry loses its parts, too", () => {
    const world = started();
    editWorld(world, (tx) =>
      tx.append({
        kind: "core.user",
        message: { role: "user", content: [{ type: "text", text: "secret ".repeat(200_000) }] },
        data: { input: `${ANNA}:1`, actor: ANNA },
      }),
    );
    expect(erase(world.kernel)).toBe(1);
    expect(holds(world, /secret/)).toBe(false);
  });
});

describe("what was made of somebody's words", () => {
  it("[K-82] summaries after them lose their words and keep their place", async () => {
    let isErased = false;
    const world = started({
      settings: settingsWith(WINDOW),
      script: counting(undefined, () => ({ text: isErased ? "They went on." : "They spoke of a secret." })),
    });
    await say(world, words("secret", 600));
    for (let turn = 1; turn <= 6; turn++) await say(world, words(`message ${turn}`, 500), BERT);
    const summaries = entriesOf(world, "core.summary");
    expect(summaries.length).toBeGreaterThan(0);
    erase(world.kernel);
    isErased = true;
    const asked = world.model.requests.length;
    expect(holds(world, /secret/)).toBe(false);
    for (const entry of entriesOf(world, "core.summary")) expect(textOf(entry)).toMatch(/summary stood here/);
    await say(world, "go on", BERT);
    const requests = world.model.requests.slice(asked);
    expect(requests.length).toBeGreaterThan(0);
    expect(requests.map(({ messages }) => findMessageFault(messages))).toEqual(requests.map(() => undefined));
    expect(JSON.stringify(requests)).not.toContain("secret");
    expect(JSON.stringify(requests)).toContain("summary stood here");
  });

  it("[K-82] a hand-over from before them stays, one after them goes, and nothing stands in a reset", async () => {
    const world = started({ script: echo, tools: [LOOK] });
    await say(world, "hello", BERT);
    world.kernel.history.handOff("Go on from here.", BERT);
    await say(world, "my secret");
    world.kernel.history.reset(ANNA);
    world.kernel.history.handOff("Go on from there.", BERT);
    erase(world.kernel);
    expect(entriesOf(world, "core.handoff").map(({ redacted }) => redacted !== undefined)).toEqual([false, true]);
    expect(entriesOf(world, "core.reset").map(({ redacted }) => redacted !== undefined)).toEqual([false]);
  });

  it("[K-82] what is redacted is pinned no more", async () => {
    const world = await talked();
    const [his, hers] = entriesOf(world, "core.user").map(({ id }) => id);
    for (const id of [his, hers]) world.kernel.history.pin(id ?? 0, true);
    expect(world.kernel.snapshot().view.pins).toEqual([his, hers]);
    erase(world.kernel);
    expect(world.kernel.snapshot().view.pins).toEqual([his]);
  });

  it("[K-81] what a plugin keeps of an actor waits for the end of a turn that may need it", async () => {
    const held: (() => void)[] = [];
    const world = started({
      script: () => ({ text: "ok", between: () => new Promise<void>((resolve) => held.push(resolve)) }),
    });
    send(world, "hello", { actor: BERT });
    await world.run(() => held.length > 0);
    world.kernel.commit((tx) => tx.write(NOTE, { data: { by: ANNA, words: "secret" } }));
    expect(erase(world.kernel)).toBe(0);
    expect(world.kernel.history.said([ANNA]).ids).toHaveLength(1);
    for (const go of held) go();
    await world.run();
    expect(erase(world.kernel)).toBe(1);
    expect(holds(world, /secret/)).toBe(false);
  });
});

describe("letting somebody rest", () => {
  it("[K-86] ends their turn and what they queued, and nothing of others", async () => {
    const held: (() => void)[] = [];
    const world = started({
      script: (_, nth) => ({
        text: "ok",
        ...(nth === 0 && { between: () => new Promise<void>((resolve) => held.push(resolve)) }),
      }),
    });
    send(world, "first");
    await world.run(() => held.length > 0);
    send(world, "mine", { mode: "queue" });
    send(world, "his", { actor: BERT });
    expect(world.kernel.history.letRest([ANNA])).toBe(false);
    expect(world.kernel.snapshot().view.inbox.map(({ actor }) => actor)).toEqual([BERT]);
    for (const go of held) go();
    await world.run();
    expect(world.kernel.history.letRest([ANNA])).toBe(true);
    expect(world.kernel.input(`${ANNA}:mine`)?.state).toEqual({ status: "unanswered", reason: "aborted" });
    expect(lines(world).at(-1)).toBe("assistant: ok");
    expect(lines(world).at(-2)).toBe("user: his");
  });

  it("[K-87] of inputs that ended, whose they are stays and nothing else", async () => {
    const world = await talked();
    erase(world.kernel);
    expect(world.kernel.input(`${ANNA}:first`)).toMatchObject({ actor: ANNA, meta: null, fingerprint: "" });
    expect(world.kernel.input(`${BERT}:first`)).toMatchObject({ actor: BERT, meta: { identity: `test:${BERT}` } });
    expect(send(world, "my secret", { key: `${ANNA}:first` })).toEqual({ ok: false, error: "conflict" });
  });

  it("[K-87] takes 200 inputs in a commit, and the next ones in the next", () => {
    const world = started();
    editWorld(world, (tx) => {
      for (let n = 0; n < 201; n++) {
        const state = { status: "unanswered", reason: "aborted" } as const;
        tx.putInput({ key: `${ANNA}:${n}`, fingerprint: "f", actor: ANNA, meta: { n }, at: 1, state });
      }
    });
    expect(world.kernel.history.redactInputs([ANNA])).toBe(200);
    expect(world.kernel.history.redactInputs([ANNA])).toBe(1);
    expect(world.kernel.history.redactInputs([ANNA])).toBe(0);
  });
});
