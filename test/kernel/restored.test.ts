import { describe, expect, it } from "vitest";
import { defineTask, Kernel } from "../../src/kernel/index.ts";
import type { AssistantEntryData } from "../../src/protocol/view.ts";
import type { KernelWorld } from "../kit/kernel-world.ts";
import { registerGate } from "../kit/mini-gate.ts";
import { nodeWorld } from "../kit/node-world.ts";
import { PLUGIN_SCENARIOS } from "../kit/plugin-scenarios.ts";
import { putBack } from "../kit/put-back.ts";
import { attempt, EffectServer, SCENARIOS, type Scenario } from "../kit/scenarios.ts";
import { untilAborted } from "../kit/scripted-model.ts";
import { expectAtRest, playCut } from "./cut-run.ts";
import { ANNA, BERT, entriesOf, lines, NOTES, results, send, tool } from "./make.ts";
import { started } from "./started.ts";

/** Runs until a condition holds, without letting time pass. */
const until = (world: KernelWorld, condition: () => boolean) => world.run(condition, world.clock.now());

/** The process dies, and what it left is put back from a backup of that moment. Opened, not resumed. */
function restore(world: KernelWorld): void {
  world.crash();
  putBack(world);
  world.start();
}

const HANGING = tool("send", (_input, { signal }) => untilAborted(signal).then(() => ({ text: "sent" })));
const CALLS = { text: "On it.", calls: [{ name: "send", args: "{}" }] };

/** A turn with a call under way, a message behind it and a row that nobody takes. */
async function underWay(options: Parameters<typeof started>[0] = {}): Promise<KernelWorld> {
  const world = started({
    script: (_request, nth) => (nth === 0 ? CALLS : { text: "Hello." }),
    tools: [HANGING],
    deliver: () => Promise.resolve({ status: "retry", error: "away" }),
    ...options,
  });
  world.kernel.commit((tx) => tx.send({ key: "k", target: "elsewhere", payload: null }));
  send(world, "go");
  await until(world, () => Object.values(world.control.tasks).some(({ checkpoint }) => checkpoint.phase === "started"));
  send(world, "me too", { actor: BERT });
  send(world, "and me", { mode: "queue" });
  return world;
}

/** Plays a scenario until the process dies at a point, restores what is left then, and lets it come to rest. */
async function restoredAt(scenario: Scenario, index: number, diesAgain?: number) {
  const server = new EffectServer();
  const options = scenario.options(server);
  let isPutBack = false;
  const world: KernelWorld = nodeWorld({
    ...options,
    killAt: [index],
    register(registry, kernel) {
      if (world.crashes.life > 1 && !isPutBack) {
        putBack(world);
        isPutBack = true;
      }
      options.register?.(registry, kernel);
    },
  });
  for (const action of scenario.actions) {
    await world.run(() => isPutBack || attempt(world, action, server));
    if (isPutBack) break;
  }
  await world.run(() => isPutBack);
  const before = { effects: [...server.calls], sink: [...server.sink], requests: world.model.requests.length };
  if (diesAgain !== undefined) world.crashes.killIn(diesAgain);
  try {
    world.kernel.resume();
  } catch (error) {
    if (world.crashes.isAlive) throw error;
  }
  await world.run();
  // Died without an alarm: whoever opens it next.
  world.kernel.resume();
  await world.run();
  const after = { effects: [...server.calls], sink: [...server.sink], requests: world.model.requests.length };
  return { world, server, before, after };
}

/** Ids of entries from one on. */
const newIds = (world: KernelWorld, from: number) => world.kernel.entriesAfter(from - 1, 100).map(({ id }) => id);

