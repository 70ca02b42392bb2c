import { env, evictDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it } from "vitest";
import { MAX_ROOM_MEMBERS } from "../../src/objects/room/room-state.ts";
import { listConversations } from "../../src/store/conversations.ts";
import { openDatabase } from "../../src/store/database.ts";
import { ChatSocket, upgradeRequest } from "../kit/chat-socket.workers.ts";
import { Gate } from "../kit/gate.ts";
import { untilAborted } from "../kit/scripted-model.ts";
import { Stage } from "../kit/stage.workers.ts";
import { newPerson, Talk } from "../kit/talk.workers.ts";
import { passTime, restoreClock } from "../kit/wall-clock.ts";

afterEach(restoreClock);

const DONE = { ok: true, value: {} };
const db = openDatabase(env.DB);
const refused = (code: string) => ({ ok: false, error: { code } });
const sql = (query: string, ...values: unknown[]) =>
  env.DB.prepare(query)
    .bind(...values)
    .run();
const setTier = (talk: Talk, tier: string) =>
  sql("update principals set tier = ? where id = ?", tier, talk.caller.principalId);

/** A room with an owner, and Anna and Bert as members. */
async function room(stage = new Stage()) {
  const { owner, others } = await Talk.room(stage, ["Anna", "Bert"]);
  const [anna, bert] = others;
  if (!anna || !bert) throw new Error("nobody came");
  return { owner, anna, bert };
}

async function membersOf(talk: Talk): Promise<readonly string[]> {
  const answer = await talk.rpc.members(talk.caller);
  if (!answer.ok) throw new Error(answer.error.code);
  return answer.value.members.map(({ principalId }) => principalId);
}

const listed = async ({ caller }: Talk) =>
  (await listConversations(db, [caller.principalId], { surface: "web", limit: 50, after: undefined })).map(
    ({ key }) => key,
  );
const idsOf = (...talks: readonly Talk[]) => talks.map(({ caller }) => caller.principalId);

describe("opening a shared conversation", () => {
  it.each(["member", "admin"] as const)(
    "[J-20] is not for a person of tier %s, whether or not the id is taken",
    async (tier) => {
      const person = await newPerson(tier);
      const { owner } = await room();
      const nowhere = new Stage();
      const answers = await Promise.all(
        [owner.at(nowhere), owner].map(({ rpc, stage }) => rpc.create(person, stage.key, "shared")),
      );
      expect(answers[0]).toMatchObject(refused("forbidden"));
      expect(answers[1]).toEqual(answers[0]);
      expect(await owner.at(nowhere).rpc.snapshot(person)).toMatchObject(refused("not_found"));
    },
  );

  it("[J-20] [trap 74] fixes what it is for ever: first writer wins", async () => {
    const owner = await Talk.begin(new Stage(), await newPerson("owner"));
    expect(await owner.rpc.create(owner.caller, owner.stage.key, "shared")).toMatchObject(refused("conflict"));
    expect((await owner.snapshot()).view.plugins).not.toHaveProperty("room");
    const shared = (await room()).owner;
    expect(await shared.rpc.create(shared.caller, shared.stage.key, "private")).toMatchObject(refused("conflict"));
    expect(await shared.rpc.create(shared.caller, shared.stage.key, "shared")).toEqual({
      ok: true,
      value: { created: false },
    });
    expect((await shared.snapshot()).view.plugins["room"]).toBeDefined();
  });

  it("[J-20] both at one instant: one of them is made, the other is told", async () => {
    const talk = (await Talk.room(new Stage(), [])).owner.at(new Stage());
    const answers = await Promise.all(
      (["private", "shared"] as const).map((visibility) => talk.rpc.create(talk.caller, talk.stage.key, visibility)),
    );
    expect(answers.filter(({ ok }) => ok)).toEqual([{ ok: true, value: { created: true } }]);
    expect(answers.find(({ ok }) => !ok)).toMatchObject(refused("conflict"));
  });
});

