import { describe, expect, it } from "vitest";
import type { KernelWorld } from "../kit/kernel-world.ts";
import type { Script } from "../kit/scripted-model.ts";
import type { WorldOptions } from "../kit/world-options.ts";
import { ANNA, BERT, countRows, dump, lines, send, submission, tool } from "./make.ts";
import { started } from "./started.ts";

/** A vendor whose answers a test lets out one by one. */
function heldModel(answer: Script = ({ messages }) => ({ text: `answer to ${messages.length} messages` })) {
  const waiting: (() => void)[] = [];
  const script: Script = (request, nth) => ({
    ...answer(request, nth),
    between: () => new Promise((resolve) => waiting.push(resolve)),
  });
  return { script, waiting };
}

/** A world in the middle of answering Anna's `first`. */
async function busy(options: WorldOptions = {}, answer?: Script) {
  const held = heldModel(answer);
  const world = started({ ...options, script: held.script });
  send(world, "first");
  await world.run(() => held.waiting.length === 1);
  /** Lets the waiting answer out, and what follows happen until the next one waits or all is at rest. */
  const release = async () => {
    held.waiting.shift()?.();
    await world.run(() => held.waiting.length > 0);
  };
  return { world, release, ...held };
}

const stateOf = (world: KernelWorld, key: string) => world.kernel.input(key)?.state;
const inbox = (world: KernelWorld) => world.kernel.snapshot().view.inbox;

describe("admission", () => {
  it("[T-1] [I-89] returns after its commit and never waits for the model", async () => {
    const world = started({ script: () => ({ text: "x", between: () => new Promise(() => undefined) }) });
    const receipt = send(world, "hi");
    expect(receipt).toEqual({ ok: true, value: { input: `${ANNA}:hi`, status: "placed" } });
    expect(world.model.requests).toEqual([]);
    world.crash();
    world.start();
    expect(lines(world)).toEqual(["user: hi"]);
  });

  it("[T-2] [E-18] [I-90] [C-5] [trap 68] the same key with the same body returns the first receipt and writes nothing", async () => {
    const world = started();
    const first = send(world, "hi");
    const written = world.storage.counts.written;
    expect(send(world, "hi")).toEqual(first);
    expect(world.storage.counts.written).toBe(written);
    await world.run();
    for (const reopen of [false, true]) {
      if (reopen) {
        world.crash();
        world.start();
      }
      const before = dump(world);
      expect(send(world, "hi")).toEqual({ ok: true, value: { input: `${ANNA}:hi`, status: "done" } });
      expect(dump(world)).toBe(before);
    }
    await world.run();
    expect(world.model.requests).toHaveLength(1);
  });

  it.each([
    ["another text", { content: [{ type: "text", text: "ho" }] }],
    ["another speaker", { actor: BERT }],
    ["another mode", { mode: "queue" }],
    [
      "a file more",
      {
        content: [
          { type: "text", text: "hi" },
          { type: "file", file: { id: "f", name: "f", mime: "a/b", bytes: 1 } },
        ],
      },
    ],
  ] as const)("[T-2] the same key with %s is a conflict and writes nothing", async (_name, change) => {
    const world = started();
    send(world, "hi", { key: "k" });
    const before = dump(world);
    expect(world.kernel.submit({ ...submission("hi", { key: "k" }), ...change })).toEqual({
      ok: false,
      error: "conflict",
    });
    expect(dump(world)).toBe(before);
    await world.run();
    expect(send(world, "ho", { key: "k" })).toEqual({ ok: false, error: "conflict" });
  });

  it("[T-2] a queued message that is repeated stays queued once", async () => {
    const { world } = await busy();
    send(world, "more", { mode: "queue" });
    expect(send(world, "more", { mode: "queue" })).toMatchObject({ value: { status: "queued" } });
    expect(inbox(world)).toHaveLength(1);
  });

  it("[T-3] [I-106] [C-1] idle: the input is placed and its turn begins in the same commit", () => {
    const world = started();
    send(world, "hi");
    expect(world.commits).toHaveLength(1);
    expect(world.commits[0]?.events).toEqual([{ type: "turn.started", inputs: [`${ANNA}:hi`] }]);
    const { view } = world.kernel.snapshot();
    expect(view.entries.map((entry) => entry.kind)).toEqual(["core.user"]);
    expect(view.turn).toMatchObject({ actor: ANNA, inputs: [`${ANNA}:hi`], stage: "preparing" });
    expect(stateOf(world, `${ANNA}:hi`)).toEqual({ status: "placed", entry: view.entries[0]?.id });
  });

  it.each([
    ["the turn's speaker, saying nothing about it", ANNA, undefined, "steer"],
    ["the turn's speaker, asking to queue", ANNA, "queue", "queue"],
    ["another speaker", BERT, undefined, "queue"],
    ["another speaker, asking to steer", BERT, "steer", "queue"],
  ] as const)("[T-4] [C-3] busy: queued visibly, by %s", async (_name, actor, mode, shown) => {
    const { world } = await busy();
    const receipt = send(world, "more", { actor, ...(mode && { mode }) });
    expect(receipt).toMatchObject({ ok: true, value: { status: "queued" } });
    expect(inbox(world)).toEqual([
      { input: `${actor}:more`, actor, mode: shown, text: "more", files: 0, at: world.clock.now() },
    ]);
    expect(world.commits.at(-1)?.events).toEqual([{ type: "input.queued", input: `${actor}:more` }]);
    world.crash();
    expect(world.start().snapshot().view.inbox).toHaveLength(1);
  });

  it("[T-4] the inbox shows the beginning of a long message and counts its files", async () => {
    const { world } = await busy();
    const text = `${"x".repeat(199)}😀 and the rest`;
    const file = { id: "f", name: "f", mime: "a/b", bytes: 1 };
    send(world, "k", {
      content: [
        { type: "text", text },
        { type: "file", file },
      ],
    });
    expect(inbox(world)).toMatchObject([{ text: "x".repeat(199), files: 1 }]);
  });
});

