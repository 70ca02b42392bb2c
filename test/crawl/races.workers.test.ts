import { env, runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it } from "vitest";
import { definePlugin } from "../../src/host/index.ts";
import type { ConversationHome } from "../../src/objects/conversation/conversation-home.ts";
import type { Caller } from "../../src/people/facts.ts";
import { type Edge, LOCAL, makeEdge, type Visitor } from "../kit/edge.ts";
import { Gate } from "../kit/gate.ts";
import { Stage } from "../kit/stage.workers.ts";
import { newPerson, Talk } from "../kit/talk.workers.ts";
import { passTime, restoreClock } from "../kit/wall-clock.ts";

afterEach(restoreClock);

const refused = (code: string) => ({ ok: false, error: { code } });
const setTier = (tier: string, { principalId }: Caller) =>
  env.DB.prepare("update principals set tier = ? where id = ?").bind(tier, principalId).run();

/** A body whose last part comes only after something has happened. */
function slowBody(body: string, meanwhile: () => Promise<unknown>): ReadableStream<Uint8Array> {
  const parts = [body.slice(0, 1), body.slice(1)].map((part) => new TextEncoder().encode(part));
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const part = parts.shift();
      if (part === undefined) return controller.close();
      if (parts.length === 0) await meanwhile();
      controller.enqueue(part);
    },
  });
}

/** Sends a body during which its sender loses what they are. */
async function sendSlowly(edge: Edge, as: Visitor, path: string, json: object): Promise<Response> {
  const body = slowBody(JSON.stringify(json), async () => {
    await setTier("guest", as.caller);
    edge.clock.time += 1_000;
  });
  return await edge.fetch(LOCAL + path, { method: "POST", as, body });
}

describe("a body that takes its time", () => {
  it("[V-95] is carried out for whoever its sender is by then", async () => {
    const edge = makeEdge(env);
    const [owner, other] = [await edge.visitor("owner"), await edge.visitor("member")];
    const path = `/api/v1/people/${other.caller.principalId}/tier`;
    expect((await sendSlowly(edge, owner, path, { tier: "admin" })).status).toBe(403);
    const rest = await env.DB.prepare("select tier from principals where id = ?")
      .bind(other.caller.principalId)
      .first();
    expect(rest).toEqual({ tier: "member" });
  });

  it("[V-95] deletes nothing for a former owner", async () => {
    const edge = makeEdge(env, { bindings: { CONVERSATION: env.CONVERSATION } });
    const { owner } = await Talk.room(new Stage(), []);
    const former = await edge.visitor("owner");
    await owner.told();
    const url = `/api/v1/conversations/${owner.stage.id}`;
    const body = slowBody("{}", async () => {
      await setTier("member", former.caller);
      edge.clock.time += 1_000;
    });
    const response = await edge.fetch(LOCAL + url, { method: "DELETE", as: former, body });
    expect(response.status).toBe(404);
    const row = await env.DB.prepare("select deleted_at from conversations where key = ?")
      .bind(owner.stage.key)
      .first();
    expect(row).toEqual({ deleted_at: null });
  });

  it("[V-95] reaches no plugin for somebody who is below its tier by then", async () => {
    let calls = 0;
    const handle = async () => Response.json({ calls: ++calls });
    const counting = definePlugin({
      name: "counting",
      setup: () => ({ routes: [{ method: "POST", path: "/up", tier: "admin", handle }] }),
    });
    const edge = makeEdge(env, { plugins: [counting] });
    const admin = await edge.visitor("admin");
    expect((await sendSlowly(edge, admin, "/plugins/counting/up", {})).status).toBe(403);
    expect(calls).toBe(0);
  });
});