describe("members", () => {
  it("[J-21] the first is whoever opened it, by name of who took whom in, after a restart too", async () => {
    const { owner, anna, bert } = await room();
    await owner.told();
    await evictDurableObject(owner.stage.object);
    expect(await membersOf(owner)).toEqual(idsOf(owner, anna, bert));
    const answer = await anna.rpc.members(anna.caller);
    const by = owner.caller.principalId;
    expect(answer).toMatchObject({ value: { members: [{ addedBy: by }, { addedBy: by }, { addedBy: by }] } });
    expect((await anna.snapshot()).view.plugins["room"]).toEqual({ members: idsOf(owner, anna, bert) });
  });

  it("[J-21] whoever is in it already stays as they came", async () => {
    const { owner, anna } = await room();
    const before = await owner.rpc.members(owner.caller);
    const second = await newPerson("owner");
    expect(await owner.rpc.addMember(second, anna.caller.principalId)).toEqual(DONE);
    expect(await owner.rpc.members(owner.caller)).toEqual(before);
  });

  it(`[J-21] ${MAX_ROOM_MEMBERS} are taken in, one more is refused until somebody goes`, async () => {
    const { owner } = await Talk.room(new Stage(), []);
    const people = await Promise.all(Array.from({ length: MAX_ROOM_MEMBERS }, () => newPerson()));
    const take = (n: number) => owner.rpc.addMember(owner.caller, people[n]?.principalId ?? "");
    for (let n = 0; n < MAX_ROOM_MEMBERS - 1; n++) expect(await take(n)).toEqual(DONE);
    expect(await take(MAX_ROOM_MEMBERS - 1)).toMatchObject(refused("too_large"));
    expect(await membersOf(owner)).toHaveLength(MAX_ROOM_MEMBERS);
    expect(await owner.rpc.removeMember(owner.caller, people[0]?.principalId ?? "")).toEqual(DONE);
    expect(await take(MAX_ROOM_MEMBERS - 1)).toEqual(DONE);
  });

  it("[J-21] nobody unknown, switched off or a guest is taken in, each with what would help", async () => {
    const { owner } = await room();
    const off = await newPerson();
    await sql("update principals set disabled_at = 1 where id = ?", off.principalId);
    const guest = await newPerson("guest");
    const before = await membersOf(owner);
    expect(await owner.rpc.addMember(owner.caller, "p_nobody")).toMatchObject({
      error: { code: "not_found", message: "There is no such person." },
    });
    for (const { principalId } of [off, guest]) {
      const answer = await owner.rpc.addMember(owner.caller, principalId);
      expect(answer).toMatchObject({ error: { code: "bad_request", message: expect.stringContaining("tier member") } });
    }
    expect(await membersOf(owner)).toEqual(before);
  });

  it("[J-21] [J-22] [U-14] members take nobody in or out, and learn nothing about people by trying", async () => {
    const { owner, anna, bert } = await room();
    const before = await membersOf(owner);
    for (const person of ["p_nobody", (await newPerson()).principalId, bert.caller.principalId]) {
      const tries = [anna.rpc.addMember(anna.caller, person), anna.rpc.removeMember(anna.caller, person)];
      for (const answer of await Promise.all(tries)) {
        expect(answer).toMatchObject({ error: { message: "In a shared conversation only owners may do this." } });
      }
    }
    expect(await membersOf(owner)).toEqual(before);
  });

  it("[J-22] an owner takes one out, a member goes, and doing it again changes nothing", async () => {
    const { owner, anna, bert } = await room();
    expect(await owner.rpc.removeMember(owner.caller, anna.caller.principalId)).toEqual(DONE);
    expect(await bert.rpc.removeMember(bert.caller, bert.caller.principalId)).toEqual(DONE);
    const { rev } = await owner.snapshot();
    expect(await owner.rpc.removeMember(owner.caller, anna.caller.principalId)).toEqual(DONE);
    expect(await membersOf(owner)).toEqual(idsOf(owner));
    expect((await owner.snapshot()).rev).toBe(rev);
  });

  it("[J-22] without a member it is the owners', and no default brings back who opened it", async () => {
    const { owner, anna, bert } = await room();
    for (const { caller } of [anna, bert, owner]) await owner.rpc.removeMember(owner.caller, caller.principalId);
    await owner.told();
    await evictDurableObject(owner.stage.object);
    expect(await membersOf(owner)).toEqual([]);
    await setTier(owner, "member");
    await evictDurableObject(owner.stage.object);
    expect(await owner.rpc.snapshot(owner.caller)).toMatchObject(refused("not_found"));
    expect(await owner.rpc.addMember(await newPerson("owner"), owner.caller.principalId)).toEqual(DONE);
    expect(await owner.rpc.snapshot(owner.caller)).toMatchObject({ ok: true });
  });

  it("[J-22] in a private conversation there are none, as its owner hears", async () => {
    const talk = await Talk.begin(new Stage(), await newPerson("owner"));
    const { principalId } = talk.caller;
    for (const answer of [
      await talk.rpc.members(talk.caller),
      await talk.rpc.addMember(talk.caller, principalId),
      await talk.rpc.removeMember(talk.caller, principalId),
    ]) {
      expect(answer).toMatchObject({
        error: { code: "bad_request", message: expect.stringContaining("private for ever") },
      });
    }
  });

  it("[J-21] [J-22] whenever the object dies, whoever was taken in is in and whoever was taken out is out", async () => {
    const { owner, anna, bert } = await room();
    await owner.rpc.removeMember(owner.caller, anna.caller.principalId);
    await owner.die();
    expect(await membersOf(owner)).toEqual(idsOf(owner, bert));
    await owner.rpc.addMember(owner.caller, anna.caller.principalId);
    await owner.die();
    expect(await membersOf(owner)).toEqual(idsOf(owner, bert, anna));
    await owner.told();
    expect(await listed(anna)).toEqual([owner.stage.key]);
  });
});

