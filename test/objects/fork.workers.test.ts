import { env, evictDurableObject } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { afterEach, describe, expect, it } from "vitest";
import { MAX_FORK_PAGE_ENTRIES } from "../../src/kernel/limits.ts";
import type { Caller } from "../../src/people/facts.ts";
import type { FileRef } from "../../src/protocol/message.ts";
import type { ChatView, ViewEntry } from "../../src/protocol/view.ts";
import { deleteFiles } from "../../src/routes/files/file-store.ts";
import { openDatabase } from "../../src/store/database.ts";
import { identities } from "../../src/store/identities.ts";
import { principals } from "../../src/store/principals.ts";
import { sessions } from "../../src/store/sessions.ts";
import type { Gate } from "../kit/gate.ts";
import { Stage } from "../kit/stage.workers.ts";
import { newPerson, Talk } from "../kit/talk.workers.ts";
import { until } from "../kit/until.ts";
import { passTime, restoreClock } from "../kit/wall-clock.ts";

afterEach(restoreClock);

const db = openDatabase(env.DB);
const PEOPLE = (query: string) => query.includes('from "principals"');
const UNKNOWN = { code: "not_found", message: "There is no such conversation." };

const entriesOf = async (talk: Talk): Promise<readonly ViewEntry[]> => (await talk.snapshot()).view.entries;
const newest = async (talk: Talk) => (await entriesOf(talk)).at(-1)?.id ?? 0;
const chatOf = async (talk: Talk) => (await talk.snapshot()).view.plugins["chat"] as unknown as ChatView;

/** A conversation with two exchanges. */
async function spoken(stage = new Stage()): Promise<Talk> {
  const talk = await Talk.begin(stage);
  for (const text of ["What a day", "And a night"]) {
    await talk.say(text);
    await talk.idle();
  }
  return talk;
}

/** Waits until a fork is made, however it ended. */
async function made(fork: Talk): Promise<Talk> {
  await until(async () => Object.keys((await fork.control()).tasks).length === 0, "the copy to end");
  await fork.idle();
  return fork;
}

/** Entries that no model wrote, enough for so many pages. */
async function lengthen(talk: Talk, entries: number): Promise<void> {
  await talk.plant(({ sql }) => {
    const [row] = sql.exec<{ body: string }>("SELECT body FROM control").toArray();
    const control = JSON.parse(row?.body ?? "") as { nextId: number; lastEntry: number };
    for (let n = 0; n < entries; n++) {
      control.lastEntry = control.nextId++;
      sql.exec("INSERT INTO entries (id, kind, rev, body) VALUES (?, 'test.note', 1, '{\"at\":1}')", control.lastEntry);
    }
    sql.exec("UPDATE control SET body = ?", JSON.stringify(control));
  });
}

/** A fork that has been made and waits before its first page. */
async function forkedUpTo(talk: Talk, by: Caller, at: number): Promise<{ readonly fork: Talk; readonly gate: Gate }> {
  passTime(60_000);
  const first = talk.stage.database.hold(PEOPLE);
  const fork = talk.at(new Stage());
  const asked = fork.rpc.fork(by, fork.stage.key, { key: talk.stage.key, at });
  await first.reached();
  // What is remembered about the owner is too old for the page: it asks anew.
  passTime(60_000);
  const gate = talk.stage.database.hold(PEOPLE);
  first.open();
  expect(await asked).toMatchObject({ ok: true, value: { created: true } });
  await gate.reached();
  return { fork, gate };
}

/** A shared conversation in which somebody has spoken, and somebody else who is in it. */
async function sharedWith(name: string): Promise<{ readonly talk: Talk; readonly other: Talk }> {
  const { owner, others } = await Talk.room(new Stage(), [name]);
  const [other] = others;
  if (!other) throw new Error("nobody came");
  await owner.say("What a day");
  await owner.idle();
  return { talk: owner, other };
}