describe("placing", () => {
  const calls: Script = (_request, nth) =>
    nth === 0 ? { calls: [{ name: "look", args: "{}" }] } : { text: `answer ${nth}` };
  const look = { tools: [tool("look", () => Promise.resolve({ text: "seen" }))] };

  it("[T-5] [I-94] a steering input joins the turn before its next request", async () => {
    const { world, release } = await busy(look, calls);
    send(world, "and faster");
    await release();
    expect(lines(world)).toEqual(["user: first", "assistant: call look", "tool_result: seen", "user: and faster"]);
    expect(world.model.requests[1]?.messages.map((message) => message.role)).toEqual([
      "user",
      "assistant",
      "tool",
      "user",
    ]);
    expect(world.control.turn?.inputs).toEqual([`${ANNA}:first`, `${ANNA}:and faster`]);
    await release();
    const [first, second] = ["first", "and faster"].map((text) => stateOf(world, `${ANNA}:${text}`));
    expect(first).toMatchObject({ status: "done" });
    expect(second).toMatchObject({ status: "done", answer: (first as { answer: number }).answer });
  });

  it("[T-5] a steering input that finds no further request gets the next turn", async () => {
    const { world, release } = await busy();
    send(world, "too late to steer");
    await release();
    expect(lines(world)).toEqual(["user: first", "assistant: answer to 1 messages", "user: too late to steer"]);
    expect(world.control.turn?.inputs).toEqual([`${ANNA}:too late to steer`]);
    await release();
    expect(lines(world).at(-1)).toBe("assistant: answer to 3 messages");
  });

  it("[T-5] neither a queued message nor another speaker's joins the turn", async () => {
    const { world, release } = await busy(look, calls);
    send(world, "later", { mode: "queue" });
    send(world, "me", { actor: BERT });
    await release();
    expect(world.model.requests[1]?.messages.map((message) => message.role)).toEqual(["user", "assistant", "tool"]);
    expect(inbox(world).map((item) => item.input)).toEqual([`${ANNA}:later`, `${BERT}:me`]);
  });

  it("[T-5] [T-12] a retried request is sent as it was: steering waits for the next one", async () => {
    const { world, release } = await busy(look, (_request, nth) => {
      if (nth === 0) return { error: {} };
      return nth === 1 ? { calls: [{ name: "look", args: "{}" }] } : { text: "ok" };
    });
    send(world, "and faster");
    await release();
    expect(world.model.requests[1]?.messages).toEqual(world.model.requests[0]?.messages);
    await release();
    expect(world.model.requests[2]?.messages.at(-1)).toMatchObject({ role: "user", content: [{ text: "and faster" }] });
  });

  it("[T-6] [I-93] what one speaker has next in line is answered together, another speaker's apart, in order", async () => {
    const { world, release } = await busy();
    const order: readonly (readonly [string, string])[] = [
      ["a1", ANNA],
      ["a2", ANNA],
      ["b1", BERT],
      ["b2", BERT],
      ["a3", ANNA],
    ];
    for (const [text, actor] of order) send(world, text, { actor, mode: "queue" });
    const turns: (readonly string[])[] = [];
    for (let n = 0; n < 4; n++) {
      await release();
      if (world.control.turn) turns.push(world.control.turn.inputs);
    }
    expect(turns).toEqual([[`${ANNA}:a1`, `${ANNA}:a2`], [`${BERT}:b1`, `${BERT}:b2`], [`${ANNA}:a3`]]);
    expect(lines(world).filter((line) => line.startsWith("user"))).toEqual(
      ["first", "a1", "a2", "b1", "b2", "a3"].map((text) => `user: ${text}`),
    );
    const answers = ["a1", "a2"].map((text) => stateOf(world, `${ANNA}:${text}`));
    expect(answers[0]).toMatchObject({ status: "done" });
    expect((answers[0] as { answer: number }).answer).toBe((answers[1] as { answer: number }).answer);
  });

  it("[T-7] the inbox holds 100 inputs; the next is refused and nothing of it is stored", async () => {
    const { world } = await busy();
    for (let n = 1; n <= 100; n++) {
      expect(send(world, `m${n}`, { actor: n % 2 ? ANNA : BERT })).toMatchObject({ ok: true });
    }
    const before = dump(world);
    expect(send(world, "one more")).toEqual({ ok: false, error: "inbox_full" });
    expect(send(world, "one more", { actor: BERT })).toEqual({ ok: false, error: "inbox_full" });
    expect(dump(world)).toBe(before);
    expect(send(world, "m7"), "a repeat is still answered").toMatchObject({ value: { status: "queued" } });
    expect(world.kernel.withdraw(`${ANNA}:m7`)).toBe("aborted");
    expect(send(world, "one more")).toMatchObject({ ok: true });
  });

  it("[T-7] [T-11] a result promised earlier is queued even when the inbox is full", async () => {
    const { world } = await busy();
    for (let n = 1; n <= 100; n++) send(world, `m${n}`);
    expect(send(world, "result", { key: "system:call:9" })).toMatchObject({ ok: true, value: { status: "queued" } });
    expect(inbox(world)).toHaveLength(101);
  });

  it("[T-8] [I-98] [C-12] [C-8] [C-9] [C-10] withdrawing answers what became of the input; only a queued one changes anything", async () => {
    const { world, release } = await busy();
    send(world, "more", { mode: "queue" });
    const before = dump(world);
    expect(world.kernel.withdraw(`${ANNA}:first`)).toBe("already_placed");
    expect(world.kernel.withdraw(`${ANNA}:unknown`)).toBe("not_found");
    expect(dump(world)).toBe(before);
    expect(world.kernel.withdraw(`${ANNA}:more`)).toBe("aborted");
    expect(world.commits.at(-1)?.events).toEqual([{ type: "input.aborted", input: `${ANNA}:more` }]);
    expect(stateOf(world, `${ANNA}:more`)).toEqual({ status: "unanswered", reason: "aborted" });
    expect(inbox(world)).toEqual([]);
    const after = dump(world);
    expect(world.kernel.withdraw(`${ANNA}:more`)).toBe("settled");
    expect(dump(world)).toBe(after);
    await release();
    expect(world.kernel.withdraw(`${ANNA}:first`)).toBe("settled");
    expect(lines(world)).toEqual(["user: first", "assistant: answer to 1 messages"]);
    expect(send(world, "more", { mode: "queue" }), "its key stays used").toMatchObject({
      value: { status: "unanswered" },
    });
  });

  it("[T-8] what the system has to tell is nobody's to withdraw", async () => {
    const { world, release } = await busy();
    send(world, "The call has run.", { key: "system:call:9" });
    const before = dump(world);
    expect(world.kernel.withdraw("system:call:9")).toBe("not_found");
    expect(dump(world)).toBe(before);
    await release();
    expect(lines(world).at(-1)).toBe("notice: The call has run.");
  });

  it("[T-8] [I-99] a withdrawal and the placing of the same input have one winner", async () => {
    const { world, release } = await busy(look, calls);
    send(world, "and faster");
    send(world, "no, slower");
    expect(world.kernel.withdraw(`${ANNA}:and faster`)).toBe("aborted");
    await release();
    expect(world.kernel.withdraw(`${ANNA}:no, slower`)).toBe("already_placed");
    expect(lines(world)).not.toContain("user: and faster");
    expect(lines(world)).toContain("user: no, slower");
  });
});