describe("whoever is not in it", () => {
  it("[J-23] hears what is said where nothing is, a stranger, an admin, and one who was taken out", async () => {
    const { owner, anna } = await room();
    await owner.say("The plan");
    await owner.idle();
    await owner.rpc.removeMember(owner.caller, anna.caller.principalId);
    const nowhere = owner.at(new Stage());
    for (const caller of [await newPerson(), await newPerson("admin"), anna.caller]) {
      const ask = ({ rpc }: Talk) =>
        Promise.all([
          rpc.snapshot(caller),
          rpc.submit(caller, { id: "x", text: "Hello" }),
          rpc.members(caller),
          rpc.removeMember(caller, caller.principalId),
          rpc.addMember(caller, caller.principalId),
          rpc.stop(caller),
          rpc.withdraw(caller, `${caller.principalId}:x`),
          rpc.exportPage(caller, 0),
          rpc.forkable({ principalId: caller.principalId }, 1),
          rpc.destroy(caller),
        ]);
      const answers = await ask(owner);
      expect(answers).toEqual(await ask(nowhere));
      for (const answer of answers) expect(answer).toMatchObject(refused("not_found"));
      const upgrades = [owner.stage, nowhere.stage].map((stage) =>
        stage.object.fetch(upgradeRequest(owner.stage, caller)),
      );
      const [here, there] = await Promise.all(upgrades);
      expect([here?.status, await here?.text()]).toEqual([404, await there?.text()]);
    }
  });

  it("[J-23] an owner comes in unasked", async () => {
    const { owner } = await room();
    const other = await newPerson("owner");
    expect(await owner.rpc.snapshot(other)).toMatchObject({ ok: true });
    expect(await owner.rpc.submit(other, { id: "x", text: "Hello" })).toMatchObject({ ok: true });
  });

  it("[J-23] one who is demoted below member, or an owner no more and no member, loses the socket", async () => {
    const { owner, anna } = await room();
    const visitor = await newPerson("owner");
    const sockets = [await ChatSocket.follow(owner.stage, anna.caller), await ChatSocket.follow(owner.stage, visitor)];
    await setTier(anna, "guest");
    await sql("update principals set tier = 'member' where id = ?", visitor.principalId);
    passTime(31_000);
    await owner.say("The plan");
    for (const [n, code] of [4403, 4404].entries()) {
      await sockets[n]?.until(() => sockets[n]?.closed !== undefined);
      expect(sockets[n]?.closed?.code).toBe(code);
      expect(JSON.stringify(sockets[n]?.frames)).not.toContain("The plan");
    }
  });
});