describe("a fork", () => {
  it("[F-1] [F-5] [F-17] begins with the other's entries, title and settings, goes on by itself, and is in the list", async () => {
    const talk = await spoken();
    await talk.rpc.settings(talk.caller, { thinking: "high" });
    const at = await newest(talk);
    const fork = await made(await talk.fork(at));
    const [theirs, own] = [await entriesOf(talk), await entriesOf(fork)];
    expect(own.slice(0, -1)).toEqual(theirs.map((entry) => ({ ...entry, inherited: true })));
    expect(own.at(-1)).toMatchObject({ kind: "core.fork", data: { from: talk.stage.key, at } });
    expect(await chatOf(fork)).toMatchObject({ title: "What a day (fork)", thinking: "high" });
    await until(async () => {
      const row = await env.DB.prepare("select title, state, owner from conversations where key = ?")
        .bind(fork.stage.key)
        .first();
      return (
        row?.["title"] === "What a day (fork)" && row["state"] === "idle" && row["owner"] === talk.caller.principalId
      );
    }, "the list to show the fork");
    await fork.say("Tell me more");
    await fork.idle();
    expect((await fork.transcript()).at(-1)).toEqual(["assistant", "Hello."]);
    expect(await entriesOf(talk), "the other knows nothing of it").toEqual(theirs);
  });

  it("[F-16] asked for again is the same one; another entry or a conversation that is there is a conflict", async () => {
    const talk = await spoken();
    const at = await newest(talk);
    const fork = await made(await talk.fork(at));
    const again = (key: string, origin = { key: talk.stage.key, at }) => fork.rpc.fork(talk.caller, key, origin);
    const before = await fork.stored();
    expect(await again(fork.stage.key)).toEqual({ ok: true, value: { created: false } });
    for (const origin of [
      { key: talk.stage.key, at: at - 1 },
      { key: "web:other", at },
    ]) {
      expect(await again(fork.stage.key, origin)).toMatchObject({ ok: false, error: { code: "conflict" } });
    }
    expect(await talk.rpc.fork(talk.caller, talk.stage.key, { key: talk.stage.key, at })).toMatchObject({
      error: { code: "conflict" },
    });
    expect(await fork.stored()).toEqual(before);
    await evictDurableObject(fork.stage.object);
    expect(await again(fork.stage.key)).toEqual({ ok: true, value: { created: false } });
  });

  it("[F-16] of an entry that is not there, or of nothing, creates nothing", async () => {
    const talk = await spoken();
    for (const [key, at] of [
      [talk.stage.key, 999],
      [`web:${crypto.randomUUID()}`, 1],
    ] as const) {
      const stage = new Stage();
      const answer = await talk.at(stage).rpc.fork(talk.caller, stage.key, { key, at });
      expect(answer).toMatchObject({ ok: false, error: { code: "not_found" } });
      expect(await talk.at(stage).rpc.snapshot(talk.caller)).toEqual({
        ok: false,
        error: { ...UNKNOWN, barred: true },
      });
    }
  });

  it("[F-9] [F-10] goes on after its object died, and what was said meanwhile is answered once it is whole", async () => {
    const talk = await spoken();
    await lengthen(talk, MAX_FORK_PAGE_ENTRIES);
    const at = await newest(talk);
    const { fork } = await forkedUpTo(talk, talk.caller, at);
    expect(await fork.say("Are you there?")).toMatchObject({ value: { status: "queued" } });
    await fork.die();
    await fork.snapshot();
    await made(fork);
    const page = await fork.rpc.exportPage(fork.caller, 0);
    if (!page.ok) throw new Error("no export");
    const copied = page.value.entries.flatMap((entry) => (entry["inherited"] === true ? [Number(entry["id"])] : []));
    expect(new Set(copied).size).toBe(copied.length);
    expect(copied).toHaveLength(MAX_FORK_PAGE_ENTRIES);
    expect((await fork.transcript()).slice(-2)).toEqual([
      ["user", "Are you there?"],
      ["assistant", "Hello."],
    ]);
    expect((await entriesOf(fork)).find(({ kind }) => kind === "core.fork")?.id).toBeGreaterThan(at);
  });

  it("[F-11] is deleted while it is copied, and nothing of it comes back", async () => {
    const talk = await spoken();
    const { fork, gate } = await forkedUpTo(talk, talk.caller, await newest(talk));
    expect(await fork.rpc.destroy(fork.caller)).toMatchObject({ ok: true });
    gate.open();
    expect(await fork.alarm()).toBeNull();
    expect(await fork.rpc.snapshot(fork.caller)).toMatchObject({ error: { code: "not_found" } });
  });
});