describe("an upload that takes its time", () => {
  it("[V-130] leaves neither bytes nor line when its sender is taken out of the room meanwhile", async () => {
    const edge = makeEdge(env, { bindings: { CONVERSATION: env.CONVERSATION } });
    const { owner } = await Talk.room(new Stage(), []);
    const sender = await edge.visitor("member");
    const { principalId } = sender.caller;
    await owner.rpc.addMember(owner.caller, principalId);
    await owner.told();
    const parts = ["a first part that is long enough to be looked at, ", "and the rest"];
    const bytes = parts.map((part) => new TextEncoder().encode(part));
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const part = bytes.shift();
        if (part === undefined) return controller.close();
        if (bytes.length === 0) await owner.rpc.removeMember(owner.caller, principalId);
        controller.enqueue(part);
      },
    });
    const url = `${LOCAL}/api/v1/conversations/${owner.stage.id}/files?name=a.txt`;
    const headers = { "content-length": String(parts.join("").length), "content-type": "text/plain" };
    const response = await edge.fetch(url, { method: "POST", as: sender, body, headers });
    expect(response.status).toBe(404);
    const left = await runInDurableObject(owner.stage.object, (_, { storage }) =>
      storage.sql.exec("SELECT body FROM namespaces WHERE name = 'files'").toArray(),
    );
    expect(left).toEqual([{ body: '{"files":{}}' }]);
    expect((await env.FILES.list({ prefix: `files/${owner.stage.id}/` })).objects).toEqual([]);
  });

  it("[V-130] is taken back by its sender alone, and only while it is on its way", async () => {
    const { owner, others } = await Talk.room(new Stage(), ["Anna", "Bert"]);
    const [anna, bert] = others;
    if (!anna || !bert) throw new Error("nobody came");
    const file = (id: string) => ({ id, name: "a.txt", mime: "text/plain", bytes: 1 });
    for (const id of ["begun", "done"]) await anna.rpc.addFile(anna.caller, file(id));
    expect(await anna.rpc.file(anna.caller, "done")).toMatchObject({ ok: true });
    for (const { caller } of [anna, bert]) await owner.rpc.removeMember(owner.caller, caller.principalId);
    expect(await bert.rpc.removeFile(bert.caller, "begun")).toMatchObject(refused("not_found"));
    expect(await anna.rpc.removeFile(anna.caller, "done")).toMatchObject(refused("not_found"));
    expect(await anna.rpc.removeFile(anna.caller, "begun")).toEqual({ ok: true, value: {} });
    expect(await owner.rpc.file(owner.caller, "begun")).toMatchObject(refused("not_found"));
    expect(await owner.rpc.file(owner.caller, "done")).toMatchObject({ ok: true });
  });

  it("[V-130] of the hundred newest that are on their way", async () => {
    const { owner, others } = await Talk.room(new Stage(), ["Anna"]);
    const [anna] = others;
    if (!anna) throw new Error("nobody came");
    for (let n = 0; n < 101; n++) {
      await anna.rpc.addFile(anna.caller, { id: `f${n}`, name: "a.txt", mime: "text/plain", bytes: 1 });
    }
    await owner.rpc.removeMember(owner.caller, anna.caller.principalId);
    expect(await anna.rpc.removeFile(anna.caller, "f0")).toMatchObject(refused("not_found"));
    expect(await anna.rpc.removeFile(anna.caller, "f1")).toEqual({ ok: true, value: {} });
  });
});

describe("two people at one instant", () => {
  it("[V-96] who fork under one id: one has it, the other hears that there is none", async () => {
    const { owner, others } = await Talk.room(new Stage(), ["Anna", "Bert"]);
    await owner.say("Hello");
    await owner.idle();
    const fork = new Stage();
    const at = (await owner.snapshot()).view.entries.at(-1)?.id ?? 0;
    const origin = { key: owner.stage.key, at };
    const answers = await Promise.all(
      others.map(({ caller }) => Talk.at(fork, caller).rpc.fork(caller, fork.key, origin)),
    );
    expect(answers.filter(({ ok }) => ok)).toEqual([{ ok: true, value: { created: true } }]);
    expect(answers.find(({ ok }) => !ok)).toMatchObject(refused("not_found"));
  });

  it("[V-96] who create under one id: one has it, the other hears that there is none", async () => {
    const talk = Talk.at(new Stage(), await newPerson());
    const people = [talk.caller, await newPerson()];
    // The directory remembers both, so that nothing but the making lies between them.
    for (const caller of people) expect(await talk.rpc.snapshot(caller)).toMatchObject(refused("not_found"));
    const answers = await runInDurableObject(talk.stage.object, (object) => {
      const { desk } = (object as unknown as { readonly home: ConversationHome }).home;
      return Promise.all(people.map((caller) => desk.create(caller, talk.stage.key)));
    });
    expect(answers.filter(({ ok }) => ok)).toEqual([{ ok: true, value: { created: true } }]);
    expect(answers.find(({ ok }) => !ok)).toMatchObject(refused("not_found"));
  });
});

describe("what waits", () => {
  it("[W-62] a message is judged again when those before it are admitted", async () => {
    const { owner, others } = await Talk.room(new Stage(), ["Anna", "Bert"]);
    const [anna, bert] = others;
    if (!anna || !bert) throw new Error("nobody came");
    await anna.snapshot();
    await owner.told();
    const gate = owner.stage.database.hold((sql) => sql.includes("sessions"));
    const before = bert.say("I am first");
    await gate.reached();
    const after = anna.say("May I still?");
    expect(await owner.rpc.removeMember(owner.caller, anna.caller.principalId)).toMatchObject({ ok: true });
    gate.open();
    expect(await before).toMatchObject({ ok: true });
    expect(await after).toMatchObject(refused("not_found"));
    await owner.idle();
    expect(JSON.stringify(await owner.transcript())).not.toContain("May I still?");
  });

  it("[V-97] an answer to a request that was sent again is nobody's who may not look any more", async () => {
    const { owner } = await Talk.room(new Stage(), []);
    await owner.say("Hello");
    await owner.idle();
    const { entries } = (await owner.snapshot()).view;
    const answer = entries.find(({ kind }) => kind === "core.assistant")?.id ?? 0;
    const gate = new Gate();
    owner.stage.script = () => ({ text: "Words of the room.", between: () => gate.pass() });
    const replay = owner.rpc.replay(owner.caller, answer, "demo/demo");
    await gate.reached();
    const second = await newPerson("owner");
    await setTier("member", owner.caller);
    await owner.rpc.removeMember(second, owner.caller.principalId);
    passTime(30_000);
    gate.open();
    expect(await replay).toMatchObject(refused("not_found"));
  });
});
