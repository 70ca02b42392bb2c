import { describe, expect, it } from "vitest";
import { CHILD_CHECK_MS, MAX_CHILD_RESULT_BYTES, MAX_CHILDREN } from "../../src/kernel/limits.ts";
import { utf8Bytes } from "../../src/lib/bytes.ts";
import type { FileRef } from "../../src/protocol/message.ts";
import { lines, results, send, tool } from "../kernel/make.ts";
import { type Script, untilAborted } from "../kit/scripted-model.ts";
import { Family, type FamilyOptions, OWNER } from "./family.ts";

const file = (id: string): FileRef => ({ id, name: `${id}.txt`, mime: "text/plain", bytes: 1 });

/** Says "go" and lets everything come to its end. */
async function played(options: FamilyOptions = {}): Promise<Family> {
  const family = new Family(options);
  send(family.owner, "go");
  await family.run();
  return family;
}

/** A family whose owned conversation is at work. */
async function atWork(options: FamilyOptions = {}): Promise<Family> {
  const family = new Family({ childScript: endless, ...options });
  send(family.owner, "go");
  await family.run(() => family.keys.length > 0 && family.child.model.requests.length > 0);
  return family;
}

const endless: Script = () => ({ text: "Still thinking about it", between: untilAborted });
const taskOf = (family: Family) =>
  Number(Object.values(family.owner.control.tasks).find(({ kind }) => kind === "core.child")?.id);
const report = (text: string) =>
  ({
    outcome: "answered",
    text,
    files: [],
    usage: { input: 1, output: 1, cachedRead: 0, cachedWrite: 0, costMicros: 0 },
  }) as const;

describe("beginning", () => {
  it("[O-1] [O-2] [C-29] [I-115] the task, its owner and what creates it are one commit; its key and message come from the task", async () => {
    const family = await atWork();
    const task = taskOf(family);
    expect(family.keys).toEqual([`sub:${OWNER}:${task}`]);
    const { owner } = family.owner.control.tasks[String(task)] ?? {};
    expect(owner).toBe(family.owner.control.turn?.tools[0]?.task);
    expect(family.child.kernel.input(`${OWNER}/${task}`)).toMatchObject({
      actor: "p_anna",
      state: { status: "placed" },
    });
    const revs = family.owner.commits.filter(({ ops }) => JSON.stringify(ops).includes('"core.child"'));
    expect(revs.length).toBeGreaterThan(0);
    await family.peer(family.keys[0] ?? "").beginChild(orderOf(family, task));
    expect(lines(family.child).filter((line) => line.startsWith("user"))).toEqual(["user: What is it?"]);
    await family.owner.kernel.close();
  });

  it("[O-1] [R-29] a call that runs again finds what it had begun", async () => {
    const family = await atWork();
    const task = taskOf(family);
    family.owner.crash();
    await family.owner.run(() => true);
    family.owner.kernel.resume();
    await family.run(() => true);
    expect(taskOf(family)).toBe(task);
    expect(family.created).toHaveLength(1);
  });

  it.each([
    ["tools", { prompt: "x", tools: ["lok"] }, 'There is no tool "lok": did you mean look?'],
    ["model", { prompt: "x", model: "test/modl" }, 'There is no model "test/modl": did you mean test/model?'],
  ])("[O-14] [O-18] unknown %s create nothing, and the call says so", async (_, request, text) => {
    const family = await played({ request });
    expect(family.created).toEqual([]);
    expect(results(family.owner)).toEqual([{ outcome: "error", text }]);
    expect(lines(family.owner).at(-1)).toBe(`assistant: Heard: ${text}`);
  });

  it("[O-14] the fourth level is refused", async () => {
    const family = await played({ childScript: askingAll });
    expect(family.created).toHaveLength(3);
    expect(family.created[2]).toMatch(/^sub:sub:sub:web:owner:\d+:\d+:\d+$/);
    expect(lines(family.owner).at(-1)).toMatch(/Heard: Heard: Heard: Heard: .* 3 deep/);
    expect(family.keys).toEqual([]);
  });

  it("[O-9] a message, instructions and names of tools have limits", async () => {
    const refused = async (request: FamilyOptions["request"]) =>
      results((await played({ ...(request && { request }) })).owner)[0]?.text;
    expect(await refused({ prompt: "x".repeat(32_000) })).toBe("Forty-two.");
    expect(await refused({ prompt: "x".repeat(32_001) })).toMatch(/32001 units, the limit is 32000/);
    expect(await refused({ prompt: "  " })).toMatch(/is empty/);
    expect(await refused({ prompt: "x", system: "y".repeat(20_000) })).toBe("Forty-two.");
    expect(await refused({ prompt: "x", system: "y".repeat(20_001) })).toMatch(/20001 units, the limit is 20000/);
    expect(await refused({ prompt: "x", tools: Array<string>(64).fill("look") })).toBe("Forty-two.");
    expect(await refused({ prompt: "x", tools: Array<string>(65).fill("look") })).toMatch(
      /65 tools are named, the limit is 64/,
    );
  });

  it("[O-7] eight are live at once, the ninth is refused, and its place is free when one has ended", async () => {
    const calls = Array.from({ length: MAX_CHILDREN + 1 }, () => ({ name: "ask", args: "{}" }));
    const script: Script = ({ messages }) => (messages.at(-1)?.role === "user" ? { calls } : { text: "Done." });
    const family = await played({ script });
    const texts = results(family.owner).map(({ text }) => text);
    expect(texts.filter((text) => text === "Forty-two.")).toHaveLength(MAX_CHILDREN);
    expect(texts.filter((text) => text.includes("the limit is 8"))).toHaveLength(1);
    expect(family.created).toHaveLength(MAX_CHILDREN);
    send(family.owner, "again");
    await family.run();
    expect(family.created).toHaveLength(2 * MAX_CHILDREN);
  });
});

