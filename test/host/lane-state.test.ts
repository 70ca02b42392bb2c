import { describe, expect, it } from "vitest";
import {
  afterStep,
  broughtUp,
  type LaneItem,
  type LaneState,
  nextStep,
  replyOf,
  withItem,
} from "../../src/host/index.ts";
import { MAX_CARD_SHOWS, MAX_LANE_ITEMS } from "../../src/host/outgoing/lane-state.ts";

const item = (key: string, changes: Partial<LaneItem> = {}): LaneItem => ({
  key,
  at: 0,
  end: "answered",
  entry: 3,
  from: 1,
  holds: [],
  ...changes,
});
const EMPTY: LaneState = { queue: [], cards: {}, said: 0, marked: [] };

describe("the lane to a network", () => {
  it("[X-67] holds 100 replies; of 101 the oldest goes, and one that is there already is not added", () => {
    const keys = (count: number) => Array.from({ length: count }, (_, nth) => `reply:${nth}`);
    const full = keys(MAX_LANE_ITEMS).reduce((queue, key) => withItem(queue, item(key)), EMPTY.queue);
    expect(full.map(({ key }) => key)).toEqual(keys(100));
    expect(withItem(full, item("reply:7"))).toBe(full);
    const over = withItem(full, item("reply:100"));
    expect([over.length, over[0]?.key, over.at(-1)?.key]).toEqual([100, "reply:1", "reply:100"]);
  });

  it("[X-64] sends replies before cards, and closes cards that are over last", () => {
    const open = { prompt: "a", isOpen: true };
    const state = { ...EMPTY, queue: [item("r")], cards: { b: { wanted: 1, shows: 1, messages: ["7"] } } };
    const first = nextStep(state, [open]);
    expect(first).toMatchObject({ kind: "reply" });
    const second = { ...state, ...(first && afterStep(state, first, "8")) };
    expect(nextStep(second, [open])).toEqual({ kind: "card", prompt: "a", nth: 1 });
    const third = { ...second, ...afterStep(second, { kind: "card", prompt: "a", nth: 1 }, "9") };
    expect(nextStep(third, [open])).toEqual({ kind: "close", prompt: "b", message: "7" });
    const last = { ...third, ...afterStep(third, { kind: "close", prompt: "b", message: "7" }, "7") };
    expect(nextStep(last, [open])).toBeUndefined();
    expect(last.cards).toEqual({ a: { wanted: 1, shows: 1, messages: ["9"] } });
  });

  it("[X-68] shows a card 5 times in all, and closes each message that shows it", () => {
    let state = EMPTY;
    const open = [{ prompt: "a", isOpen: true }];
    let shown = 0;
    for (let nth = 0; nth < 10; nth++) {
      const step = nextStep(state, open);
      if (step) state = { ...state, ...afterStep(state, step, `m${++shown}`) };
      state = { ...state, cards: broughtUp(state.cards, ["a", "never-shown"]) };
    }
    expect(shown).toBe(MAX_CARD_SHOWS);
    const closed: string[] = [];
    for (let step = nextStep(state, []); step; step = nextStep(state, [])) {
      if (step.kind === "close") closed.push(step.message);
      state = { ...state, ...afterStep(state, step, undefined) };
    }
    expect(closed).toEqual(["m1", "m2", "m3", "m4", "m5"]);
    expect(state.cards).toEqual({});
  });

  it("[X-101] marks what waits after everything else, once, and takes the mark from what waits no more", () => {
    const open = [{ prompt: "a", isOpen: true }];
    expect(nextStep({ ...EMPTY, marked: ["1"] }, open, ["2"])).toMatchObject({ kind: "card" });
    const first = nextStep(EMPTY, [], ["1", "2"]);
    expect(first).toEqual({ kind: "mark", message: "1", isOn: true });
    const marked = { ...EMPTY, ...(first && afterStep(EMPTY, first, undefined)) };
    expect(marked.marked).toEqual(["1"]);
    expect(nextStep(marked, [], ["1"])).toBeUndefined();
    const last = nextStep(marked, [], []);
    expect(last).toEqual({ kind: "mark", message: "1", isOn: false });
    expect(last && afterStep(marked, last, undefined)).toEqual({ marked: [] });
  });

  it("[X-68] a card that the network refused for good is not tried again, and has nothing to close", () => {
    const step = { kind: "card", prompt: "a", nth: 1 } as const;
    const state = { ...EMPTY, ...afterStep(EMPTY, step, undefined) };
    expect(nextStep(state, [{ prompt: "a", isOpen: true }])).toBeUndefined();
    expect(nextStep(state, [])).toBeUndefined();
  });
});

describe("what people read of a turn's end", () => {
  const file = { id: "f", name: "a.png", mime: "image/png", bytes: 3 };
  const entries = [
    { id: 1, message: { role: "user", content: [{ type: "text", text: "Hi" }] } },
    { id: 2, message: { role: "tool", callId: "c", name: "draw", content: [{ type: "file", file }], isError: false } },
    {
      id: 3,
      message: { role: "assistant", content: [{ type: "text", text: " Done. " }], stop: "end" },
      data: { display: { reason: "failed", error: "Too dear." } },
    },
  ] as const;

  it.each([
    ["answered", { text: "Done.", files: [file] }],
    ["failed", { text: "Too dear.", files: [] }],
    ["skipped", { text: "Too dear.", files: [] }],
    ["stopped", { text: "Stopped.", files: [] }],
    ["list", { text: "", files: [] }],
  ] as const)("[X-65] of one that was %s", (end, reply) => {
    expect(replyOf(item("r", { end }), entries)).toEqual(reply);
  });

  it("[X-65] of a failure without a sentence", () => {
    expect(replyOf(item("r", { end: "failed", entry: 9 }), entries).text).toBe(
      "This could not be answered. Try again.",
    );
  });
});
