import { evictDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import type { ModelRequest } from "../../src/kernel/index.ts";

import { ChatSocket } from "../kit/chat-socket.workers.ts";
import { growTranscript } from "../kit/long-transcript.ts";
import type { ScriptedAnswer } from "../kit/scripted-model.ts";
import { Stage } from "../kit/stage.workers.ts";
import { Talk } from "../kit/talk.workers.ts";

/**
 * What something cost: rows written, alarms set and deleted, questions to D1 about people, tellings of its list, and
 * statements that copy the audit and the open cards.
 */
interface Cost {
  readonly rows: number;
  readonly alarms: number;
  readonly questions: number;
  readonly listings: number;
  readonly copies: number;
}

/** Rows that one telling of the list takes: the outbox row, its end, and the control row that notes it. */
const ROWS_OF_LISTING = 3;
const NOTHING: Cost = { rows: 0, alarms: 0, questions: 0, listings: 0, copies: 0 };

/** As it is billed, the mirror of the list apart. */
const billed = ({ rows, alarms, listings }: Cost) => rows + alarms - listings * ROWS_OF_LISTING;

/** Does something, lets the conversation come to rest, and says what that cost. */
async function costOf(talk: Talk, act: () => Promise<unknown>, rest = () => talk.idle()): Promise<Cost> {
  await talk.told();
  const { counts, database } = talk.stage;
  const before = { ...counts };
  database.queries.length = 0;
  await act();
  await rest();
  const listings = database.queries.filter((query) => query.startsWith('insert into "conversations"')).length;
  const copies = database.queries.filter((query) => /approval_audit|open_cards/.test(query)).length;
  return {
    rows: counts.rows - before.rows,
    alarms: counts.alarms - before.alarms,
    questions: database.queries.length - listings - copies,
    listings,
    copies,
  };
}

const calculate = { name: "calculate", args: '{"expression":"1+1"}' };
const note = { name: "add_note", args: '{"text":"milk"}' };
const webhook = { name: "send_webhook", args: '{"target":"build","body":{}}' };

/** Makes these calls when it is told to go, and then answers. */
const withCalls =
  (...calls: NonNullable<ScriptedAnswer["calls"]>) =>
  ({ messages }: ModelRequest): ScriptedAnswer => {
    const last = messages.at(-1);
    return last?.role === "user" && JSON.stringify(last.content).includes("go") ? { calls } : { text: "Done." };
  };

async function begin(...calls: NonNullable<ScriptedAnswer["calls"]>): Promise<Talk> {
  const stage = new Stage();
  stage.script = withCalls(...calls);
  const talk = await Talk.begin(stage);
  // The first message also brings the title and the system prompt.
  await talk.say("Hello");
  await talk.idle();
  return talk;
}

describe("what a turn costs", () => {
  const table: readonly (readonly [string, NonNullable<ScriptedAnswer["calls"]>, Cost, number])[] = [
    ["plain", [], { rows: 11, alarms: 1, questions: 0, listings: 1, copies: 0 }, 9],
    ["one safe tool", [calculate], { rows: 18, alarms: 1, questions: 0, listings: 1, copies: 0 }, 16],
    ["one tool that keeps something", [note], { rows: 22, alarms: 1, questions: 0, listings: 1, copies: 0 }, 20],
    [
      "three tools at once",
      [calculate, calculate, calculate],
      { rows: 26, alarms: 1, questions: 0, listings: 1, copies: 0 },
      24,
    ],
  ];
  it.each(table)("[K-12] [K-13] %s", async (_name, calls, cost, total) => {
    const talk = await begin(...calls);
    const spent = await costOf(talk, () => talk.say("go"));
    expect(spent).toEqual(cost);
    expect(billed(spent)).toBe(total);
  });

  it("[K-13] with somebody watching costs no more, and the first after a wake asks twice who speaks", async () => {
    const talk = await begin();
    const plain: Cost = { rows: 11, alarms: 1, questions: 0, listings: 1, copies: 0 };
    await ChatSocket.follow(talk.stage, talk.caller);
    expect(await costOf(talk, () => talk.say("Hello again"))).toEqual(plain);
    await evictDurableObject(talk.stage.object);
    expect(await costOf(talk, () => talk.say("And again"))).toEqual({ ...plain, questions: 2 });
  });

  it("[K-13] [H-48] [H-90] a held call: until the card, and from the press to the answer", async () => {
    const talk = await begin(webhook);
    const toCard = () =>
      costOf(
        talk,
        () => talk.toCard(),
        () => talk.told(),
      );
    const press = async () => {
      const card = await talk.openCard();
      return await costOf(talk, () => talk.decide(card, "approve"));
    };
    const first = await toCard();
    await press();
    const opened = await toCard();
    expect(opened).toEqual({ rows: 12, alarms: 2, questions: 1, listings: 1, copies: 5 });
    // The audit's table comes with the first line, and D1 is asked once what it has.
    expect(first).toEqual({ ...opened, rows: opened.rows + 4, copies: opened.copies + 1 });
    const pressed = await press();
    expect(pressed).toEqual({ rows: 18, alarms: 1, questions: 4, listings: 1, copies: 4 });
    expect(billed(opened) + billed(pressed)).toBe(27);
  });
});

describe("what costs nothing", () => {
  it("[K-4] [K-31] [W-9] looking in, saying hello, paging, acknowledging, a refused message, a repeated one", async () => {
    const talk = await begin();
    const spent = await costOf(talk, async () => {
      await talk.snapshot();
      const socket = await ChatSocket.follow(talk.stage, talk.caller);
      await socket.ask({ type: "more", before: 5 }, "page");
      socket.send({ type: "ack", rev: 1 });
      await talk.rpc.submit(talk.caller, { id: "empty", text: "" });
      await talk.say("Hello", "m1");
      await talk.rpc.stop(talk.caller);
      await talk.rpc.resumeQueue(talk.caller);
    });
    expect(spent).toEqual(NOTHING);
    expect(await talk.alarm()).toBeNull();
  });

  it("[K-31] being idle: there is no alarm, and a wake writes nothing", async () => {
    const talk = await begin(calculate);
    await talk.say("go");
    await talk.idle();
    expect(await talk.alarm()).toBeNull();
    await evictDurableObject(talk.stage.object);
    const before = { ...talk.stage.counts };
    await talk.snapshot();
    expect([talk.stage.counts.rows, talk.stage.counts.alarms]).toEqual([before.rows, before.alarms]);
    expect(await talk.alarm()).toBeNull();
  });
});

describe("a long conversation", () => {
  const ENTRIES = 20_000;

  it("[K-19] opens and pages by a bounded number of rows, whatever its length", async () => {
    const talk = await begin();
    await talk.plant((storage) => growTranscript(storage, ENTRIES));
    const reads = async (act: () => Promise<unknown>) => {
      const before = talk.stage.counts.read;
      await act();
      return talk.stage.counts.read - before;
    };
    const opening = await reads(async () => {
      const { view } = await talk.snapshot();
      expect(view.entries).toHaveLength(50);
      expect(view.earlier).toBe(true);
    });
    expect(opening).toBeLessThan(100);
    expect(await reads(() => talk.rpc.entries(talk.caller, { before: 9_000, limit: 50 }))).toBeLessThan(60);
    expect(await reads(() => talk.rpc.entry(talk.caller, 9_000))).toBeLessThan(3);
    expect(await reads(() => talk.rpc.exportPage(talk.caller, 9_000))).toBeLessThan(210);
  });
});