describe("being taken out", () => {
  it("[J-24] closes every socket of theirs at once, as where nothing is, and tells them nothing of it", async () => {
    const { owner, anna, bert } = await room();
    const following = await ChatSocket.follow(owner.stage, anna.caller);
    const silent = await ChatSocket.open(owner.stage, anna.caller);
    const other = await ChatSocket.follow(owner.stage, bert.caller);
    const { rev } = following.replica;
    expect(await owner.rpc.removeMember(owner.caller, anna.caller.principalId)).toEqual(DONE);
    for (const socket of [following, silent]) {
      await socket.until(() => socket.closed !== undefined);
      expect(socket.closed).toMatchObject({ code: 4404, reason: "There is no such conversation." });
    }
    expect(following.frames.filter((frame) => frame.type === "commit")).toEqual([]);
    expect(following.replica.rev).toBe(rev);
    await other.until(() => other.replica.rev !== rev);
    expect(other.replica.view?.plugins["room"]).toEqual({ members: idsOf(owner, bert) });
    expect(other.closed).toBeUndefined();
  });

  it("[J-24] an owner stays, and misses nothing", async () => {
    const { owner } = await room();
    const socket = await ChatSocket.follow(owner.stage, owner.caller);
    await owner.rpc.removeMember(owner.caller, owner.caller.principalId);
    await owner.say("Still here");
    await socket.until(
      () => socket.replica.view?.turn === null && JSON.stringify(socket.replica.view).includes("Still"),
    );
    expect(socket.replica.violations).toEqual([]);
    expect(socket.closed).toBeUndefined();
  });

  it("[J-25] ends their turn before its next step, with the reason shown", async () => {
    const { owner, anna } = await room();
    const gate = new Gate();
    const calls = [{ name: "calculate", args: '{"expression":"1+1"}' }];
    owner.stage.script = () => ({ text: "Let me see.", calls, between: () => gate.pass() });
    await anna.say("Count");
    await gate.reached();
    await owner.rpc.removeMember(owner.caller, anna.caller.principalId);
    gate.open();
    await owner.idle();
    expect(owner.stage.model.requests).toHaveLength(1);
    expect(JSON.stringify((await owner.snapshot()).view.entries.at(-1)?.data)).toContain(
      "You may not use this conversation any more",
    );
  });
});

describe("a card in a shared conversation", () => {
  const webhook = { calls: [{ name: "send_webhook", args: '{"target":"build","body":{"ref":"main"}}' }] };

  /** Anna's call waits for a decision. */
  async function waiting() {
    const people = await room();
    people.owner.stage.script = (_, nth) => (nth === 0 ? webhook : { text: "All done." });
    return { ...people, card: await people.anna.toCard() };
  }

  it("[J-27] is seen by everybody in it, decided by whoever asked and by owners, and by nobody else", async () => {
    const { owner, anna, bert, card } = await waiting();
    for (const talk of [owner, bert]) expect(await talk.cards()).toEqual([card]);
    expect(card.askedBy).toBe("Anna");
    expect(await bert.decide(card, "approve")).toMatchObject(refused("forbidden"));
    expect(await bert.decide(card, "decline")).toMatchObject(refused("forbidden"));
    expect(
      await owner.rpc.decide(await newPerson("admin"), { hold: card.hold, digest: card.digest, decision: "approve" }),
    ).toMatchObject(refused("not_found"));
    expect(owner.stage.receiver.total).toBe(0);
    expect(await anna.decide(card, "approve")).toEqual(DONE);
    await owner.idle();
    expect(owner.stage.receiver.total).toBe(1);
  });

  it("[J-27] [trap 46] an owner decides it, a member or not", async () => {
    const { owner, anna, card } = await waiting();
    const visitor = owner.by(await newPerson("owner"));
    expect(await visitor.decide(card, "approve")).toEqual(DONE);
    expect(await anna.decide(card, "decline")).toMatchObject(refused("already_decided"));
    await owner.idle();
    expect(owner.stage.receiver.total).toBe(1);
  });

  it("[J-25] [J-27] nothing of whoever was taken out runs, whoever approves it", async () => {
    const { owner, anna, card } = await waiting();
    await owner.rpc.removeMember(owner.caller, anna.caller.principalId);
    expect(await anna.decide(card, "approve")).toMatchObject(refused("not_found"));
    await owner.decide(card, "approve");
    await owner.idle();
    expect(owner.stage.receiver.total).toBe(0);
    expect(JSON.stringify((await owner.snapshot()).view.entries)).toContain("did not run");
  });
});

