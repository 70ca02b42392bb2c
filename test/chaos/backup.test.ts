import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import type { ChainPage } from "../../src/protocol/audit.ts";
import type { HoldsView } from "../../src/protocol/cards.ts";
import type { ConversationSummary } from "../../src/protocol/rest.ts";
import type { View } from "../../src/protocol/view.ts";
import { WranglerServer } from "../kit/app-server/wrangler-server.ts";
import { EffectReceiver } from "../kit/effect-receiver.ts";
import { Person } from "./person.ts";

const folder = mkdtempSync(join(tmpdir(), "althing-backup-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const BYTES = new Uint8Array(100_000).map((_, n) => n % 251);

/** Runs a script on the state of a local deployment. */
function run(script: string, state: string, ...args: readonly string[]) {
  const env = { ...process.env, ALTHING_STATE: state };
  const { status, stdout, stderr } = spawnSync(process.execPath, [`scripts/${script}.ts`, ...args], {
    env,
    encoding: "utf8",
  });
  return { status, said: stdout + stderr };
}

async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + 30_000;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > deadline) throw new Error(`waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** The owner's browser at one conversation. */
class Desk {
  readonly person: Person;
  readonly id: string;

  constructor(server: WranglerServer, cookie: string, id: string) {
    this.person = new Person(server, { name: "the owner", principalId: "", cookie });
    this.id = id;
  }

  async post(path: string, body: object): Promise<string> {
    const { status, text } = await this.person.post(`/conversations/${this.id}${path}`, body);
    if (status < 200 || status > 299) throw new Error(`${path}: ${status} ${text}`);
    return text;
  }

  async view(): Promise<View> {
    return (JSON.parse(await this.person.read(`/conversations/${this.id}`)) as { readonly view: View }).view;
  }

  async cards(): Promise<HoldsView["cards"]> {
    return ((await this.view()).plugins["holds"] as unknown as HoldsView).cards;
  }

  openCard() {
    return until("a card", async () => (await this.cards()).find(({ status }) => status === "open"));
  }

  async approve(): Promise<void> {
    const { hold, digest } = await this.openCard();
    await this.post("/decide", { hold, digest, decision: "approve" });
  }

  rest() {
    return until("rest", async () => ((await this.view()).turn === null ? true : undefined));
  }

  async file(id: string): Promise<Uint8Array> {
    const headers = { cookie: this.person.cookie };
    const answer = await fetch(`${this.person.url}/api/v1/conversations/${this.id}/files/${id}`, { headers });
    if (!answer.ok) throw new Error(`${id}: ${answer.status}`);
    return new Uint8Array(await answer.arrayBuffer());
  }
}

it("[P-29] [P-30] [P-31] [P-32] a backup of a running deployment comes back in another folder, and nothing is done twice", {
  timeout: 180_000,
}, async () => {
  const receiver = await EffectReceiver.listen(() => 0);
  const config = { webhooks: { build: { url: receiver.url, label: "the build server" } } };
  const server = await WranglerServer.prepare({ config });
  const original = server.state;
  const [kept, restored] = [join(folder, "kept"), join(folder, "restored")];
  try {
    await server.start();
    const cookie = await server.signIn();
    const desk = new Desk(server, cookie, crypto.randomUUID());
    await desk.person.post("/conversations", { id: desk.id });
    await desk.post("/messages", { id: "m1", text: "Send the build webhook" });
    await desk.approve();
    await desk.rest();
    const headers = { cookie, origin: server.url, "content-type": "application/octet-stream" };
    const address = `${server.url}/api/v1/conversations/${desk.id}/files?name=plan.bin`;
    const uploaded = await fetch(address, { method: "POST", headers, body: BYTES });
    const file = await uploaded.json<{ readonly id: string }>();
    await desk.post("/messages", { id: "m2", text: "Send the build webhook" });
    const waiting = await desk.openCard();
    await desk.post("/messages", { id: "m3", text: "What time is it?", mode: "queue" });
    const before = await desk.view();
    expect(before.inbox).toHaveLength(1);
    expect(receiver.total).toBe(1);

    const made = run("backup", original, "--to", kept);
    expect(made, made.said).toMatchObject({ status: 0, said: expect.stringContaining(kept) });
    // What waited was decided and done since.
    await desk.approve();
    await until("the second effect", async () => (receiver.total === 2 ? true : undefined));
    await server.kill();

    const back = run("restore", restored, "--from", kept);
    expect(back, back.said).toMatchObject({ status: 0, said: expect.stringContaining("1 conversations") });
    server.moveTo(restored);
    await server.start();
    const old = await fetch(`${server.url}/api/v1/conversations/${desk.id}`, { headers: { cookie } });
    expect(old.status, "nobody stays signed in").toBe(401);

    const again = new Desk(server, await server.signIn(), desk.id);
    // By its own alarm: nobody has opened it.
    await until("the list", async () => {
      const list = JSON.parse(await again.person.read("/conversations")) as {
        readonly conversations: ConversationSummary[];
      };
      return list.conversations.find(({ id, state }) => id === desk.id && state === "idle");
    });
    const after = await again.view();
    expect(after.entries.slice(0, before.entries.length)).toEqual(before.entries);
    expect(after).toMatchObject({ turn: null, inbox: [], tasks: {} });
    expect(after.entries.slice(before.entries.length).map(({ kind }) => kind)).toEqual([
      "core.tool_result",
      "core.assistant",
      "core.user",
      "core.notice",
    ]);
    expect(await again.cards()).toEqual([]);
    expect(await again.person.read("/waiting")).toBe('{"cards":[],"more":false}');
    expect(await again.file(file.id)).toEqual(BYTES);
    const late = await again.person.post(`/conversations/${desk.id}/decide`, {
      hold: waiting.hold,
      digest: waiting.digest,
      decision: "approve",
    });
    expect(late, late.text).toMatchObject({ status: 409 });
    const { lines } = JSON.parse(await again.person.read(`/conversations/${desk.id}/audit`)) as ChainPage;
    expect(lines.map(({ event }) => event)).toEqual(["opened", "approved", "spent", "opened", "cancelled", "refused"]);
    expect(lines[4]).toMatchObject({ hold: waiting.hold, reason: "restored" });
    const repeated = await again.post("/messages", { id: "m3", text: "What time is it?", mode: "queue" });
    expect(JSON.parse(repeated)).toMatchObject({ status: "unanswered" });

    expect(receiver.total, "nothing was done again").toBe(2);
    await again.post("/messages", { id: "m4", text: "Send the build webhook" });
    await again.approve();
    await again.rest();
    expect(receiver.total, "what is asked for now is done, under a key of its own").toBe(3);
    expect(receiver.arrived.size).toBe(3);
    const verified = run("audit-verify", restored);
    expect(verified, verified.said).toMatchObject({ status: 0, said: expect.stringContaining("all whole") });
  } finally {
    await server.kill();
    server.moveTo(original);
    await server.remove();
    receiver.close();
  }
});
