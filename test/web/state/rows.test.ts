import { describe, expect, it } from "vitest";
import type { ToolView, ViewEntry } from "../../../src/protocol/view.ts";
import { committedParts, liveParts } from "../../../web/src/state/answer-parts.ts";
import { layOutRows, reuseRows } from "../../../web/src/state/rows.ts";
import { answerEntry, makeCard, makeTurn, makeView, NOW, userEntry } from "./sample-view.ts";

const DAY = 86_400_000;

function callEntry(id: number, names: readonly string[]): ViewEntry {
  const content = names.map((name, index) => ({ type: "call" as const, id: `v${index}`, name, args: "{}" }));
  return answerEntry(id, "", {
    message: { role: "assistant", stop: "calls", content: [{ type: "text", text: "Let me see" }, ...content] },
  });
}

function resultEntry(id: number, entry: number, index: number): ViewEntry {
  return {
    id,
    kind: "core.tool_result",
    at: NOW + id,
    message: { role: "tool", callId: "v", name: "t", isError: false, content: [{ type: "text", text: "out" }] },
    data: { entry, index, outcome: "ok", ms: 12 },
  };
}

describe("rows", () => {
  it("[L-21] entries in order, a separator at each new day, results at their calls", () => {
    const entries = [
      userEntry(1, "hi"),
      callEntry(2, ["a", "b"]),
      resultEntry(3, 2, 1),
      { ...userEntry(4, "later"), at: NOW + DAY },
    ];
    const rows = layOutRows(entries, makeView({ entries }), []);
    expect(rows.map((row) => row.kind)).toEqual(["day", "user", "answer", "day", "user"]);
    const answer = rows[2];
    expect(answer?.kind === "answer" && answer.calls.map((call) => call.result?.id)).toEqual([undefined, 3]);
  });

  it("[L-168] what a plugin said is a note, also once it was erased; what models are told of it is none", () => {
    const said: ViewEntry = { id: 1, kind: "host.said", at: NOW, data: { text: "The build is done.", by: "p_a" } };
    const message = { role: "user", content: [{ type: "text", text: "[System] People were told" }] } as const;
    const entries: ViewEntry[] = [
      said,
      { id: 2, kind: "host.told", at: NOW, message, data: { by: "p_a" } },
      { ...said, id: 3, data: {}, redacted: { at: NOW, by: "p_o" } },
    ];
    const rows = layOutRows(entries, makeView({ entries }), []);
    expect(rows.flatMap((row) => (row.kind === "note" ? [row.text] : []))).toEqual(["The build is done.", "(Erased.)"]);
  });

  it("[L-21] a running tool and its card stand at their call, a card without a call at the end", () => {
    const tool: ToolView = { task: 9, entry: 2, index: 0, name: "a", status: "waiting", waitingOn: "holds" };
    const entries = [userEntry(1, "hi"), callEntry(2, ["a"])];
    const view = makeView({ entries, turn: makeTurn({ tools: [tool] }) });
    const [mine, other] = [makeCard({ hold: "mine", task: 9 }), makeCard({ hold: "other", task: 99 })];
    const rows = layOutRows(entries, view, [mine, other]);
    expect(rows.map((row) => row.kind)).toEqual(["day", "user", "answer", "live", "card"]);
    const answer = rows[2];
    expect(answer?.kind === "answer" && answer.calls[0]).toMatchObject({ tool, card: mine });
    expect(rows.at(-1)).toMatchObject({ kind: "card", card: other });
  });

  it("[L-5] a streaming answer keeps its key when it is committed", () => {
    const entries = [userEntry(1, "hi"), callEntry(2, ["a"])];
    const before = layOutRows(entries, makeView({ entries, turn: makeTurn() }), []);
    const after = [...entries, answerEntry(5, "done")];
    const rows = layOutRows(after, makeView({ entries: after }), []);
    expect(before.at(-1)).toMatchObject({ kind: "live", key: "answer-7-2" });
    expect(rows.at(-1)).toMatchObject({ kind: "answer", key: "answer-7-2" });
    const live = liveParts([{ task: 7, attempt: 1, channel: "text", text: "don" }], 7);
    expect(live.map((part) => part.key)).toEqual(committedParts(answerEntry(5, "done")).map((part) => part.key));
    expect(committedParts(callEntry(2, ["a", "b"])).map((part) => part.key)).toEqual(["text-0", "call-0", "call-1"]);
  });

  it("[L-24] what did not change is the same object", () => {
    const entries = [userEntry(1, "hi"), callEntry(2, ["a", "b"]), resultEntry(3, 2, 0)];
    const first = layOutRows(entries, makeView({ entries }), []);
    expect(reuseRows(first, layOutRows(entries, makeView({ entries }), []))).toBe(first);
    const more = [...entries, resultEntry(4, 2, 1), userEntry(6, "next")];
    const second = reuseRows(first, layOutRows(more, makeView({ entries: more }), []));
    expect(second[0]).toBe(first[0]);
    expect(second[1]).toBe(first[1]);
    expect(second[2]).not.toBe(first[2]);
    const older = [userEntry(0, "before"), ...more];
    const third = reuseRows(second, layOutRows(older, makeView({ entries: older }), []));
    expect(third.slice(2)).toEqual(second.slice(1));
    expect(third.slice(2).every((row, index) => row === second[index + 1])).toBe(true);
  });

  it("[L-25] kinds that the page does not know are a quiet line, prompts and sums are not shown", () => {
    const entry = (id: number, kind: string, part: Partial<ViewEntry>): ViewEntry => ({ id, kind, at: NOW, ...part });
    const entries = [
      entry(1, "core.system", { message: { role: "system", text: "You are" } }),
      entry(2, "core.notice", { message: { role: "user", content: [{ type: "text", text: "The build is done." }] } }),
      entry(3, "weather.report", { data: { text: "Rain." } }),
      entry(4, "core.side_note", {}),
      entry(5, "core.user", { ...userEntry(5, "late result", "system:hold.release:1") }),
      { ...resultEntry(6, 1, 0), data: {} },
      entry(7, "holds.shown", { data: { hold: "h", entry: 2, index: 0, copy: "make" } }),
    ];
    const rows = layOutRows(entries, makeView({ entries }), []);
    const notes = rows.flatMap((row) => (row.kind === "note" ? [row.text] : []));
    expect(notes).toEqual(["The build is done.", "Rain.", "side note", "late result", "out"]);
  });
});