describe("a conversation that was restored from a backup", () => {
  it.each(["whoever opens it", "its alarm"])("[K-90] is ended before anything begins, by %s", async (by) => {
    const world = await underWay();
    restore(world);
    expect(world.control.restored).toBeDefined();
    if (by === "its alarm") await world.kernel.onAlarm(0);
    else world.kernel.resume();
    expect(world.control).toMatchObject({ turn: null, inbox: [], tasks: {}, outbox: [] });
    expect(world.control.restored).toBeUndefined();
    await world.run();
    expect(world.model.requests).toHaveLength(1);
  });

  it("[K-31] [K-90] leaves no alarm of what it ended, when its own opened it", async () => {
    const world = started({
      script: () => CALLS,
      tools: [HANGING],
      register: (registry) =>
        registry.hooks(NOTES, {
          beforeTool: (_call, api) =>
            Promise.resolve({ kind: "park", deadline: Number(api.memo("asked", api.now())) + 60_000, pendingText: "" }),
        }),
    });
    send(world, "go");
    await until(world, () => Object.values(world.control.tasks).some(({ status }) => status === "parked"));
    world.crash();
    putBack(world);
    world.alarm.set(world.clock.now());
    world.alarm.begin();
    world.start();
    expect(world.alarm.armedFor, "opening armed the deadline").not.toBeNull();
    await world.kernel.onAlarm(0);
    world.alarm.end();
    await world.run();
    expect(results(world)).toMatchObject([{ outcome: "stopped", code: "restored" }]);
    expect(world.alarm.armedFor).toBeNull();
  });

  it("[K-90] is ended in one commit, before the first message to it", async () => {
    const world = await underWay();
    restore(world);
    const commits = world.commits.length;
    send(world, "hello");
    expect(world.commits.slice(commits)).toHaveLength(2);
    await world.run();
    expect(lines(world).slice(-2)).toEqual(["user: hello", "assistant: Hello."]);
  });

  it("[K-91] sends nothing, fails the turn, and does not know what became of an unsafe call", async () => {
    const world = await underWay();
    const deliveries = world.delivered.length;
    restore(world);
    await world.run();
    expect(world.delivered).toHaveLength(deliveries);
    const [result] = results(world);
    expect(result).toMatchObject({ outcome: "unknown", code: "restored" });
    expect(result?.text).toContain("restored from a backup. The outcome of this call is unknown");
    const failed = entriesOf(world, "core.assistant").at(-1)?.data as unknown as AssistantEntryData;
    expect(failed.display).toMatchObject({
      reason: "failed",
      error: expect.stringContaining("restored from a backup"),
    });
    expect(world.kernel.input(`${ANNA}:go`)?.state).toMatchObject({ status: "unanswered", reason: "failed" });
  });

  it("[K-91] does not run what had not started or would be safe to repeat", async () => {
    const safe = tool("send", (_input, { signal }) => untilAborted(signal).then(() => ({ text: "sent" })), {
      replay: "safe",
    });
    const world = await underWay({ tools: [safe] });
    restore(world);
    await world.run();
    expect(results(world)).toMatchObject([{ outcome: "stopped", code: "restored" }]);
    const held = started({
      script: () => CALLS,
      tools: [HANGING],
      register: (registry, kernel) => registerGate(registry, kernel, "send"),
    });
    send(held, "go");
    await until(held, () => Object.values(held.control.tasks).some(({ status }) => status === "parked"));
    restore(held);
    held.kernel.resume();
    await held.run();
    expect(results(held)).toMatchObject([
      { outcome: "stopped", code: "restored", text: expect.stringContaining("had not run when the backup was made") },
    ]);
  });

  it("[K-91] ends tasks of plugins without their code, and those that have none", async () => {
    const ran: string[] = [];
    const kind = defineTask<null, { readonly phase: "wait" }>({
      kind: "test.wait",
      initial: () => ({ phase: "wait" }),
      phases: {
        wait() {
          ran.push("phase");
          return Promise.resolve({ kind: "park", deadline: null, checkpoint: { phase: "wait" } });
        },
      },
      abort() {
        ran.push("abort");
        return Promise.resolve();
      },
    });
    const world = started();
    const undo = world.registry.registerTaskKind(kind);
    const task = world.kernel.commit((tx) => tx.createTask(kind, null));
    await world.run();
    undo();
    world.kernel.commit((tx) => tx.set(NOTES, { count: 1 }));
    restore(world);
    world.kernel.resume();
    expect(world.kernel.receipt(task)?.outcome).toBe("aborted");
    world.registry.registerTaskKind(kind);
    const other = world.kernel.commit((tx) => tx.createTask(kind, null));
    await world.run();
    world.crash();
    putBack(world);
    world.start();
    world.registry.registerTaskKind(kind);
    world.kernel.resume();
    expect(world.kernel.receipt(other)?.outcome).toBe("faulted");
    expect(ran, "each task ran once, before it was restored").toEqual(["phase", "phase"]);
  });

  it("[K-92] keeps what waited in line, unanswered, and says what ended", async () => {
    const world = await underWay();
    restore(world);
    await world.run();
    const notice = lines(world).at(-1);
    expect(lines(world).slice(-3, -1)).toEqual(["user: me too", "user: and me"]);
    expect(notice).toContain("2 pieces of work, 2 messages that waited for an answer, 1 deliveries");
    expect(entriesOf(world, "core.notice").at(-1)?.data).toMatchObject({
      restored: { ended: 2, unanswered: 2, unsent: 1, targets: ["elsewhere"] },
    });
    expect(send(world, "me too", { actor: BERT })).toMatchObject({ value: { status: "unanswered" } });
    send(world, "what now?");
    await world.run();
    const asked = JSON.stringify(world.model.requests.at(-1)?.messages);
    expect(asked).toContain("Do none of it again unless somebody asks");
    expect(asked, "nobody asks for it now").not.toContain("me too");
  });

  it("[K-92] places what plugins wrote, and the result of a call that had left its turn", async () => {
    const world = await underWay();
    send(world, "The call has run.", { key: "system:call:9" });
    restore(world);
    await world.run();
    expect(lines(world)).toContain("notice: The call has run.");
    send(world, "what now?");
    await world.run();
    expect(JSON.stringify(world.model.requests.at(-1)?.messages)).toContain("The call has run.");
    expect(world.kernel.input("system:call:9")?.state).toMatchObject({ status: "unanswered", reason: "restored" });
  });

  it("[K-93] leaves the transcript of one at rest as it is", async () => {
    const world = started();
    send(world, "hello");
    await world.run();
    const before = lines(world);
    const { rev } = world.kernel.snapshot();
    restore(world);
    world.kernel.resume();
    expect(lines(world)).toEqual(before);
    expect(world.kernel.snapshot().rev).toBe(rev);
    expect(world.control.restored).toBeUndefined();
  });

  it("[K-95] gives out no id that was given out since the backup, by an earlier restore either", async () => {
    const world = await underWay();
    const { nextId } = world.control;
    restore(world);
    world.kernel.resume();
    expect(Math.min(...newIds(world, nextId)), "far beyond what the original can have used").toBeGreaterThan(1e9);
    send(world, "hello");
    await world.run();
    const used = world.control.nextId;
    // The same backup once more, some seconds later.
    await world.pass(5_000);
    world.crash();
    world.storage.sql.exec("UPDATE control SET body = json_set(body, '$.nextId', ?)", nextId);
    putBack(world);
    world.start().resume();
    expect(Math.min(...newIds(world, used))).toBeGreaterThan(used);
    expect(world.control.nextId).toBeLessThan(2 ** 40);
    // A clock that stands still.
    const { nextId: last } = world.control;
    restore(world);
    world.kernel.resume();
    expect(world.control.nextId).toBeGreaterThan(last + 999_999);
  });

  it("[K-96] tells plugins in that commit", async () => {
    const told: number[] = [];
    const world = await underWay({
      register: (registry) =>
        registry.hooks(NOTES, {
          restored(tx) {
            tx.set(NOTES, { count: 7 });
            told.push(world.commits.length);
          },
        }),
    });
    restore(world);
    const commits = world.commits.length;
    world.kernel.resume();
    expect(told).toEqual([commits]);
    expect(world.kernel.get(NOTES).count).toBe(7);
    await world.run();
    expect(told).toHaveLength(1);
  });
});

