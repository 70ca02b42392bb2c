import { abortAllDurableObjects, env, runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { Kernel, type KernelPorts, Registry, type Tool } from "../../src/kernel/index.ts";
import { objectAlarm, systemClock, systemRandom } from "../../src/objects/platform.ts";
import { inObjectWorld } from "../kit/object-world.workers.ts";
import { type Script, ScriptedModel } from "../kit/scripted-model.ts";
import { lines, results, send, submission, tool } from "./make.ts";
import { say, TURN_COSTS } from "./turn-costs.ts";

/** Opens the conversation of a real object, with the platform's own storage, alarm and clock. Starts nothing. */
function openKernel(state: DurableObjectState, script: Script, tools: readonly Tool[]): Kernel {
  const registry = new Registry();
  for (const one of tools) registry.registerTool(one);
  const ports: KernelPorts = {
    storage: state.storage,
    alarm: objectAlarm(state.storage),
    clock: systemClock,
    random: systemRandom,
    model: new ScriptedModel(script),
    deliver: { deliver: () => Promise.resolve({ status: "sent" }) },
    publish: { commit: () => undefined, delta: () => undefined },
    report: { report: () => undefined },
  };
  const settings = () => ({ model: "m/m", thinking: "off", offers: () => true }) as const;
  return Kernel.create(ports, registry, { name: "c", settings }, { name: "real" });
}

const text = (kernel: Kernel) =>
  kernel
    .entriesAfter(0, 100)
    .map(({ message }) => JSON.stringify(message && "content" in message ? message.content : message));

const never = () => new Promise<never>(() => undefined);

/** Says "hi" in a real object and waits until the vendor or tool hangs, its alarm having joined. */
async function hang(
  id: DurableObjectId,
  script: Script,
  tools: readonly Tool[],
  isHanging: (kernel: Kernel) => boolean,
): Promise<void> {
  await runInDurableObject(env.SCRATCH.get(id), async (instance, state) => {
    const kernel = openKernel(state, script, tools);
    instance.alarm = () => kernel.onAlarm(0);
    kernel.submit(submission("hi"));
    const hasJoined = async () => (await state.storage.getAlarm()) === null;
    while (!isHanging(kernel) || !(await hasJoined())) await new Promise((resolve) => setTimeout(resolve, 5));
  });
}

/** Lets the alarm run the conversation in the instance that the platform makes now. */
async function runAlarm(id: DurableObjectId, script: Script, tools: readonly Tool[]): Promise<string[]> {
  return await runInDurableObject(env.SCRATCH.get(id), async (instance, state) => {
    expect(await state.storage.getAlarm(), "the alarm is there again").not.toBeNull();
    const kernel = openKernel(state, script, tools);
    await new Promise<void>((resolve) => {
      instance.alarm = () => kernel.onAlarm(0).then(resolve);
    });
    expect(await state.storage.getAlarm(), "and rests without one").toBeNull();
    return text(kernel);
  });
}

describe("an object that is aborted", () => {
  it("[E-6] [E-24] [K-30] [K-31] [T-19] in the middle of streaming goes on by its own alarm, and rests without one", async () => {
    const id = env.SCRATCH.newUniqueId();
    await hang(
      id,
      () => ({ text: "Hello.", between: never }),
      [],
      (kernel) => kernel.snapshot().live.length > 0,
    );
    await abortAllDurableObjects();
    const said = await runAlarm(id, () => ({ text: "Hello again." }), []);
    expect(said).toEqual(['[{"type":"text","text":"hi"}]', '[{"type":"text","text":"Hello again."}]']);
  }, 30_000);

  it("[E-6] [E-24] [T-28] inside an unsafe tool does not run it again", async () => {
    const id = env.SCRATCH.newUniqueId();
    let runs = 0;
    const work = tool("work", () => {
      runs++;
      return never();
    });
    const script: Script = ({ messages }) =>
      messages.at(-1)?.role === "user" ? { calls: [{ name: "work", args: "{}" }] } : { text: "I do not know." };
    await hang(id, script, [work], () => runs === 1);
    await abortAllDurableObjects();
    const said = await runAlarm(id, script, [work]);
    expect(runs).toBe(1);
    expect(said[3]).toContain("outcome of this call is unknown");
    expect(said[4]).toContain("I do not know.");
  }, 30_000);
});

describe("a Durable Object's own bill", () => {
  it.each(TURN_COSTS)("[K-12] [K-13] [E-3] [E-24] counts the same rows: $name", async ({ options, play, costs }) => {
    await inObjectWorld(async (makeWorld) => {
      const world = makeWorld(options);
      world.start();
      await say("before")(world);
      world.costs.length = 0;
      await play(world);
      expect(world.costs.map(({ rows, alarms }) => [rows, alarms])).toEqual(costs);
    });
  });

  it("[K-19] [E-21] [E-24] opening reads no more rows after 20,000 entries than after 200", async () => {
    const reads: number[] = [];
    for (const count of [200, 20_000]) {
      await inObjectWorld(async (makeWorld) => {
        const world = makeWorld({});
        world.start();
        world.crash();
        world.client.forget();
        const body = JSON.stringify({ at: 1, message: { role: "user", content: [{ type: "text", text: "hello" }] } });
        const { sql } = world.storage;
        sql.exec(
          "WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < ?) " +
            "INSERT INTO entries (id, kind, rev, body) SELECT id, 'core.user', 1, ? FROM n",
          count,
          body,
        );
        const range = { firstEntry: 1, activeFrom: 1, windowFrom: count - 49, lastEntry: count, nextId: count + 1 };
        sql.exec("UPDATE control SET body = ?", JSON.stringify({ ...world.control, ...range }));
        const { read } = world.storage.counts;
        expect(world.start().snapshot().view.entries).toHaveLength(50);
        reads.push(world.storage.counts.read - read);
        await Promise.resolve();
      });
    }
    expect(reads[1]).toBe(reads[0]);
    expect(reads[0]).toBeLessThan(100);
  });

  it("[K-17] [E-14] [E-24] an entry larger than a row may be is stored and read back", async () => {
    await inObjectWorld(async (makeWorld) => {
      const said = "long 😀 ".repeat(300_000);
      const world = makeWorld({ tools: [tool("look", () => Promise.resolve({ text: "x" }))] });
      world.start();
      send(world, said, { key: "k" });
      await world.run();
      world.crash();
      world.start();
      expect(lines(world)[0]).toBe(`user: ${said}`);
      expect(results(world)).toEqual([]);
    });
  });
});
