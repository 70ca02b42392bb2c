import { randomBytes, randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BundleEntry, BundleHead } from "../../src/protocol/bundle.ts";
import type { ChatView, PolicyView, View, ViewEntry } from "../../src/protocol/view.ts";
import { AppServer } from "../kit/app-server/app-server.ts";
import { answerEntry, bundleLines, bundleText, saidEntry } from "../kit/bundle.ts";
import { until } from "../kit/until.ts";

const server = await AppServer.prepare();
let anna: Person;
let bert: Person;

interface Person {
  readonly principalId: string;
  readonly cookie: string;
}

beforeAll(async () => {
  await server.start();
  const join = async (name: string) => {
    const { principalId, session } = await server.person(name, "member");
    return { principalId, cookie: `althing_dev=${session}` };
  };
  [anna, bert] = [await join("Anna"), await join("Bert")];
}, 30_000);

afterAll(() => server.remove());

function ask(person: Person, path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${server.url}/api/v1${path}`, { ...init, headers: { cookie: person.cookie, origin: server.url } });
}

async function post(person: Person, path: string, body: object): Promise<void> {
  const response = await ask(person, path, { method: "POST", body: JSON.stringify(body) });
  expect(response.ok, `${path}: ${response.status} ${response.ok ? "" : await response.text()}`).toBe(true);
}

async function viewOf(person: Person, id: string): Promise<View> {
  const answer = await (await ask(person, `/conversations/${id}`)).json<{ readonly view: View }>();
  return answer.view;
}

async function rest(person: Person, id: string): Promise<View> {
  await until(
    async () => {
      const { turn, tasks } = await viewOf(person, id);
      return (turn === null || turn.stage === "waiting") && Object.keys(tasks).length === 0;
    },
    "rest",
    15_000,
  );
  return await viewOf(person, id);
}

async function say(person: Person, id: string, text: string, more: object = {}): Promise<View> {
  await post(person, `/conversations/${id}/messages`, { id: randomUUID(), text, ...more });
  return await rest(person, id);
}

async function create(person: Person): Promise<string> {
  const id = randomUUID();
  await post(person, "/conversations", { id });
  return id;
}

async function bring(
  person: Person,
  text: string,
  id: string,
): Promise<{ readonly status: number; readonly text: string }> {
  const response = await ask(person, `/conversations/import?id=${id}`, { method: "POST", body: text });
  return { status: response.status, text: await response.text() };
}

const bundleOf = async (person: Person, id: string) =>
  (await ask(person, `/conversations/${id}/export?format=ndjson`)).text();

interface Bundle {
  readonly head: BundleHead;
  readonly entries: readonly BundleEntry[];
  readonly files: readonly unknown[];
}

function parse(text: string): Bundle {
  const lines = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const of = (kind: string) => lines.flatMap((line) => (line[kind] === undefined ? [] : [line[kind]]));
  return {
    head: of("head")[0] as BundleHead,
    entries: of("entry") as BundleEntry[],
    files: [...of("piece"), ...of("file")],
  };
}

/** Without what differs by right. */
function same({ head, entries, files }: Bundle) {
  const { conversation: _id, exportedAt: _when, through: _fork, ...rest } = head;
  return { rest, files, entries: entries.filter(({ kind }) => kind !== "core.fork") };
}

/** A conversation with tools, a file, a rewind, a pin, a constraint, and a card that waits. */
async function lively(): Promise<{ readonly id: string; readonly bytes: Uint8Array; readonly file: string }> {
  const id = await create(anna);
  await post(anna, `/conversations/${id}/constraints`, {
    id: randomUUID(),
    tools: ["add_note"],
    effect: "never",
    text: "no notes",
  });
  const bytes = new Uint8Array(randomBytes(1_700_000));
  const upload = await ask(anna, `/conversations/${id}/files?name=a.bin`, { method: "POST", body: bytes });
  const { id: file } = await upload.json<{ readonly id: string }>();
  await say(anna, id, "What is this?", { attachments: [file] });
  const { entries } = await say(anna, id, "What is 12 * (3 + 4)?");
  await say(anna, id, "Hello there");
  await post(anna, `/conversations/${id}/rewind`, { to: entries.at(-1)?.id ?? 0 });
  await post(anna, `/conversations/${id}/pin`, {
    entry: entries.find(({ kind }) => kind === "core.user")?.id,
    on: true,
  });
  await say(anna, id, "Send the webhook");
  return { id, bytes, file };
}

describe("carrying a conversation elsewhere", () => {
  it("[V-110] [V-112] [V-113] [V-116] comes out as it went in, for somebody else", { timeout: 60_000 }, async () => {
    const { id, bytes, file } = await lively();
    const text = await bundleOf(anna, id);
    const bundle = parse(text);
    expect(bundle.entries.map(({ kind }) => kind)).not.toContain("core.system");
    expect(JSON.stringify(bundle.entries)).not.toContain("Hello there");
    const copy = randomUUID();
    expect(await bring(bert, text, copy)).toEqual({ status: 201, text: JSON.stringify({ id: copy, created: true }) });
    const view = await rest(bert, copy);
    expect(same(parse(await bundleOf(bert, copy)))).toEqual(same(bundle));
    expect(view.entries.every((entry: ViewEntry) => entry.inherited === true || entry.kind === "core.fork")).toBe(true);
    expect(view.plugins["holds"]).toMatchObject({ cards: [] });
    const policy = view.plugins["policy"] as unknown as PolicyView;
    expect([policy.constraints.length, policy.allow.length]).toEqual([1, 0]);
    expect((view.plugins["chat"] as unknown as ChatView).title).toBe(bundle.head.title);
    expect(view.pins).toEqual(bundle.head.pins);
    const download = await ask(bert, `/conversations/${copy}/files/${file}`);
    expect(Buffer.from(await download.arrayBuffer()).equals(bytes)).toBe(true);

    expect((await bring(bert, text, copy)).status, "again").toBe(200);
    expect((await bring(bert, bundleText(bundleLines([saidEntry(1, "x")])), copy)).status, "another file").toBe(409);
    expect((await bring(anna, text, id)).status, "onto what stands").toBe(409);
    expect((await ask(anna, `/conversations/${copy}`)).status, "it is his alone").toBe(404);
    const after = await say(bert, copy, "What is 2 + 2?");
    expect(JSON.stringify(after.entries.at(-1)?.message)).toContain("4");
    expect((await ask(bert, `/conversations/${copy}`, { method: "DELETE" })).status).toBe(204);
    expect((await bring(bert, text, copy)).status, "a deleted one").toBe(409);
  });

  it("[V-111] is of the moment at which it began", { timeout: 30_000 }, async () => {
    const entries = Array.from({ length: 500 }, (_, n) => saidEntry(n + 1, "x".repeat(2_000)));
    const id = randomUUID();
    await bring(anna, bundleText(bundleLines(entries)), id);
    await rest(anna, id);
    const response = await ask(anna, `/conversations/${id}/export?format=ndjson`);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const chunks = [(await reader.read()).value ?? new Uint8Array()];
    await post(anna, `/conversations/${id}/messages`, { id: "more", text: "Something more" });
    for (let next = await reader.read(); !next.done; next = await reader.read()) chunks.push(next.value);
    const bundle = parse(Buffer.concat(chunks).toString());
    expect(bundle.entries).toHaveLength(501);
    expect(JSON.stringify(bundle.entries)).not.toContain("Something more");
  });

  it("[V-114] what is not good creates nothing", async () => {
    const good = bundleText(bundleLines([saidEntry(1, "Hi"), answerEntry(2, "Hello")]));
    for (const bad of [good.slice(0, -20), good.replace("Hello", "Hallo"), "", good.replace("v1", "v9")]) {
      const id = randomUUID();
      const { status, text } = await bring(anna, bad, id);
      expect(status).toBe(400);
      if (bad !== "") expect(text).toMatch(/line \d+: /);
      expect((await ask(anna, `/conversations/${id}`)).status).toBe(404);
    }
  });

  it("[V-115] goes on after deaths, with no entry twice and none missing", { timeout: 60_000 }, async () => {
    const entries = Array.from({ length: 1_000 }, (_, n) => saidEntry(n + 1, `message ${n}`));
    for (const afterMs of [0, 15, 60]) {
      const id = randomUUID();
      expect((await bring(anna, bundleText(bundleLines(entries)), id)).status).toBe(201);
      await new Promise((resolve) => setTimeout(resolve, afterMs));
      await server.kill();
      await server.start();
      await rest(anna, id);
      const { entries: held } = parse(await bundleOf(anna, id));
      expect(held.map((entry) => entry.id)).toEqual([...entries.map((entry) => entry.id), expect.any(Number)]);
    }
  });
});