describe("stopping and taking back", () => {
  /** Anna's turn runs, and Bert's message waits. */
  async function busy() {
    const people = await room();
    const gate = new Gate();
    const between = (signal: AbortSignal) => Promise.race([gate.pass(), untilAborted(signal)]);
    people.owner.stage.script = (_, nth) => ({ text: "Done.", ...(nth === 0 && { between }) });
    await people.anna.say("Anna's", "a1");
    await gate.reached();
    await people.bert.say("Bert's", "b1");
    return { ...people, gate, queued: `${people.bert.caller.principalId}:b1` };
  }

  it("[W-40] another member stops nothing and takes nothing back, and their socket stays", async () => {
    const { owner, anna, bert, gate, queued } = await busy();
    const socket = await ChatSocket.follow(owner.stage, bert.caller);
    expect(await socket.ask({ type: "stop" }, "error")).toMatchObject({ code: "forbidden" });
    expect(await anna.rpc.withdraw(anna.caller, queued)).toMatchObject(refused("forbidden"));
    expect(socket.closed).toBeUndefined();
    const { view } = await owner.snapshot();
    expect([view.turn?.stopping, view.inbox.map(({ input }) => input)]).toEqual([false, [queued]]);
    gate.open();
    await owner.idle();
  });

  it("[W-40] whoever spoke does", async () => {
    const { anna, bert, owner, queued } = await busy();
    expect(await bert.rpc.withdraw(bert.caller, queued)).toEqual(DONE);
    expect(await anna.rpc.stop(anna.caller)).toEqual({ ok: true, value: { stopped: true } });
    await owner.idle();
    expect((await owner.transcript()).map(([, text]) => text)).not.toContain("Bert's");
  });

  it("[W-40] owners do, and Bert's message is not withdrawn with Anna's turn", async () => {
    const { owner, anna, queued } = await busy();
    await anna.say("And more", "a2");
    expect(await owner.rpc.stop(owner.caller)).toEqual({ ok: true, value: { stopped: true } });
    await owner.idle();
    const said = (await owner.transcript()).map(([, text]) => text);
    expect([said.includes("Bert's"), said.includes("And more")]).toEqual([true, false]);
    expect(await owner.rpc.withdraw(owner.caller, queued)).toMatchObject(refused("settled"));
    expect(await owner.rpc.withdraw(owner.caller, "p_nobody:x")).toMatchObject(refused("not_found"));
  });

  it("[W-40] an owner takes back what a member has queued", async () => {
    const { owner, queued, gate } = await busy();
    expect(await owner.rpc.withdraw(owner.caller, queued)).toEqual(DONE);
    gate.open();
    await owner.idle();
    expect((await owner.transcript()).map(([, text]) => text)).not.toContain("Bert's");
  });

  it("[W-41] a stop that was asked for one turn does not stop the next", async () => {
    const { owner, anna, bert, gate } = await busy();
    const people = owner.stage.database.hold((query) => query.includes('from "principals"'));
    passTime(31_000);
    const stopping = anna.rpc.stop(anna.caller);
    await people.reached();
    gate.open();
    people.open();
    await stopping;
    await owner.idle();
    expect((await owner.transcript()).map(([, text]) => text)).toContain("Bert's");
    expect((await bert.snapshot()).view.entries.at(-1)).toMatchObject({
      kind: "core.assistant",
      message: { stop: "end" },
    });
    expect((await bert.snapshot()).view.entries.at(-1)?.data).not.toHaveProperty("display");
  });
});

describe("the list", () => {
  it("[J-26] has the room for whoever is in it, as long as they are", async () => {
    const { owner, anna, bert } = await room();
    await owner.told();
    for (const talk of [owner, anna, bert]) expect(await listed(talk)).toEqual([owner.stage.key]);
    await owner.rpc.removeMember(owner.caller, anna.caller.principalId);
    await owner.rpc.removeMember(owner.caller, owner.caller.principalId);
    await owner.told();
    expect(await Promise.all([owner, anna, bert].map(listed))).toEqual([[], [], [owner.stage.key]]);
  });

  it("[J-26] gives nothing by itself: a line in D1 lets nobody in", async () => {
    const { owner } = await room();
    await owner.told();
    const stranger = await newPerson();
    await sql(
      "insert into conversation_members (key, principal_id) values (?, ?)",
      owner.stage.key,
      stranger.principalId,
    );
    await sql("update conversations set owner = ? where key = ?", stranger.principalId, owner.stage.key);
    expect(await owner.rpc.snapshot(stranger)).toMatchObject(refused("not_found"));
  });
});
