import { describe, expect, it } from "vitest";
import type { Json } from "../../../src/lib/json.ts";
import { entryBefore, whyNotBack } from "../../../web/src/state/rest-point.ts";
import { answerEntry, makeCard, makeCompaction, makeTurn, makeView, userEntry } from "./sample-view.ts";

describe("going back", () => {
  it("[L-56] leads to the entry before the message, 0 before the first", () => {
    const entries = [userEntry(3, "a"), answerEntry(5, "b"), userEntry(8, "c")];
    expect(entryBefore(entries, 8, false)).toBe(5);
    expect(entryBefore(entries, 3, false)).toBe(0);
  });

  it("[L-56] what is before the first loaded entry is not known while there are earlier ones", () => {
    const entries = [userEntry(3, "a"), userEntry(8, "c")];
    expect(entryBefore(entries, 3, true)).toBeUndefined();
    expect(entryBefore(entries, 8, true)).toBe(3);
    expect(entryBefore(entries, 99, false)).toBeUndefined();
  });

  it("[L-57] is not possible while an answer or a call runs, a card waits or a summary is made", () => {
    expect(whyNotBack(makeView())).toBeUndefined();
    expect(whyNotBack(makeView({ turn: makeTurn() }))).toContain("An answer is running");
    expect(whyNotBack(makeView({ turn: makeTurn({ stage: "waiting" }) }))).toContain("An approval waits");
    expect(whyNotBack(makeView({ compaction: makeCompaction() }))).toContain("being summarised");
    const tasks = (kind: string) => makeView({ tasks: { 4: { kind, status: "x" } } });
    expect(whyNotBack(tasks("core.call"))).toContain("A tool call is still at work");
    expect(whyNotBack(tasks("digest.nightly"))).toBeUndefined();
    const cards = (status: "open" | "declined") => [makeCard({ status })] as unknown as Json;
    expect(whyNotBack(makeView({ plugins: { holds: { cards: cards("open") } } }))).toContain("An approval waits");
    expect(whyNotBack(makeView({ plugins: { holds: { cards: cards("declined") } } }))).toBeUndefined();
  });
});
