import { describe, expect, it } from "vitest";
import { finishedFork } from "../fork/make.ts";
import { plantTask } from "../kit/planted-task.ts";
import { guarded, tasksOf, until } from "./guarded.ts";
import { ANNA, BERT, countRows, lines, NOTES, results, send, tool } from "./make.ts";
import { flow, withKinds } from "./make-plugin.ts";
import { started } from "./started.ts";

describe("inside a commit", () => {
  it("[K-1] [I-18] what is read is what this commit has written", () => {
    const kind = flow({ first: () => ({ kind: "park", deadline: null, checkpoint: { phase: "first", n: 1 } }) });
    const world = withKinds([kind]);
    world.kernel.commit((tx) => {
      tx.set(NOTES, { count: 5 });
      expect(tx.get(NOTES).count).toBe(5);
      const task = tx.createTask(kind, null);
      expect(tx.recall(NOTES, task, "answer")).toBeUndefined();
      tx.memo(NOTES, task, "answer", null);
      expect(tx.recall(NOTES, task, "answer")).toBeNull();
      expect(tx.abort(task)).toBe(true);
      expect(tx.abort(task)).toBe(false);
    });
  });

  it("[K-28] [I-62] slot and memos of a call go in the commit that stores its result", async () => {
    const seen: [string, number, number][] = [];
    const { world } = guarded(
      [{ beforeTool: (_call, api) => Promise.resolve({ kind: "pass", input: { n: api.memo("n", 9) } }) }],
      {
        onFrame: ({ events }) => {
          for (const { type } of events) seen.push([type, countRows(world, "slots"), countRows(world, "memos")]);
        },
      },
    );
    send(world, "go");
    await world.run();
    expect(seen.filter(([type]) => type.startsWith("tool."))).toEqual([
      ["tool.started", 1, 1],
      ["tool.finished", 0, 0],
    ]);
  });
});

describe("one at a time", () => {
  it("[T-4] [I-73] [I-97] whoever speaks at whatever moment, one turn runs", async () => {
    const most: number[] = [];
    const world = started({
      onFrame: () => void most.push(tasksOf(world).filter(({ kind }) => kind === "core.generation").length),
    });
    for (let n = 0; n < 6; n++) {
      send(world, `a${n}`, { actor: n % 2 === 0 ? ANNA : BERT });
      await until(world, () => world.model.requests.length > n % 3);
    }
    await world.run();
    expect(Math.max(...most)).toBe(1);
    expect(lines(world).filter((line) => line.startsWith("user"))).toHaveLength(6);
  });

  it("[K-30] [B-11] [trap 71] what is said at any moment of a turn's end is answered at once, without an alarm", async () => {
    for (let moment = 0; moment < 60; moment++) {
      const world = started({ script: () => ({ text: "Hello.", pieces: 1 }) });
      send(world, "one");
      for (let i = 0; i < moment; i++) await Promise.resolve();
      send(world, "two", { actor: BERT });
      await until(world, () => false);
      expect(lines(world), `${moment}`).toEqual(["user: one", "assistant: Hello.", "user: two", "assistant: Hello."]);
    }
  });
});

describe("reopened", () => {
  it("[K-11] [I-14] a kernel shows what the one before had shown, whatever was going on", async () => {
    const { world } = guarded([
      { beforeTool: () => Promise.resolve({ kind: "park", deadline: null, pendingText: "" }) },
    ]);
    world.kernel.commit((tx) => tx.set(NOTES, { count: 3 }));
    send(world, "go");
    await until(world, () => tasksOf(world).some(({ status }) => status === "parked"));
    send(world, "me too", { actor: BERT });
    const before = world.kernel.snapshot();
    world.crash();
    world.start();
    expect(world.kernel.snapshot()).toEqual(before);
  });

  it("[K-24] [R-38] what a handler made of a result is made again when the commit that takes it was lost", async () => {
    let asked = 0;
    const world = started({
      tools: [tool("work", () => Promise.resolve({ text: "worked" }), { replay: "safe" })],
      script: (_request, nth) => (nth === 0 ? { calls: [{ name: "work", args: "{}" }] } : { text: "Done." }),
      register: (registry) => {
        registry.hooks(NOTES, {
          afterTool: async (_call, result) => {
            asked++;
            if (asked === 1) await new Promise(() => undefined);
            return { ...result, text: `made ${asked} times` };
          },
        });
      },
    });
    send(world, "go");
    await until(world, () => asked === 1);
    world.crash();
    world.start().resume();
    await world.run();
    expect(results(world)).toEqual([{ outcome: "ok", text: "made 2 times" }]);
  });

  it("[K-26] [I-72] a task of a name that only the kernel may give, and that it does not know, runs nothing", async () => {
    const world = started();
    world.crash();
    const task = plantTask(world, { kind: "core.unheard" });
    world.start().resume();
    await world.run();
    expect(world.kernel.snapshot().view.tasks).toMatchObject({ [task]: { blocked: true } });
  });
});

describe("a fork of a conversation that had begun anew", () => {
  it("[F-2] [B-14] [I-30] [I-34] shows what folding gives, with resets before and after the fork", async () => {
    const parent = started();
    const say = async (world: typeof parent, text: string) => {
      send(world, text);
      await world.run();
    };
    await say(parent, "old");
    parent.kernel.history.reset(ANNA);
    await say(parent, "new");
    const fork = await finishedFork(parent, parent.control.lastEntry);
    await say(fork, "mine");
    // The world's own client folds every frame and is compared with a snapshot at each.
    expect(fork.client.view).toEqual(fork.kernel.snapshot().view);
    const texts = (world: typeof parent) => JSON.stringify(world.model.requests.at(-1)?.messages);
    expect(texts(fork)).toMatch(/new.*mine/);
    expect(texts(fork)).not.toMatch(/"old"/);
    fork.kernel.history.reset(ANNA);
    await say(fork, "afresh");
    expect(texts(fork)).not.toMatch(/mine|new/);
    expect(lines(fork).filter((line) => line.startsWith("user"))).toEqual(["user: new", "user: mine", "user: afresh"]);
  });
});