const askingAll: Script = ({ messages }) => {
  const last = messages.at(-1);
  if (last?.role === "user") return { calls: [{ name: "ask", args: "{}" }] };
  return {
    text: `Heard: ${last?.role === "tool" ? last.content.map((part) => (part.type === "text" ? part.text : "")).join("") : ""}`,
  };
};

function orderOf(family: Family, task: number) {
  const child = { name: "asked", prompt: "What is it?", tools: null, model: null, thinking: null, system: null };
  const speaker = { actor: "p_anna", meta: null };
  expect(family.owner.control.tasks[String(task)]?.input).toEqual({ ...child, speaker });
  return {
    parent: OWNER,
    task,
    owner: "p_anna",
    depth: 1,
    toolsOff: [],
    constraints: [],
    child: { ...child, speaker },
  };
}

describe("results", () => {
  it("[O-4] [E-17] a report that comes twice, or after all is over, changes nothing and is acknowledged", async () => {
    const family = await atWork();
    const task = taskOf(family);
    const peer = family.peer(OWNER);
    expect(await peer.childSettled(task, report("Yes."))).toEqual({ ok: true, value: {} });
    const { rev } = family.owner.control;
    expect(await peer.childSettled(task, report("No."))).toEqual({ ok: true, value: {} });
    expect(await peer.childSettled(999, report("No."))).toEqual({ ok: true, value: {} });
    expect(await peer.childWanted(task)).toEqual({ ok: true, value: { wanted: false } });
    await family.run(() => family.owner.control.turn === null);
    expect(family.owner.control.rev).toBeGreaterThan(rev);
    expect(results(family.owner)).toEqual([{ outcome: "ok", text: "Yes." }]);
  });

  it("[O-4] [E-17] one that comes after the owner was stopped is acknowledged and taken by nobody", async () => {
    const family = await atWork();
    const task = taskOf(family);
    family.owner.kernel.stop();
    await family.run();
    expect(await family.peer(OWNER).childSettled(task, report("Too late."))).toEqual({ ok: true, value: {} });
    expect(lines(family.owner).join()).not.toContain("Too late");
    expect(family.owner.kernel.receipt(task)).toMatchObject({ outcome: "aborted" });
  });

  it("[O-2] [O-4] what creates it is not sent again once its result is there, however its delivery went", async () => {
    let begun = 0;
    const family = await played({
      reach: (peer) => ({
        ...peer,
        beginChild: async (order) => {
          begun++;
          await peer.beginChild(order);
          throw new Error("the answer was lost");
        },
      }),
    });
    expect(begun).toBe(1);
    expect(family.created).toHaveLength(1);
    expect(results(family.owner)).toEqual([{ outcome: "ok", text: "Forty-two." }]);
    expect(family.owner.control.outbox).toEqual([]);
  });

  it("[O-8] has 48 KB of text as it is stored, and ten files", async () => {
    const family = await atWork();
    const task = taskOf(family);
    const files = Array.from({ length: 11 }, (_, n) => file(`f${n}`));
    for (const { id } of files) family.files.add(`sub:${OWNER}:${task}/${id}`);
    const text = `${'"'.repeat(MAX_CHILD_RESULT_BYTES)}end`;
    await family.peer(OWNER).childSettled(task, { ...report(text), files });
    const receipt = family.owner.kernel.receipt(task)?.result as unknown as { text: string; files: FileRef[] };
    expect(receipt.files).toEqual(files.slice(0, 10));
    const bytes = utf8Bytes(JSON.stringify(receipt.text));
    expect(bytes).toBeLessThanOrEqual(MAX_CHILD_RESULT_BYTES);
    expect(bytes).toBeGreaterThan(MAX_CHILD_RESULT_BYTES - 16);
    expect(family.owner.control.usage).toMatchObject({ input: 11, output: 6 });
  });

  it("[O-18] a failed one gives an error with the reason, a stopped one says so", async () => {
    const failed = await played({
      childScript: () => ({ error: { kind: "auth", message: "The key is wrong.", retryable: false } }),
    });
    expect(results(failed.owner)).toEqual([{ outcome: "error", text: "The key is wrong." }]);
    const stopped = await atWork();
    stopped.child.kernel.stop();
    await stopped.run();
    expect(results(stopped.owner)).toEqual([{ outcome: "error", text: "It was stopped." }]);
    expect([failed.keys, stopped.keys]).toEqual([[], []]);
  });
});

