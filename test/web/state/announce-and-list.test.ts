import { describe, expect, it } from "vitest";
import type { Json } from "../../../src/lib/json.ts";
import type { HoldCard } from "../../../src/protocol/cards.ts";
import { NO_USAGE } from "../../../src/protocol/message.ts";
import type { ConversationSummary } from "../../../src/protocol/rest.ts";
import type { View } from "../../../src/protocol/view.ts";
import { Announcer } from "../../../web/src/app/announcer.ts";
import { announce } from "../../../web/src/state/announce.ts";
import { type Choices, NO_CHOICES } from "../../../web/src/state/cards.ts";
import { mergeList, overlayOpen, refreshList, stateOf } from "../../../web/src/state/list.ts";
import { waitingFor, waitingIn } from "../../../web/src/state/waiting.ts";
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

const OURS: Choices = new Map([["h1", { hold: "h1", may: ["approve", "decline"] }]]);
const THEIRS: Choices = new Map([["h1", { hold: "h1", may: [], why: "Only an owner may decide this." }]]);

function announcing() {
  const said: string[] = [];
  return { announcer: new Announcer((words) => said.push(words)), said };
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
    const { announcer, said } = announcing();
    announcer.follow(withCards([makeCard()]), OURS);
    announcer.follow(withCards([makeCard()]), OURS);
    expect(said).toEqual(["Approval needed: POST JSON to the webhook build"]);
    announcer.follow(withCards([makeCard({ status: "approved" })]), OURS);
    expect(said).toHaveLength(1);
  });

  it("[L-171] nothing is said of a card before the server said whose it is; then for whom it waits, and who may decide", () => {
    const { announcer, said } = announcing();
    const view = withCards([makeCard()]);
    announcer.follow(view, NO_CHOICES);
    expect(said).toEqual([]);
    announcer.follow(view, THEIRS);
    expect(said).toEqual(["Waits for somebody else: POST JSON to the webhook build. Only an owner may decide this."]);
    announcer.follow(view, OURS);
    expect(said.slice(1)).toEqual(["Approval needed: POST JSON to the webhook build"]);
  });

  it("[L-171] only what waits for this person asks for attention", () => {
    const view = withCards([makeCard(), makeCard({ hold: "h2" })]);
    const choices = new Map([...OURS, ["h2", { hold: "h2", may: [], why: "Only an owner may decide this." }]] as const);
    expect(waitingFor(view, choices).map(({ id }) => id)).toEqual(["h1"]);
    expect(waitingFor(view, NO_CHOICES)).toEqual([]);
    expect(waitingIn(view).map(({ id }) => id)).toEqual(["h1", "h2"]);
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
