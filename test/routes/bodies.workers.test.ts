import { env } from "cloudflare:test";
import * as fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { STATUS_OF } from "../../src/protocol/rest.ts";
import { MAX_BODY_BYTES } from "../../src/routes/body.ts";
import { sentRequestShape } from "../../src/routes/shapes.ts";
import { LOCAL, makeEdge, type Visitor } from "../kit/edge.ts";
import type { FakeConversation } from "../kit/fake-conversation.ts";

const edge = makeEdge(env);
let owner: Visitor;
let object: FakeConversation;
let base: string;
const digest = "a".repeat(64);

beforeAll(async () => {
  owner = await edge.visitor();
  const made = await edge.conversation(owner);
  object = made.object;
  base = `${LOCAL}/api/v1/conversations/${made.id}`;
});

interface Told {
  readonly status: number;
  readonly code: string | undefined;
  readonly message: string;
}

async function post(path: string, body: BodyInit, headers: Record<string, string> = {}): Promise<Told> {
  const response = await edge.fetch(base + path, { method: "POST", as: owner, body, headers });
  const text = await response.text();
  const { error } = (text === "" ? {} : JSON.parse(text)) as { error?: { code: string; message: string } };
  return { status: response.status, code: error?.code, message: error?.message ?? text };
}

/** A message whose JSON has exactly so many bytes. */
function bodyOf(bytes: number): string {
  const body = JSON.stringify({ id: "1", text: "" });
  return body + " ".repeat(bytes - body.length);
}

describe("bodies", () => {
  it("[V-1] may have 64 KiB, and not a byte more", async () => {
    expect((await post("/messages", bodyOf(MAX_BODY_BYTES))).status).toBe(200);
    expect(await post("/messages", bodyOf(MAX_BODY_BYTES + 1))).toMatchObject({ status: 413, code: "too_large" });
  });

  it("[V-1] a declared length is not believed, and reading stops at the limit", async () => {
    let sent = 0;
    const stream = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 1;
        if (sent > 1_000) controller.close();
        else controller.enqueue(new Uint8Array(16_384).fill(32));
      },
    });
    const told = await post("/messages", stream, { "content-length": "10" });
    expect(told.code).toBe("too_large");
    expect(sent).toBeLessThan(20);
  });

  it.each(["{", "", "nonsense", "[]", "1", "null", '"text"', '{"id":"1","text":'])(
    "[V-2] %j is refused as a message",
    async (body) => {
      const before = object.seen.length;
      expect(await post("/messages", body)).toMatchObject({ status: 400, code: "bad_request" });
      expect(object.seen).toHaveLength(before);
    },
  );

  it("[V-2] bytes that are no UTF-8 are refused", async () => {
    const broken = new Uint8Array([...new TextEncoder().encode('{"id":"1","text":"'), 0xff, 0x22, 0x7d]);
    expect(await post("/messages", broken)).toMatchObject({ status: 400, message: "The body is not JSON in UTF-8." });
  });

  it.each([
    [
      "/messages",
      { id: "1", text: "hi", attachements: [] },
      "attachements is not a known key; did you mean attachments?",
    ],
    ["/messages", { id: "1", text: "hi", tier: "owner" }, "tier is not a known key"],
    ["/messages", { id: "1", text: "hi", principal: "p_x" }, "principal is not a known key"],
    ["/decide", { hold: "h", digest, decision: "approve", approved: true }, "approved is not a known key"],
    ["/answers", { prompt: "q4", answers: [null], by: "p_x" }, "by is not a known key"],
    ["/answers", { prompt: "q4", answers: [{ choice: ["Red"] }] }, "choice is not a known key; did you mean choices?"],
    ["/withdraw", { inputs: "x" }, "inputs is not a known key; did you mean input?"],
    ["/stop", { now: true }, "now is not a known key"],
  ])("[V-2] %s with an unknown key is refused, naming the one that was meant", async (path, body, message) => {
    const before = object.seen.length;
    const told = await post(path, JSON.stringify(body));
    expect(told).toMatchObject({ status: 400, code: "bad_request" });
    expect(told.message).toContain(message);
    expect(object.seen).toHaveLength(before);
  });

  it("[V-2] a prototype in the body is just an unknown key", async () => {
    const told = await post("/messages", '{"id":"1","text":"hi","__proto__":{"mode":"steer"}}');
    expect(told.status === 400 || !JSON.stringify(object.seen.at(-1)).includes("steer")).toBe(true);
  });

  it("[V-2] an unknown query parameter is refused", async () => {
    const response = await edge.fetch(`${base}/entries?lmit=1`, { as: owner });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("did you mean limit?");
  });

  it("[V-2] whatever is sent, the answer is a refusal or a receipt, never a failure", async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.json(), fc.string(), fc.base64String()), async (body) => {
        const told = await post("/messages", body);
        expect([200, 400]).toContain(told.status);
      }),
      { numRuns: 100 },
    );
    expect(edge.logged).toEqual([]);
  });

  it.each([
    ["text of 32,000 units", { id: "1", text: "x".repeat(32_000) }, 200],
    ["text of 32,001 units", { id: "1", text: "x".repeat(32_001) }, 400],
    ["an id of 128 units", { id: "x".repeat(128), text: "" }, 200],
    ["an id of 129 units", { id: "x".repeat(129), text: "" }, 400],
    ["8 files", { id: "1", text: "", attachments: Array<string>(8).fill("f") }, 200],
    ["9 files", { id: "1", text: "", attachments: Array<string>(9).fill("f") }, 400],
  ])("[V-2] a message with %s", async (_, body, status) => {
    expect((await post("/messages", JSON.stringify(body))).status).toBe(status);
  });

  it.each([
    [1_000, 204],
    [1_001, 400],
  ])("[V-2] a note of %i units", async (units, status) => {
    const body = { hold: "h", digest, decision: "decline", note: "x".repeat(units) };
    expect((await post("/decide", JSON.stringify(body))).status).toBe(status);
  });
});

