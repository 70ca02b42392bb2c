import { env, runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { definePlugin } from "../../src/host/index.ts";
import { defineTool } from "../../src/kernel/index.ts";
import { childKeyOf } from "../../src/objects/child/child-rpc.ts";
import { filePlace } from "../../src/objects/files/stored-files.ts";
import { peerOf } from "../../src/objects/peer.ts";
import type { ConversationFacts } from "../../src/people/facts.ts";
import { Gate } from "../kit/gate.ts";
import type { Script } from "../kit/scripted-model.ts";
import { Stage } from "../kit/stage.workers.ts";
import { Talk } from "../kit/talk.workers.ts";
import { until } from "../kit/until.ts";

const TASK = "Count the trees";

/** The owner hands a task over and tells what it heard; `child` is what the owned conversation does. */
function handingOver(child: Script, args: object = {}): Script {
  return (request, nth) => {
    const [first] = request.messages;
    const isOwned = first?.role === "user" && first.content.some((part) => part.type === "text" && part.text === TASK);
    if (isOwned) return child(request, nth);
    const last = request.messages.at(-1);
    if (last?.role === "tool") {
      return {
        text: `Heard: ${last.content.map((part) => (part.type === "text" ? part.text : `file ${part.file.name}`)).join(" ")}`,
      };
    }
    return { calls: [{ name: "run_subagent", args: JSON.stringify({ task: TASK, ...args }) }] };
  };
}

async function begin(script: Script, stage = new Stage()): Promise<Talk> {
  stage.script = script;
  const talk = await Talk.begin(stage);
  await talk.say("go");
  return talk;
}

/** The task of the owned conversation, live or finished. */
const childTask = (talk: Talk) =>
  runInDurableObject(talk.stage.object, (_, { storage }) => {
    const live =
      "SELECT value ->> 'id' AS task FROM control, json_each(body, '$.tasks') WHERE value ->> 'kind' = 'core.child'";
    const [row] = storage.sql.exec<{ task: number }>(`${live} UNION SELECT task FROM done WHERE kind = 'core.child'`);
    return row?.task ?? 0;
  });

/** Waits until the owned conversation is there, and gives its key and task. */
async function childOf(talk: Talk): Promise<{ readonly key: string; readonly task: number }> {
  await until(async () => (await childTask(talk)) > 0, "the task");
  const task = await childTask(talk);
  return { key: childKeyOf({ parent: talk.stage.key, task }), task };
}

const tablesOf = (key: string) =>
  runInDurableObject(env.CONVERSATION.getByName(key), async (_, { storage }) => ({
    tables: storage.sql.exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'").toArray(),
    alarm: await storage.getAlarm(),
  }));

async function expectGone(key: string): Promise<void> {
  await until(async () => (await tablesOf(key)).tables.length === 0, "the owned conversation to be gone");
  expect(await tablesOf(key)).toEqual({ tables: [], alarm: null });
  expect((await env.FILES.list({ prefix: filePlace(key, "") })).objects).toEqual([]);
}

const last = async (talk: Talk) => (await talk.transcript()).at(-1);

describe("a conversation of its own", () => {
  it("[O-13] [O-15] [O-17] [O-21] [trap 115] has its owner's principal and the named tools, is in no list, and is gone afterwards", async () => {
    const gate = new Gate();
    const child: Script = () => ({ text: "There are twelve.", between: () => gate.pass() });
    const talk = await begin(handingOver(child, { tools: ["calculate", "current_time"] }));
    await gate.reached();
    const { key, task } = await childOf(talk);
    const facts = await runInDurableObject(env.CONVERSATION.getByName(key), (_, { storage }) => {
      const [row] = storage.sql.exec<{ body: string }>("SELECT body FROM control").toArray();
      return (JSON.parse(row?.body ?? "") as { facts: ConversationFacts }).facts;
    });
    expect(facts).toMatchObject({
      key,
      visibility: "private",
      owner: talk.caller.principalId,
      owned: { depth: 1, task },
    });
    expect(talk.stage.model.requests.at(-1)?.tools.map(({ name }) => name)).toEqual(["current_time", "calculate"]);
    expect((await talk.snapshot()).view.tasks[String(task)]).toMatchObject({
      kind: "core.child",
      status: { name: "subagent" },
    });
    gate.open();
    await talk.idle();
    expect(await last(talk)).toEqual(["assistant", "Heard: There are twelve."]);
    await expectGone(key);
    const rows = await env.DB.prepare("select key from conversations where key like ?")
      .bind(`%${talk.stage.id}%`)
      .all();
    expect(rows.results).toEqual([{ key: talk.stage.key }]);
  });

  it("[O-15] without names it has every tool but the one that would own another", async () => {
    const talk = await begin(handingOver(() => ({ text: "Twelve." })));
    await talk.idle();
    await until(async () => (await last(talk))?.[0] === "assistant", "the answer");
    const offered = talk.stage.model.requests.map(({ tools }) => tools.map(({ name }) => name));
    expect(offered[0]).toContain("run_subagent");
    expect(offered[1]).toEqual(offered[0]?.filter((name) => name !== "run_subagent"));
  });

  it("[O-15] has none that is switched off in its owner's conversation, named or not", async () => {
    const stage = new Stage();
    stage.script = handingOver(() => ({ text: "Twelve." }), { tools: ["calculate", "current_time"] });
    const talk = await Talk.begin(stage);
    await talk.rpc.settings(talk.caller, { tools: { calculate: false } });
    await talk.say("go");
    await talk.idle();
    expect(stage.model.requests[1]?.tools.map(({ name }) => name)).toEqual(["current_time"]);
  });

  it("[O-16] cannot ask a person: a call above the line is blocked, and its result says so", async () => {
    const child: Script = ({ messages }) =>
      messages.at(-1)?.role === "user"
        ? { calls: [{ name: "send_webhook", args: '{"target":"build","body":{}}' }] }
        : { text: "I could not." };
    const talk = await begin(handingOver(child));
    const { key } = await childOf(talk);
    await talk.idle();
    expect((await last(talk))?.[1]).toMatch(
      /Heard: I could not\.[\s\S]*send_webhook was refused there: A subagent may not ask a person.*do it in the main conversation/,
    );
    expect(talk.stage.receiver.arrived.size).toBe(0);
    expect(await talk.cards()).toEqual([]);
    await expectGone(key);
  });

  it("[O-19] [O-17] files of its result are the owner's own", async () => {
    const stage = new Stage();
    const draw = defineTool({
      name: "draw",
      description: "Draws.",
      input: z.strictObject({}),
      async execute(_input, { idempotencyKey }) {
        const key = idempotencyKey.slice(0, idempotencyKey.lastIndexOf("/"));
        await env.FILES.put(filePlace(key, "f1"), "tree", { httpMetadata: { contentType: "text/plain" } });
        return { text: "Drawn.", files: [{ id: "f1", name: "tree.txt", mime: "text/plain", bytes: 4 }] };
      },
    });
    const drawing = definePlugin({ name: "drawing", setup: () => ({ tools: [{ tool: draw, tier: "member" }] }) });
    stage.plugins = (builtIn) => [...builtIn, drawing];
    const child: Script = ({ messages }) =>
      messages.at(-1)?.role === "user" ? { calls: [{ name: "draw", args: "{}" }] } : { text: "Here it is." };
    const talk = await begin(handingOver(child), stage);
    const { key } = await childOf(talk);
    await talk.idle();
    expect((await last(talk))?.[1]).toBe("Heard: Here it is. file tree.txt");
    expect(await talk.rpc.file(talk.caller, "f1")).toMatchObject({ ok: true, value: { name: "tree.txt" } });
    expect(await (await env.FILES.get(filePlace(stage.key, "f1")))?.text()).toBe("tree");
    await expectGone(key);
  });

  it("[O-12] [O-17] both objects die while it works: the result comes once, and nothing of it is left", async () => {
    const gate = new Gate();
    const child: Script = () => ({ text: "There are twelve.", between: () => gate.pass() });
    const talk = await begin(handingOver(child));
    await gate.reached();
    const { key, task } = await childOf(talk);
    await talk.die();
    gate.open();
    await talk.snapshot();
    await peerOf(env, key).lookChild({ parent: talk.stage.key, task });
    await until(async () => (await last(talk))?.[1] === "Heard: There are twelve.", "the answer");
    await talk.idle();
    const told = (await talk.transcript()).filter(([, text]) => text.includes("twelve"));
    expect(told).toEqual([
      ["tool_result", "There are twelve."],
      ["assistant", "Heard: There are twelve."],
    ]);
    await expectGone(key);
  });

  it("[O-5] [O-17] a stop of the turn ends it", async () => {
    const gate = new Gate();
    const talk = await begin(handingOver(() => ({ text: "Never mind.", between: () => gate.pass() })));
    await gate.reached();
    const { key } = await childOf(talk);
    expect(await talk.rpc.stop(talk.caller)).toEqual({ ok: true, value: { stopped: true } });
    gate.open();
    await talk.idle();
    await expectGone(key);
  });

  it("[O-20] deleting its owner's conversation deletes it too", async () => {
    const gate = new Gate();
    const talk = await begin(handingOver(() => ({ text: "Never mind.", between: () => gate.pass() })));
    await gate.reached();
    const { key } = await childOf(talk);
    expect(await talk.rpc.destroy(talk.caller)).toMatchObject({ ok: true });
    gate.open();
    await expectGone(key);
  });
});

describe("what an object is told in another's name", () => {
  it("[O-13] an owned conversation answers nobody but its owner's task", async () => {
    const gate = new Gate();
    const talk = await begin(handingOver(() => ({ text: "Twelve.", between: () => gate.pass() })));
    await gate.reached();
    const { key, task } = await childOf(talk);
    const peer = peerOf(env, key);
    for (const ref of [
      { parent: "web:other", task },
      { parent: talk.stage.key, task: task + 1 },
    ]) {
      expect(await peer.endChild(ref)).toMatchObject({ ok: false, error: { code: "not_found" } });
      expect(await peer.lookChild(ref)).toEqual({ ok: true, value: { state: "unknown" } });
    }
    // A conversation of a person is nobody's.
    expect(await peerOf(env, talk.stage.key).endChild({ parent: "web:other", task: 1 })).toMatchObject({ ok: false });
    gate.open();
    await talk.idle();
    expect(await last(talk)).toEqual(["assistant", "Heard: Twelve."]);
  });
});