describe("whoever is not allowed", () => {
  it("[F-14] cannot fork a private conversation, whatever their tier: it is not there", async () => {
    const talk = await spoken();
    const at = await newest(talk);
    const thief = await newPerson("owner");
    const stage = new Stage();
    const answer = await talk.at(stage).rpc.fork(thief, stage.key, { key: talk.stage.key, at });
    expect(answer).toEqual({ ok: false, error: UNKNOWN });
    expect(await talk.rpc.forkPage({ principalId: thief.principalId }, { at, after: 0 })).toEqual({
      ok: false,
      error: UNKNOWN,
    });
  });

  it("[F-14] [I-114] may fork a shared one, and then the fork is theirs alone and gives no reach", async () => {
    const { talk, other } = await sharedWith("Bert");
    const at = await newest(talk);
    const guest = other.caller;
    const stage = new Stage();
    expect(await talk.at(stage).rpc.fork(guest, stage.key, { key: talk.stage.key, at })).toMatchObject({ ok: true });
    const fork = await made(talk.at(stage));
    expect((await fork.control()).facts).toEqual({
      key: stage.key,
      visibility: "private",
      owner: guest.principalId,
      origin: { key: talk.stage.key, at },
    });
    expect(await fork.rpc.snapshot(talk.caller)).toMatchObject({ error: { code: "not_found" } });
    expect(await fork.rpc.snapshot(guest)).toMatchObject({ ok: true });
    expect(await talk.rpc.settings(guest, { title: "Mine now" })).toMatchObject({ error: { code: "forbidden" } });
  });

  const barred: readonly (readonly [string, (principalId: string) => Promise<unknown>, string])[] = [
    ["switched off", (id) => db.update(principals).set({ disabledAt: 1 }).where(eq(principals.id, id)), "forbidden"],
    ["a guest", (id) => db.update(principals).set({ tier: "guest" }).where(eq(principals.id, id)), "forbidden"],
  ];

  it.each(barred)("[F-15] gets no page once they are %s", async (_, bar, code) => {
    const talk = await spoken();
    const at = await newest(talk);
    await bar(talk.caller.principalId);
    await evictDurableObject(talk.stage.object);
    const behalf = { principalId: talk.caller.principalId };
    expect(await talk.rpc.forkPage(behalf, { at, after: 0 })).toMatchObject({ ok: false, error: { code } });
    expect(await talk.rpc.forkPage({ principalId: "p_nobody" }, { at, after: 0 })).toMatchObject({
      error: { code: "unauthenticated" },
    });
  });

  it("[F-15] [F-13] once their copy is under way, ends it with a notice", async () => {
    const { talk, other } = await sharedWith("Bert");
    const at = await newest(talk);
    const bert = other.caller;
    const { fork, gate } = await forkedUpTo(talk, bert, at);
    const standing = (disabledAt: number | null) =>
      db.update(principals).set({ disabledAt }).where(eq(principals.id, bert.principalId));
    await standing(1);
    gate.open();
    await made(fork);
    await standing(null);
    await evictDurableObject(fork.stage.object);
    const answer = await fork.rpc.snapshot(bert);
    if (!answer.ok) throw new Error(answer.error.code);
    expect(answer.value.view.entries).toMatchObject([{ kind: "core.notice" }]);
    expect(JSON.stringify(answer.value.view.entries)).toContain("Your account is switched off");
  });

  it("[F-15] [F-13] [J-23] once they were taken out of a shared one while it is copied, ends it with a notice", async () => {
    const { talk, other } = await sharedWith("Bert");
    const bert = other.caller;
    const { fork, gate } = await forkedUpTo(talk, bert, await newest(talk));
    // The page that is asked for waits for the directory: what counts is who is in it when that has answered.
    expect(await talk.rpc.removeMember(talk.caller, bert.principalId)).toEqual({ ok: true, value: {} });
    gate.open();
    await made(fork);
    const answer = await fork.rpc.snapshot(bert);
    if (!answer.ok) throw new Error(answer.error.code);
    expect(JSON.stringify(answer.value.view.entries)).not.toContain("What a day");
    expect(answer.value.view.entries).toMatchObject([{ kind: "core.notice" }]);
  });

  it("[F-15] needs no session and no linked identity for what their own object asks", async () => {
    const talk = await spoken();
    const { principalId, identity, sessionHash } = talk.caller;
    await db.delete(sessions).where(eq(sessions.hash, sessionHash));
    await db.delete(identities).where(eq(identities.id, identity));
    expect(await talk.rpc.forkPage({ principalId }, { at: await lastEntry(talk), after: 0 })).toMatchObject({
      ok: true,
    });
    await evictDurableObject(talk.stage.object);
    // The same words in the place of a session open nothing.
    const posing = { principalId, identity: "", sessionHash: "" };
    expect(await talk.rpc.snapshot(posing)).toMatchObject({ error: { code: "unauthenticated" } });
  });
});

