import { describe, expect, it } from "vitest";
import { readActiveAt } from "../../src/kernel/context/active-at.ts";
import { defineNamespace, type Entry, type ModelRequest, readEntry } from "../../src/kernel/index.ts";
import { NO_USAGE } from "../../src/protocol/message.ts";
import { entriesOf, lines, results, send, tool } from "../kernel/make.ts";
import { started } from "../kernel/started.ts";
import { editWorld } from "../kit/edit-world.ts";
import type { KernelWorld } from "../kit/kernel-world.ts";
import type { Script } from "../kit/scripted-model.ts";
import { exchange, finishedFork, forkOf, ids, inheritedIds, originOf, rewind } from "./make.ts";

const DRAFT = defineNamespace({ name: "draft", sticky: { seen: 0 }, rewindable: { text: "", count: 0 } });

const callsOnce: Script = ({ messages }) => {
  const last = messages.at(-1);
  if (last?.role !== "user") return { text: "Looked." };
  return last.content.some((part) => part.type === "text" && part.text === "look")
    ? { text: "One moment.", calls: [{ name: "look", args: "{}" }] }
    : { text: "Hello." };
};

const LOOK = tool("look", () => Promise.resolve({ text: "a tree" }));

/** A conversation with a tool call in it. */
async function parentWorld(): Promise<KernelWorld> {
  const world = started({ script: callsOnce, tools: [LOOK], register: (registry) => void registry.namespace(DRAFT) });
  for (const text of ["first", "look", "third"]) {
    send(world, text);
    await world.run();
  }
  return world;
}

/** As many exchanges as texts, without a model. */
function written(texts: readonly string[]): KernelWorld {
  const world = started();
  editWorld(world, (tx) => texts.map((text) => exchange(tx, text)));
  return world;
}

const entry = (world: KernelWorld, id: number) => readEntry(world.storage, id);
const withoutRequest = ({ request: _request, ...rest }: Entry) => rest;

async function sentAfter(world: KernelWorld, text: string): Promise<ModelRequest | undefined> {
  send(world, text);
  await world.run();
  return world.model.requests.at(-1);
}