describe("endings", () => {
  it("[T-9] [I-92] every placed input ends exactly once, with its answer", async () => {
    const { world, release } = await busy();
    send(world, "second", { mode: "queue" });
    await release();
    await release();
    const answers = world.kernel.entriesAfter(0, 100).filter((entry) => entry.kind === "core.assistant");
    expect(stateOf(world, `${ANNA}:first`)).toMatchObject({ status: "done", answer: answers[0]?.id });
    expect(stateOf(world, `${ANNA}:second`)).toMatchObject({ status: "done", answer: answers[1]?.id });
    const statuses = world.storage.sql.exec("SELECT status FROM inputs").toArray();
    expect(statuses).toEqual([{ status: "done" }, { status: "done" }]);
  });

  it("[T-9] a failed turn leaves its inputs unanswered, with the reason", async () => {
    const world = started({ script: () => ({ error: { retryable: false, message: "no such key" } }) });
    send(world, "hi");
    await world.run();
    expect(stateOf(world, `${ANNA}:hi`)).toEqual({ status: "unanswered", entry: 1, reason: "failed" });
    expect(countRows(world, "inputs")).toBe(1);
  });

  it("[T-10] after a failed turn queued inputs stay queued and visible, and continuing starts them", async () => {
    const { world, release } = await busy({}, (_request, nth) =>
      nth === 0 ? { error: { retryable: false } } : { text: `answer ${nth}` },
    );
    send(world, "a", { mode: "queue" });
    send(world, "b", { actor: BERT });
    await release();
    expect(world.control.turn).toBeNull();
    expect(inbox(world).map((item) => item.input)).toEqual([`${ANNA}:a`, `${BERT}:b`]);
    world.crash();
    world.start().resume();
    await world.run();
    expect(world.model.requests, "a reopen starts nothing either").toHaveLength(1);
    expect(world.kernel.resumeQueue()).toBe(true);
    expect(world.kernel.resumeQueue(), "it runs already").toBe(false);
    await release();
    await release();
    await release();
    expect(lines(world).slice(2)).toEqual(["user: a", "assistant: answer 1", "user: b", "assistant: answer 2"]);
    const before = dump(world);
    expect(world.kernel.resumeQueue(), "nothing is left").toBe(false);
    expect(dump(world)).toBe(before);
  });

  it("[T-10] a new message after a failed turn goes behind those that wait", async () => {
    const { world, release } = await busy({}, (_request, nth) =>
      nth === 0 ? { error: { retryable: false } } : { text: `answer ${nth}` },
    );
    send(world, "b", { actor: BERT });
    await release();
    expect(send(world, "again")).toMatchObject({ value: { status: "queued" } });
    expect(world.control.turn?.inputs).toEqual([`${BERT}:b`]);
    await world.run(() => world.model.requests.length === 2);
    await release();
    await release();
    expect(lines(world).slice(2)).toEqual(["user: b", "assistant: answer 1", "user: again", "assistant: answer 2"]);
  });

  it("[T-10] [C-2] a new message by who waits first is answered together with what they had queued", async () => {
    const { world, release } = await busy({}, (_request, nth) =>
      nth === 0 ? { error: { retryable: false } } : { text: "ok" },
    );
    send(world, "a", { mode: "queue" });
    await release();
    expect(send(world, "again")).toMatchObject({ value: { status: "placed" } });
    expect(world.control.turn?.inputs).toEqual([`${ANNA}:a`, `${ANNA}:again`]);
  });

  it("[T-11] an input of origin system is placed as a notice, for the speaker it names", async () => {
    const world = started();
    send(world, "The job is done.", { key: "system:job:1", actor: BERT });
    expect(world.control.turn?.actor).toBe(BERT);
    await world.run();
    expect(lines(world)).toEqual(["notice: The job is done.", "assistant: Hello."]);
    expect(world.kernel.snapshot().view.entries[0]?.data).toEqual({ input: "system:job:1", actor: BERT });
    expect(world.model.requests[0]?.messages[0]?.role).toBe("user");
  });
});