describe("a decision with other arguments", () => {
  const decide = (input: unknown) => post("/decide", JSON.stringify({ hold: "h", digest, decision: "approve", input }));
  const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);

  it("[V-50] reaches the object as it was, down to 100 levels", async () => {
    for (const input of [{ ref: "release", n: [1, null] }, "text", null, nested(100)]) {
      expect((await decide(input)).status).toBe(204);
      expect(object.seen.at(-1)?.args).toEqual([{ hold: "h", digest, decision: "approve", input }]);
    }
    expect((await decide(nested(101))).status).toBe(400);
  });
});

describe("more about cards", () => {
  const cards = (n: number) => Array.from({ length: n }, (_, i) => ({ hold: `h${i}`, digest }));

  it("[V-51] a list of decisions comes back with an outcome for each", async () => {
    const list = [...cards(2), { hold: "gone", digest }];
    const response = await edge.fetch(`${base}/decisions`, {
      method: "POST",
      as: owner,
      json: { cards: list, decision: "decline", note: "no" },
    });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      outcomes: [
        { hold: "h0" },
        { hold: "h1" },
        { hold: "gone", error: expect.objectContaining({ code: "unknown_hold" }) },
      ],
    });
    expect(object.seen.at(-1)?.args).toEqual([{ cards: list, decision: "decline", note: "no" }]);
  });

  it.each([
    ["50 cards", { cards: cards(50) }, 200],
    ["51 cards", { cards: cards(51) }, 400],
    ["no card", { cards: [] }, 400],
    ["a card twice", { cards: [...cards(1), ...cards(1)] }, 400],
    ["an unknown key beside a card", { cards: [{ hold: "h", digest, input: {} }] }, 400],
    ["an input for all", { cards: cards(1), input: {} }, 400],
  ])("[V-51] a list of %s", async (_, body, status) => {
    expect((await post("/decisions", JSON.stringify({ decision: "approve", ...body }))).status).toBe(status);
  });

  it("[V-52] asking again, extending and handing over reach the object", async () => {
    const before = object.seen.length;
    await post("/holds/h1/ask-again", "");
    await post("/holds/h1/extend", '{"until":1800000000000}');
    await post("/holds/h1/hand-over", '{"to":"p_owner"}');
    expect(object.seen.slice(before).map(({ method, args }) => [method, ...args])).toEqual([
      ["actOnCard", "h1", { kind: "ask_again" }],
      ["actOnCard", "h1", { kind: "extend", until: 1_800_000_000_000 }],
      ["actOnCard", "h1", { kind: "hand_over", to: "p_owner" }],
    ]);
  });

  it.each([
    ["/holds/h1/extend", { until: 0 }],
    ["/holds/h1/extend", { until: 1.5 }],
    ["/holds/h1/extend", {}],
    ["/holds/h1/hand-over", { to: "" }],
    ["/holds/h1/hand-over", { to: "x".repeat(65) }],
    ["/holds/h1/ask-again", { now: true }],
  ])("[V-52] %s refuses %j", async (path, body) => {
    const before = object.seen.length;
    expect((await post(path, JSON.stringify(body))).status).toBe(400);
    expect(object.seen).toHaveLength(before);
  });
});

