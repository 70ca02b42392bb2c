import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeBackup } from "../../scripts/backup/make-backup.ts";
import { newerErasures } from "../../scripts/backup/newer-erasures.ts";
import { restoreBackup } from "../../scripts/backup/restore-backup.ts";
import { verifyExport } from "../../src/holds/audit/verify-export.ts";
import type { HoldsView } from "../../src/protocol/cards.ts";
import type { ErasurePreviewBody } from "../../src/protocol/erasures.ts";
import type { ConversationSummary } from "../../src/protocol/rest.ts";
import type { View } from "../../src/protocol/view.ts";
import { AppServer } from "../kit/app-server/app-server.ts";
import { EffectReceiver } from "../kit/effect-receiver.ts";
import { SeededRandom } from "../kit/random.ts";
import { migrationNames } from "../kit/small-state.ts";
import { Person } from "./person.ts";
import { Seat } from "./seat.ts";

const SESSION = "althing_dev";
const TALK_MS = 4_000;

const folder = mkdtempSync(join(tmpdir(), "althing-load-"));
let receiver: EffectReceiver;
let server: AppServer;
let original: string;
let owner: Person;

beforeAll(async () => {
  receiver = await EffectReceiver.listen(() => 5);
  server = await AppServer.prepare({
    config: { webhooks: { build: { url: receiver.url, label: "the build server" } } },
  });
  original = server.state;
  await server.start();
  owner = await signIn("Olga", "owner");
}, 60_000);