describe.each([...SCENARIOS, ...PLUGIN_SCENARIOS])("restored: $name", { timeout: 60_000 }, (scenario) => {
  it("[K-94] [K-95] a backup of whatever moment, and a death in the midst of ending it, do nothing twice", async () => {
    const { length } = (await playCut(scenario, [], nodeWorld)).world.crashes.passed;
    for (let index = 0; index < length; index++) {
      const whole = await restoredAt(scenario, index);
      expectEnded(whole, `backed up at ${index}`);
      for (const ahead of [0, 1]) {
        const cut = await restoredAt(scenario, index, ahead);
        expectEnded(cut, `backed up at ${index}, died ${ahead} later`);
        if (Kernel.exists(cut.world)) expect(lines(cut.world)).toEqual(lines(whole.world));
      }
      if (!Kernel.exists(whole.world)) continue;
      send(whole.world, "hello");
      await whole.world.run();
      expect(whole.world.kernel.input(`${ANNA}:hello`)?.state.status, `backed up at ${index}`).toBe("done");
    }
  });
});

function expectEnded({ world, server, before, after }: Awaited<ReturnType<typeof restoredAt>>, where: string): void {
  expect(after, `${where}: nothing reached anybody`).toEqual(before);
  if (!Kernel.exists(world)) return;
  expectAtRest({ world, server, lines: [] }, where);
  expect(world.control.restored, where).toBeUndefined();
}