describe("what the object answers", () => {
  it.each(Object.entries(STATUS_OF))("[V-4] its %s comes back as %i", async (code, status) => {
    object.refuseNext = { code: code as keyof typeof STATUS_OF, message: "said by the object", ref: "r1" };
    const response = await edge.fetch(`${base}/stop`, { method: "POST", as: owner });
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({ error: { code, message: "said by the object", ref: "r1" } });
  });
});

describe("the twins of the socket's frames", () => {
  it("[N-21] [V-13] [V-24] [V-25] [V-26] [V-27] [V-29] [V-30] [V-32] reach the object with the session's caller and the body as it was", async () => {
    const before = object.seen.length;
    const message = { id: "m1", text: "hello", mode: "queue" };
    const decision = { hold: "h1", digest, decision: "approve", note: "fine" };
    const answers = { prompt: "q4", answers: [{ choices: ["Red"] }, { text: "Not on Fridays." }, null] };
    await post("/messages", JSON.stringify(message));
    await post("/stop", "");
    await post("/withdraw", JSON.stringify({ input: "p:m1" }));
    await post("/decide", JSON.stringify(decision));
    await post("/answers", JSON.stringify(answers));
    await post("/continue", "{}");
    await post("/messages", JSON.stringify({ ...message, rewindTo: 0 }));
    await post("/reset", "");
    await post("/rewind", '{"to":0}');
    await post("/pin", '{"entry":3,"on":true}');
    await post("/tasks/7/stop", "{}");
    await edge.fetch(`${base}/left/9`, { as: owner });
    await post("/compact", "");
    await edge.fetch(`${base}/entries/9/request`, { as: owner });
    await post("/entries/9/replay", '{"model":"demo/demo"}');
    const calls = object.seen.slice(before);
    expect(calls.map(({ method, args }) => [method, ...args])).toEqual([
      ["submit", message],
      ["stop"],
      ["withdraw", "p:m1"],
      ["decide", decision],
      ["answer", answers],
      ["resumeQueue"],
      ["submit", { ...message, rewindTo: 0 }],
      ["reset"],
      ["rewind", 0],
      ["pin", { entry: 3, on: true }],
      ["stopTask", 7],
      ["left", 9],
      ["compact"],
      ["sentRequest", 9],
      ["replay", 9, "demo/demo"],
    ]);
    for (const call of calls) expect(call.caller).toEqual(owner.caller);
  });

  it("[V-13] answer what the object answered", async () => {
    const sent = await edge.fetch(`${base}/messages`, { method: "POST", as: owner, json: { id: "m2", text: "x" } });
    expect(await sent.json()).toEqual({ id: "m2", input: `${owner.caller.principalId}:m2`, status: "placed" });
    const stopped = await edge.fetch(`${base}/stop`, { method: "POST", as: owner });
    expect(await stopped.json()).toEqual({ stopped: true });
    const started = await edge.fetch(`${base}/continue`, { method: "POST", as: owner });
    expect(await started.json()).toEqual({ started: true });
    const fresh = await edge.fetch(`${base}/reset`, { method: "POST", as: owner });
    expect(await fresh.json()).toEqual({ status: "queued" });
    const left = await edge.fetch(`${base}/left/9`, { as: owner });
    expect(await left.json()).toEqual({ entries: [{ id: 3, kind: "core.user", at: 1 }] });
    const task = await edge.fetch(`${base}/tasks/7/stop`, { method: "POST", as: owner });
    expect(await task.json()).toEqual({ stopped: true });
    const compacted = await edge.fetch(`${base}/compact`, { method: "POST", as: owner });
    expect([compacted.status, await compacted.json()]).toEqual([202, { started: true }]);
    const request = await edge.fetch(`${base}/entries/9/request`, { as: owner });
    expect(sentRequestShape.parse(await request.json())).toMatchObject({ model: "demo/demo", cutoff: 9 });
    const replayed = await edge.fetch(`${base}/entries/9/replay`, { method: "POST", as: owner, json: { model: "m" } });
    expect(await replayed.json()).toEqual({ ok: false, error: "It was away." });
    for (const [path, json] of [
      ["/rewind", { to: 3 }],
      ["/pin", { entry: 3, on: false }],
    ] as const) {
      expect((await edge.fetch(base + path, { method: "POST", as: owner, json })).status).toBe(204);
    }
  });

  it("[V-2] [V-26] [V-27] ids that are none are not found or refused before the object hears of them", async () => {
    const before = object.seen.length;
    for (const path of ["/entries/x/request", "/left/x", "/left/0", "/left/-1"]) {
      expect((await edge.fetch(base + path, { as: owner })).status).toBe(404);
    }
    expect((await post("/tasks/x/stop", "")).status).toBe(404);
    expect((await post("/entries/x/replay", '{"model":"m"}')).status).toBe(404);
    for (const body of ["{}", '{"model":""}', '{"model":"m","messages":[]}']) {
      expect((await post("/entries/9/replay", body)).status).toBe(400);
    }
    for (const body of ['{"to":-1}', '{"to":1.5}', "{}", '{"to":1,"by":"p_x"}']) {
      expect((await post("/rewind", body)).status).toBe(400);
    }
    for (const body of ['{"entry":0,"on":true}', '{"entry":1}', '{"entry":1,"on":"yes"}']) {
      expect((await post("/pin", body)).status).toBe(400);
    }
    expect((await post("/reset", '{"hard":true}')).status).toBe(400);
    expect(object.seen).toHaveLength(before);
  });

  it("[U-13] reach nothing of another person's conversation", async () => {
    const other = await edge.visitor("owner");
    const paths = [
      "/messages",
      "/stop",
      "/withdraw",
      "/decide",
      "/decisions",
      "/holds/h/ask-again",
      "/holds/h/extend",
      "/holds/h/hand-over",
      "/answers",
      "/continue",
      "/reset",
      "/rewind",
      "/pin",
      "/tasks/7/stop",
      "/compact",
      "/entries/9/replay",
    ];
    for (const path of paths) {
      const json = {
        "/rewind": { to: 0 },
        "/pin": { entry: 1, on: true },
        "/entries/9/replay": { model: "demo/demo" },
        "/messages": { id: "1", text: "x" },
        "/withdraw": { input: "x" },
        "/decide": { hold: "h", digest, decision: "approve" },
        "/decisions": { cards: [{ hold: "h", digest }], decision: "approve" },
        "/holds/h/extend": { until: 1_800_000_000_000 },
        "/holds/h/hand-over": { to: "p_owner" },
        "/answers": { prompt: "q4", answers: [null] },
      }[path];
      const response = await edge.fetch(base + path, { method: "POST", as: other, json: json ?? {} });
      expect(response.status).toBe(404);
    }
  });

  it("[V-14] one argument of a card comes whole, names with slashes and spaces included", async () => {
    const read = (path: string) => edge.fetch(`${base}/holds/${path}`, { as: owner });
    expect(await (await read("known/args/body")).json()).toEqual({ value: "the whole of body" });
    expect(await (await read("known/args/a%2Fb%20c")).json()).toEqual({ value: "the whole of a/b c" });
    expect((await read("unknown/args/body")).status).toBe(404);
  });
});