describe("stopping", () => {
  it("[O-5] [C-29] a stop of the turn stops it and all that it owns, and nothing is left", async () => {
    const deep: Script = ({ messages }, nth) =>
      messages.at(-1)?.role === "user" && nth === 0
        ? { calls: [{ name: "ask", args: "{}" }] }
        : endless({ messages } as never, nth);
    const family = new Family({ childScript: deep });
    send(family.owner, "go");
    await family.run(() => family.keys.length === 3);
    expect(family.owner.kernel.stop()).toBe(true);
    await family.run();
    expect(family.keys).toEqual([]);
    expect(family.owner.control).toMatchObject({ turn: null, tasks: {}, outbox: [] });
  });

  it("[O-5] one that was not created yet never is", async () => {
    const family = new Family();
    send(family.owner, "go");
    await family.owner.run(() => false, family.owner.clock.now() - 1);
    await family.owner.run(() => true);
    const away = new Family({ reach: (peer) => ({ ...peer, beginChild: () => Promise.reject(new Error("away")) }) });
    send(away.owner, "go");
    await away.run(() => away.owner.control.outbox.some(({ attempts }) => attempts > 0));
    away.owner.kernel.stop();
    await away.run();
    expect(away.created).toEqual([]);
    expect(away.owner.control).toMatchObject({ turn: null, tasks: {}, outbox: [] });
  });

  it("[O-20] when its owner is deleted, it ends as well", async () => {
    const family = await atWork();
    const { child } = family;
    family.worlds.delete(OWNER);
    await family.peer(family.keys[0] ?? "").endChild({ parent: OWNER, task: taskOf(family) });
    await family.run();
    expect(child.model.requests).toHaveLength(1);
    expect(family.keys).toEqual([]);
  });
});