const lastEntry = async (talk: Talk) => (await talk.control()).lastEntry;

describe("files", () => {
  const file = (n: number): FileRef => ({ id: `f${n}`, name: `n${n}.txt`, mime: "text/plain", bytes: 2 });
  const at = (talk: Talk, n: number) => `files/${talk.stage.id}/f${n}`;

  async function withFiles(count: number): Promise<Talk> {
    const talk = await Talk.begin();
    for (let n = 0; n < count; n++) {
      await talk.rpc.addFile(talk.caller, file(n));
      await env.FILES.put(at(talk, n), `${n}`, { httpMetadata: { contentType: "text/plain" } });
    }
    for (let n = 0; n < count; n += 8) {
      const attachments = Array.from({ length: Math.min(8, count - n) }, (_, k) => `f${n + k}`);
      await talk.rpc.submit(talk.caller, { id: `m${n}`, text: "See these", attachments });
      await talk.idle();
    }
    return talk;
  }

  it("[F-18] [F-8] of inherited entries are the fork's own, also when the other conversation is deleted", async () => {
    const talk = await withFiles(21);
    await env.FILES.delete(at(talk, 3));
    const fork = await made(await talk.fork(await newest(talk)));
    expect(await talk.rpc.destroy(talk.caller)).toMatchObject({ ok: true });
    await deleteFiles(env.FILES, talk.stage.id);
    for (let n = 0; n < 21; n++) {
      const found = await fork.rpc.file(fork.caller, `f${n}`);
      const stored = await env.FILES.get(at(fork, n));
      if (n === 3) {
        expect([found.ok, stored]).toEqual([false, null]);
        continue;
      }
      expect(found).toEqual({ ok: true, value: file(n) });
      expect(await stored?.text()).toBe(`${n}`);
      expect(stored?.httpMetadata?.contentType).toBe("text/plain");
    }
    const entries = await entriesOf(fork);
    expect(entries.filter(({ inherited }) => inherited)).toHaveLength(
      (entries.at(-1)?.id ?? 0) > 0 ? entries.length - 1 : 0,
    );
  });

  it("[F-18] behind the fork point stay where they are", async () => {
    const talk = await withFiles(9);
    const [first] = await entriesOf(talk);
    const fork = await made(await talk.fork(first?.id ?? 0));
    expect(await fork.rpc.file(fork.caller, "f7")).toMatchObject({ ok: true });
    expect(await fork.rpc.file(fork.caller, "f8")).toMatchObject({ ok: false });
    expect(await env.FILES.get(at(fork, 8))).toBeNull();
  });
});