afterAll(async () => {
  await server?.kill();
  await server?.remove();
  receiver?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Somebody new, signed in. */
async function signIn(name: string, tier: "owner" | "member"): Promise<Person> {
  const { principalId, session } = await server.person(name, tier);
  return new Person(server, { name, principalId, cookie: `${SESSION}=${session}` });
}

async function begin(person: Person): Promise<string> {
  const id = crypto.randomUUID();
  expect(await person.post("/conversations", { id })).toMatchObject({ status: 201 });
  return id;
}

async function until(what: string, look: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + 30_000; !(await look()); await pause(50)) {
    if (Date.now() > deadline) throw new Error(`waited in vain for ${what}`);
  }
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Restores a backup and starts it. Gives an owner who is signed in there. */
async function restore(name: string): Promise<Person> {
  await server.kill();
  const [from, state] = [join(folder, name), join(folder, `${name}-restored`)];
  const order = { from, state, known: migrationNames(), erased: newerErasures(from, undefined), now: Date.now() };
  await restoreBackup(order);
  server.moveTo(state);
  await server.start();
  // As whoever restores comes in: by a code, in a session of its own.
  const [known] = await server.sql("SELECT id FROM principals WHERE tier = 'owner'");
  const cookie = await server.signIn();
  await server.sql(
    "UPDATE sessions SET principal_id = ?, identity = (SELECT id FROM identities WHERE principal_id = ?)",
    known?.["id"],
    known?.["id"],
  );
  return new Person(server, { name: "Olga", principalId: String(known?.["id"]), cookie });
}

const listed = async (person: Person) =>
  (JSON.parse(await person.read("/conversations")) as { readonly conversations: ConversationSummary[] }).conversations;

const viewOf = async (person: Person, id: string) =>
  (JSON.parse(await person.read(`/conversations/${id}`)) as { readonly view: View }).view;

describe("a backup that is made while people talk", () => {
  it("[P-33] restores to parts that agree, and nothing had its effect twice", { timeout: 120_000 }, async () => {
    const random = new SeededRandom(20_261_201);
    const ids = [await begin(owner), await begin(owner), await begin(owner)];
    await approveOne(owner, ids[0] ?? "");
    const seats = ids.map((id) => new Seat(owner, id, random));
    const end = Date.now() + TALK_MS;
    const talking = Promise.all([...seats.map((seat) => seat.act(end)), comeAndGo(owner, end)]);
    await pause(TALK_MS / 2);
    const manifest = await makeBackup(original, join(folder, "busy"), new Date());
    expect(manifest.files.length).toBeGreaterThan(5);
    await talking;
    for (const seat of seats) seat.client.close();
    await server.kill();
    const [total, before] = [receiver.total, new Map(receiver.arrived)];

    const again = await restore("busy");
    await until("every conversation to rest", async () => {
      const conversations = await listed(again);
      return conversations.length > 0 && conversations.every(({ state }) => state === "idle" || state === "failed");
    });
    const conversations = await listed(again);
    expect(conversations.map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
    for (const { id } of conversations) {
      const view = await viewOf(again, id);
      expect(view, id).toMatchObject({ turn: null, inbox: [], tasks: {} });
    }
    expect([receiver.total, receiver.arrived], "nothing was done again").toEqual([total, before]);
    const audit = verifyExport((await again.read("/audit/export")).split("\n"));
    expect(audit).toMatchObject({ faults: [], remarks: [] });
    expect(audit.lines).toBeGreaterThan(0);
    for (const id of ids) {
      // What was said before is another matter.
      await again.post(`/conversations/${id}/reset`, {});
      await again.post(`/conversations/${id}/messages`, { id: "new", text: "What time is it?" });
      await until("an answer", async () => {
        const view = await viewOf(again, id);
        return view.turn === null && view.entries.at(-1)?.kind === "core.assistant";
      });
    }
    expect(again.failures).toEqual([]);
    expect([...receiver.arrived.values()].every((count) => count === 1)).toBe(true);
  });

  it("[P-35] somebody who was erased after it stays erased", { timeout: 120_000 }, async () => {
    await server.kill();
    server.moveTo(original);
    await server.start();
    const bert = await signIn("Bert", "member");
    const id = await begin(bert);
    await bert.post(`/conversations/${id}/messages`, { id: "m", text: "my secret" });
    await until("an answer", async () => (await viewOf(bert, id)).turn === null);
    await makeBackup(original, join(folder, "before"), new Date());
    const preview = await owner.read(`/people/${bert.principalId}/erase`);
    const { digest } = JSON.parse(preview) as ErasurePreviewBody;
    expect(await owner.post(`/people/${bert.principalId}/erase`, { digest })).toMatchObject({ status: 202 });
    await makeBackup(original, join(folder, "after"), new Date());
    const again = await restore("before");
    const [person] = await server.sql("SELECT name, erased_at FROM principals WHERE id = ?", bert.principalId);
    expect(person).toMatchObject({ name: "", erased_at: expect.any(Number) });
    await until("his conversation to go", async () => {
      const [row] = await server.sql("SELECT deleted_at FROM conversations WHERE id = ?", id);
      return row?.["deleted_at"] !== null;
    });
    const erasures = await again.read("/people/erasures");
    expect(JSON.parse(erasures)).toMatchObject({
      erasures: [{ person: bert.principalId, orderedBy: owner.principalId }],
    });
    expect((await server.sql("SELECT * FROM identities WHERE principal_id = ?", bert.principalId)).length).toBe(0);
  });
});

/** Something is asked for, approved and done. */
async function approveOne(person: Person, id: string): Promise<void> {
  await person.post(`/conversations/${id}/messages`, { id: "first", text: "Send the build webhook" });
  await until("a card to be approved", async () => {
    const { cards } = (await viewOf(person, id)).plugins["holds"] as unknown as HoldsView;
    const [card] = cards;
    if (!card) return false;
    const body = { hold: card.hold, digest: card.digest, decision: "approve" };
    return (await person.post(`/conversations/${id}/decide`, body)).status < 300;
  });
  await until("its effect", () => Promise.resolve(receiver.total > 0));
}

/** Begins conversations with a file each and deletes some of them. */
async function comeAndGo(person: Person, end: number): Promise<void> {
  const headers = { cookie: person.cookie, origin: person.url, "content-type": "application/octet-stream" };
  for (let n = 0; Date.now() < end; n++) {
    const id = await begin(person);
    const address = `${person.url}/api/v1/conversations/${id}`;
    await fetch(`${address}/files?name=a.bin`, { method: "POST", headers, body: new Uint8Array(10_000).fill(n) });
    await person.post(`/conversations/${id}/messages`, { id: "m", text: "Hello there" });
    if (n % 2 === 0) await fetch(address, { method: "DELETE", headers });
  }
}