describe("being lost", () => {
  it("[O-3] [O-6] it is asked after every three minutes; gone three times, it has failed with a reason", async () => {
    const looks: string[] = [];
    const family = await atWork({
      reach: (peer, key) => ({ ...peer, lookChild: (ref) => (looks.push(key), peer.lookChild(ref)) }),
    });
    await family.pass(2 * CHILD_CHECK_MS + 1_000);
    expect(looks).toHaveLength(2);
    const [key = ""] = family.keys;
    family.worlds.delete(key);
    await family.run();
    expect(looks).toHaveLength(5);
    expect(results(family.owner)).toEqual([
      { outcome: "error", text: expect.stringMatching(/is lost: it could not be found for 9 minutes/) as unknown },
    ]);
    expect(family.created).toHaveLength(1);
  });

  it("[O-6] one that cannot be asked counts as lost, an answer in between as found", async () => {
    const family = await atWork();
    const [key = ""] = family.keys;
    const misses = () => family.owner.control.tasks[String(taskOf(family))]?.checkpoint["misses"];
    family.away.add(key);
    await family.pass(2 * CHILD_CHECK_MS + 1_000);
    expect(misses()).toBe(2);
    family.away.delete(key);
    await family.pass(CHILD_CHECK_MS);
    expect(misses()).toBe(0);
    const lost = await atWork();
    lost.away.add(lost.keys[0] ?? "");
    await lost.pass(3 * CHILD_CHECK_MS + 1_000);
    expect(results(lost.owner)).toHaveLength(1);
    lost.away.clear();
    await lost.run();
    expect(lost.keys, "it is told to end as soon as it can be told").toEqual([]);
  });

  it("[O-6] as long as its creation waits for delivery, it is not lost", async () => {
    let isAway = true;
    const family = new Family({
      reach: (peer) => ({
        ...peer,
        beginChild: (order) => (isAway ? Promise.reject(new Error("away")) : peer.beginChild(order)),
      }),
    });
    send(family.owner, "go");
    await family.pass(5 * CHILD_CHECK_MS);
    expect(results(family.owner)).toEqual([]);
    isAway = false;
    await family.run();
    expect(results(family.owner)).toEqual([{ outcome: "ok", text: "Forty-two." }]);
  });

  it("[O-3] a result whose report never arrives is taken when it is asked after, and it goes", async () => {
    const family = await played({
      reach: (peer) => ({ ...peer, childSettled: () => Promise.reject(new Error("lost on the way")) }),
    });
    expect(results(family.owner)).toEqual([{ outcome: "ok", text: "Forty-two." }]);
    expect(family.keys).toEqual([]);
  });
});

describe("what is seen", () => {
  it("[O-11] name, step and what it does", async () => {
    const gate = Promise.withResolvers<void>();
    const look = tool("look", async () => {
      await gate.promise;
      return { text: "a tree" };
    });
    const childScript: Script = ({ messages }) =>
      messages.at(-1)?.role === "user" ? { calls: [{ name: "look", args: "{}" }] } : { text: "A tree." };
    const family = new Family({ childScript, tools: [look] });
    send(family.owner, "go");
    await family.run(() => family.keys.length > 0);
    const shown = () => Object.values(family.owner.kernel.snapshot().view.tasks)[0];
    expect(shown()).toEqual({ kind: "core.child", status: { phase: "working", name: "asked" } });
    await family.run(() => JSON.stringify(shown()).includes("look"));
    expect(shown()).toEqual({
      kind: "core.child",
      status: { phase: "working", name: "asked", step: 1, doing: "look" },
    });
    gate.resolve();
    await family.run();
    expect(results(family.owner)).toEqual([{ outcome: "ok", text: "A tree." }]);
    expect(family.owner.kernel.snapshot().view.tasks).toEqual({});
  });
});