describe("entries", () => {
  it("[F-1] [F-2] [F-5] [C-30] keep ids, times and messages, are marked, and new ones come after them", async () => {
    const parent = await parentWorld();
    const at = ids(parent).at(-1) ?? 0;
    const fork = await finishedFork(parent, at, { script: callsOnce, tools: [LOOK] });
    const copied = inheritedIds(fork);
    expect(copied).toEqual(ids(parent));
    for (const id of copied) {
      const original = entry(parent, id);
      if (!original) throw new Error(`no entry ${id}`);
      expect(entry(fork, id)).toEqual({ ...withoutRequest(original), rev: 0, inherited: true });
    }
    const [end] = entriesOf(fork, "core.fork");
    expect(end).toMatchObject({ data: { from: "web:parent", at } });
    expect(end?.id).toBeGreaterThan(at);
    expect(end?.inherited).toBeUndefined();
    expect(fork.kernel.snapshot().view.entries.map(({ id }) => id)).toEqual(ids(fork));
  });

  it("[F-1] [F-2] [F-4] models are sent what they would have been sent there; no prompt is stated twice", async () => {
    const parent = await parentWorld();
    const at = ids(parent).at(-1) ?? 0;
    const fork = await finishedFork(parent, at, { script: callsOnce, tools: [LOOK] });
    expect(fork.kernel.control.usage).toEqual(NO_USAGE);
    expect(await sentAfter(fork, "fourth")).toEqual(await sentAfter(parent, "fourth"));
    expect(entriesOf(fork, "core.system")).toHaveLength(1);
    expect(fork.kernel.control.usage.input).toBe(10);
  });

  it("[F-2] a call whose result lies behind the fork point gets a result that says so", async () => {
    const parent = await parentWorld();
    const asking = entriesOf(parent, "core.assistant").find(
      ({ message }) => message?.role === "assistant" && message.content.some((part) => part.type === "call"),
    );
    const fork = await finishedFork(parent, asking?.id ?? 0, { script: callsOnce, tools: [LOOK] });
    const request = await sentAfter(fork, "go on");
    expect(request?.messages.find(({ role }) => role === "tool")).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("No result was recorded") as unknown }],
    });
    expect(results(fork)).toEqual([]);
  });

  it.each(["core.summary", "core.reset", "core.handoff"])(
    "[F-1] [K-63] before and after a %s the fork has what was active there",
    async (kind) => {
      const parent = written(["a", "b", "c"]);
      const before = ids(parent).at(-1) ?? 0;
      const message = { role: "user", content: [{ type: "text", text: "what was" }] } as const;
      const head = editWorld(parent, (tx) =>
        tx.append({ kind, head: [[before - 1, before]], ...(kind !== "core.reset" && { message }) }),
      );
      const after = editWorld(parent, (tx) => exchange(tx, "d"));
      const early = await finishedFork(parent, before);
      expect(inheritedIds(early)).toEqual(ids(parent).filter((id) => id <= before));
      const late = await finishedFork(parent, after);
      expect(inheritedIds(late)).toEqual([before - 1, before, head, after - 1, after]);
      const { kept, activeFrom, head: newest } = late.control;
      expect({ kept, activeFrom, newest }).toEqual({ kept: [[before - 1, before]], activeFrom: head, newest: head });
      expect(readActiveAt(late.storage, after).map(({ id }) => id)).toEqual(
        readActiveAt(parent.storage, after).map(({ id }) => id),
      );
      const [request, expected] = [await sentAfter(late, "e"), await sentAfter(parent, "e")];
      expect(request?.messages).toEqual(expected?.messages);
    },
  );

  it("[F-1] [K-63] an entry in a branch that a rewind left can be forked, and so can one behind the rewind", async () => {
    const parent = written(["a", "b", "c"]);
    const [, second = 0, , , , sixth = 0] = ids(parent);
    const back = editWorld(parent, (tx) => rewind(parent, tx, second));
    const after = editWorld(parent, (tx) => exchange(tx, "other"));
    const left = await finishedFork(parent, sixth);
    expect(inheritedIds(left)).toEqual(ids(parent).filter((id) => id <= sixth));
    const right = await finishedFork(parent, after);
    expect(inheritedIds(right)).toEqual([...ids(parent).filter((id) => id <= second), back, after - 1, after]);
    expect(right.kernel.snapshot().view.entries.map(({ id }) => id)).toEqual(ids(right));
    expect((await sentAfter(right, "on"))?.messages).toEqual((await sentAfter(parent, "on"))?.messages);
  });

  it("[F-6] going back to an inherited entry takes transcript and documents to what was copied", async () => {
    const parent = await parentWorld();
    parent.kernel.commit((tx) => tx.set(DRAFT, { text: "at the fork", seen: 3 }));
    const at = (await sentAfter(parent, "fourth"))?.messages.length ? (ids(parent).at(-1) ?? 0) : 0;
    const register = { register: (registry: KernelWorld["registry"]) => void registry.namespace(DRAFT) };
    const fork = await finishedFork(parent, at, register);
    send(fork, "here");
    await fork.run();
    fork.kernel.commit((tx) => tx.set(DRAFT, { text: "later" }));
    const [to = 0] = ids(fork).slice(2);
    editWorld(fork, (tx) => rewind(fork, tx, to));
    expect(fork.kernel.get(DRAFT)).toEqual({ text: "at the fork", count: 0, seen: 0 });
    const request = await sentAfter(fork, "again");
    expect(request?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  });

  it("[F-7] a fork is forked, and its fork again, with nothing lost", async () => {
    const parent = written(["a", "b", "c"]);
    const at = ids(parent).at(-1) ?? 0;
    const first = await finishedFork(parent, at);
    editWorld(first, (tx) => exchange(tx, "mine"));
    const own = ids(first);
    const second = await finishedFork(first, own.at(-1) ?? 0);
    expect(inheritedIds(second)).toEqual(own);
    const third = await finishedFork(second, at);
    expect(inheritedIds(third)).toEqual(ids(parent));
  });

  it("[F-7] one that is still being copied is not forked", async () => {
    const parent = written(["a", "b"]);
    const fork = forkOf(parent, 2);
    expect(fork.kernel.history.forkPage({ at: 1, after: 0 })).toEqual({ ok: false, error: "busy" });
    fork.kernel.resume();
    await fork.run();
    expect(fork.kernel.history.forkPage({ at: 1, after: 0 })).toMatchObject({ ok: true });
    expect(fork.kernel.history.forkPage({ at: 999, after: 0 })).toEqual({ ok: false, error: "missing" });
  });
});

