import { describe, expect, it } from "vitest";
import type { Json } from "../../../src/lib/json.ts";
import type { HoldCard } from "../../../src/protocol/cards.ts";
import { NO_USAGE } from "../../../src/protocol/message.ts";
import type { ConversationSummary } from "../../../src/protocol/rest.ts";
import type { View } from "../../../src/protocol/view.ts";
import { announce } from "../../../web/src/state/announce.ts";
import { mergeList, overlayOpen, refreshList, stateOf } from "../../../web/src/state/list.ts";
import { answerEntry, makeCard, makeCompaction, makeTurn, makeView, userEntry } from "./sample-view.ts";

function withCards(cards: readonly HoldCard[], part: Partial<View> = {}): View {
  return makeView({ ...part, plugins: { holds: { cards: cards as unknown as Json } } });
}

function failed(id: number): View {
  const display = { reason: "failed", error: "The key was refused." };
  return makeView({ entries: [answerEntry(id, "part", { data: { display } })] });
}

function summary(id: string, updatedAt: number, title = id): ConversationSummary {
  return { id, visibility: "private", title, createdAt: 0, updatedAt, state: "idle", usage: NO_USAGE, unread: false };
}

describe("announcements", () => {
  it("[L-39] start, end, failure and stop are told", () => {
    const idle = makeView();
    const busy = makeView({ turn: makeTurn() });
    expect(announce(idle, busy)).toEqual(["Answer started."]);
    expect(announce(busy, makeView({ entries: [answerEntry(3, "x")] }))).toEqual(["Answer finished."]);
    expect(announce(busy, failed(3))).toEqual(["The answer failed: The key was refused."]);
    expect(announce(makeView({ turn: makeTurn({ stopping: true }) }), idle)).toEqual(["Stopped."]);
  });

  it("[L-39] a summary in the making, its end and its stop are told, its parts are not", () => {
    const [idle, making] = [makeView(), makeView({ compaction: makeCompaction() })];
    const done = makeView({ entries: [{ id: 9, kind: "core.summary", at: 0 }] });
    expect(announce(idle, making)).toEqual(["Summarising older messages."]);
    expect(announce(making, makeView({ compaction: makeCompaction({ part: 2 }) }))).toEqual([]);
    expect(announce(making, done)).toEqual(["Older messages were summarised."]);
    expect(announce(making, idle)).toEqual(["No summary was made."]);
  });

  it("[L-39] steps, tools, text and history are not", () => {
    const busy = makeView({ turn: makeTurn() });
    expect(announce(busy, makeView({ turn: makeTurn({ step: 2, stage: "tools" }) }))).toEqual([]);
    expect(announce(undefined, makeView({ entries: [userEntry(1, "a"), answerEntry(2, "b")] }))).toEqual([]);
    expect(announce(undefined, busy)).toEqual([]);
    expect(announce(failed(3), failed(3))).toEqual([]);
  });

  it("[L-39] a card is told once, also when the page opens on it", () => {
    const card = makeCard();
    const words = ["Approval needed: POST JSON to the webhook build"];
    expect(announce(makeView(), withCards([card]))).toEqual(words);
    expect(announce(undefined, withCards([card]))).toEqual(words);
    expect(announce(withCards([card]), withCards([{ ...card }]))).toEqual([]);
    expect(announce(withCards([card]), withCards([makeCard({ status: "approved" })]))).toEqual([]);
  });
});

describe("list", () => {
  it("[L-43] newest activity first, each conversation once", () => {
    const list = mergeList([summary("a", 3), summary("b", 1)], [summary("c", 2), summary("b", 9, "fresh")]);
    expect(list.map((item) => item.id)).toEqual(["b", "a", "c"]);
    expect(list[0]?.title).toBe("fresh");
  });

  it("[L-43] reading the newest page again drops what is gone and keeps what is older", () => {
    const known = [summary("a", 9), summary("gone", 8), summary("b", 7), summary("old", 1)];
    const page = [summary("a", 9), summary("b", 7)];
    expect(refreshList(known, page, false).map((item) => item.id)).toEqual(["a", "b", "old"]);
    expect(refreshList(known, page, true).map((item) => item.id)).toEqual(["a", "b"]);
    expect(refreshList(known, [], true)).toEqual([]);
  });

  it("[L-43] the open conversation's row follows its own view", () => {
    const usage = { ...NO_USAGE, costMicros: 5 };
    const view = makeView({ turn: makeTurn(), usage, entries: [userEntry(9, "hi")] });
    const row = overlayOpen(summary("a", 3, "old title"), view);
    expect(row).toMatchObject({ title: "Talk", state: "running", usage });
    expect(row.updatedAt).toBe(view.entries[0]?.at);
    expect(overlayOpen(summary("a", 3), undefined)).toEqual(summary("a", 3));
  });

  it("[L-43] a waiting card comes before running, a failed answer is told until the next message", () => {
    expect(stateOf(withCards([makeCard()], { turn: makeTurn() }))).toBe("waiting");
    expect(stateOf(failed(3))).toBe("failed");
    expect(stateOf(makeView({ entries: [...failed(3).entries, userEntry(4, "again")] }))).toBe("idle");
    expect(stateOf(makeView())).toBe("idle");
  });
});