describe("documents", () => {
  it("[F-3] [F-4] [I-50] are what they were at the entry, also without their code; sticky state is not copied", async () => {
    const parent = await parentWorld();
    parent.kernel.commit((tx) => {
      tx.set(DRAFT, { text: "then", count: 1, seen: 7 });
      tx.configure("autoCompact", false);
    });
    send(parent, "fourth");
    await parent.run();
    const at = ids(parent).at(-1) ?? 0;
    editWorld(parent, (tx) => tx.namespaces.putDocument("core.pins", { entries: [at] }));
    parent.kernel.commit((tx) => tx.set(DRAFT, { text: "now", count: 2 }));
    const bare = await finishedFork(parent, at);
    expect(bare.kernel.config("autoCompact")).toBe(false);
    expect(bare.kernel.snapshot().view.pins, "pinned later").toEqual([]);
    const again = await finishedFork(bare, at, { register: (registry) => void registry.namespace(DRAFT) });
    expect(again.kernel.get(DRAFT)).toEqual({ text: "then", count: 1, seen: 0 });
    const late = editWorld(parent, (tx) => exchange(tx, "more"));
    const newer = await finishedFork(parent, late, { register: (registry) => void registry.namespace(DRAFT) });
    expect(newer.kernel.get(DRAFT)).toEqual({ text: "now", count: 2, seen: 0 });
    expect(newer.kernel.snapshot().view.pins).toEqual([at]);
  });

  it("[F-3] what was changed in the fork while the copy ran stands, the rest comes", async () => {
    const parent = await parentWorld();
    parent.kernel.commit((tx) => tx.set(DRAFT, { text: "theirs", count: 5 }));
    send(parent, "fourth");
    await parent.run();
    const fork = forkOf(parent, ids(parent).at(-1) ?? 0, { register: (registry) => void registry.namespace(DRAFT) });
    fork.kernel.commit((tx) => tx.set(DRAFT, { text: "mine" }));
    await fork.run();
    expect(fork.kernel.get(DRAFT)).toEqual({ text: "mine", count: 5, seen: 0 });
    fork.crash();
    expect(fork.start().get(DRAFT)).toEqual({ text: "mine", count: 5, seen: 0 });
  });

  it("[F-4] inputs, tasks, memos and what a request was made of are not copied", async () => {
    const parent = await parentWorld();
    const at = ids(parent).at(-1) ?? 0;
    const fork = await finishedFork(parent, at, { origin: originOf(parent) });
    for (const table of ["inputs", "memos", "slots", "outbox", "namespaces"]) {
      expect(fork.storage.sql.exec(`SELECT count(*) AS n FROM ${table}`).toArray(), table).toEqual([{ n: 0 }]);
    }
    expect(fork.control.tasks).toEqual({});
    expect(lines(parent).length).toBeGreaterThan(3);
    expect(entriesOf(fork, "core.assistant").map(({ id }) => entry(fork, id)?.request)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});
