import { describe, expect, it } from "vitest";
import type { Json } from "../../../src/lib/json.ts";
import type { HoldStatus } from "../../../src/protocol/cards.ts";
import type { ToolOutcome, ToolView } from "../../../src/protocol/view.ts";
import {
  approveReadiness,
  askableAgain,
  canDecline,
  describeEnd,
  laterDeadline,
} from "../../../web/src/state/cards.ts";
import { readInput } from "../../../web/src/state/edit-input.ts";
import type { Call } from "../../../web/src/state/rows.ts";
import { describeTool, explainTool, prettyArgs, previewArgs } from "../../../web/src/state/tool-state.ts";
import { makeCard, makeView, NOW } from "./sample-view.ts";

function done(data: Record<string, Json>): Call {
  return { name: "t", args: "{}", result: { id: 3, kind: "core.tool_result", at: NOW, data } };
}

function running(part: Partial<ToolView>): Call {
  return { name: "t", args: "{}", tool: { task: 9, entry: 2, index: 0, name: "t", status: "running", ...part } };
}

const cut = { name: "body", value: '"xx', cut: { length: 5_000, sha256: "0".repeat(64) } };
const fresh = { nowMs: NOW, seen: new Set<string>(), isSending: false };

describe("a call whose card ended without an answer", () => {
  it("[L-83] is found by its place among what may be asked again", () => {
    const again = [{ hold: "h9", entry: 2, index: 1, status: "expired" }];
    const view = makeView({ plugins: { holds: { cards: [], again } } });
    const at = (entry: number, index: number) => {
      const { result } = done({ entry, index, outcome: "blocked", code: "expired" });
      return result && askableAgain(view, result);
    };
    expect([at(2, 1), at(2, 0), at(3, 1)]).toEqual(["h9", undefined, undefined]);
    const { result } = done({ entry: 2, index: 1 });
    expect(result && askableAgain(makeView(), result)).toBeUndefined();
  });
});

describe("edited arguments", () => {
  it("[L-80] are JSON, or a sentence says that they are not", () => {
    expect(readInput('{"a":[1]}')).toEqual({ ok: true, value: { a: [1] } });
    expect(readInput("{")).toMatchObject({ ok: false, error: expect.stringContaining("not JSON yet") });
  });
});

describe("tool rows", () => {
  it("[L-22] every outcome has words of its own", () => {
    const outcomes: readonly ToolOutcome[] = ["ok", "error", "blocked", "stopped", "unknown", "pending"];
    const words = outcomes.map((outcome) => describeTool(done({ outcome })).words);
    expect(words).toEqual([
      "",
      "failed",
      "not allowed, it did not run",
      "stopped before it ran",
      "outcome unknown",
      "still waiting for a decision",
    ]);
    expect(new Set(words).size).toBe(outcomes.length);
  });

  it("[L-22] says who decided, and how long it took", () => {
    expect(describeTool(done({ outcome: "ok", ms: 250, decidedBy: "Ada" }))).toEqual({
      tone: "ok",
      words: "approved by Ada",
      ms: 250,
    });
    expect(describeTool(done({ outcome: "blocked", code: "declined", decidedBy: "Ada" })).words).toBe(
      "declined by Ada",
    );
    expect(describeTool(done({ outcome: "blocked", code: "expired" })).words).toBe("expired, it did not run");
  });

  it("[L-22] an unknown outcome is explained, others are not", () => {
    expect(explainTool(done({ outcome: "unknown" }))).toMatch(/may or may not have taken effect/);
    expect(explainTool(done({ outcome: "error", code: "unknown_outcome" }))).toMatch(/may or may not/);
    expect(explainTool(done({ outcome: "ok" }))).toBeUndefined();
    expect(explainTool(running({}))).toBeUndefined();
  });

  it("[L-26] a call that is not done says what it waits for", () => {
    expect(describeTool(running({ startedAt: 5 }))).toEqual({ tone: "running", words: "running", since: 5 });
    expect(describeTool(running({ status: "waiting", waitingOn: "holds" })).words).toBe("waiting for a decision");
    expect(describeTool(running({ status: "waiting", waitingOn: "other" })).words).toBe("waiting");
    expect(describeTool(running({ status: "pending" })).words).toBe("about to start");
    expect(describeTool({ name: "t", args: "{}" }).words).toBe("not started");
  });

  it("[L-22] input is shown for reading, also when it is not JSON", () => {
    expect(prettyArgs('{"a":1}')).toBe('{\n  "a": 1\n}');
    expect(prettyArgs("{broken")).toBe("{broken");
    expect(previewArgs('{"zone":"Asia/Tokyo","deep":{"a":[1]}}')).toBe('Asia/Tokyo, {"a":[1]}');
    expect(previewArgs("{broken")).toBe("{broken");
    expect(previewArgs("null")).toBe("null");
    expect(previewArgs(JSON.stringify({ a: "😀".repeat(100) })).length).toBeLessThanOrEqual(80);
  });
});

describe("cards", () => {
  it("[L-34] a cut value must be seen whole before Approve; declining needs no such thing", () => {
    const card = makeCard({ args: [{ name: "target", value: '"build"' }, cut], truncated: true });
    expect(approveReadiness(card, fresh)).toEqual({
      can: false,
      why: "unseen",
      words: "View body in full before you approve.",
    });
    expect(canDecline(card, fresh)).toBe(true);
    expect(approveReadiness(card, { ...fresh, seen: new Set(["body"]) })).toEqual({ can: true });
    expect(approveReadiness(card, { ...fresh, seen: new Set(["target"]) }).can).toBe(false);
  });

  it("[L-35] while a decision is on its way, and after it, nothing more can be decided", () => {
    expect(approveReadiness(makeCard(), { ...fresh, isSending: true })).toMatchObject({ can: false, why: "sending" });
    expect(canDecline(makeCard(), { ...fresh, isSending: true })).toBe(false);
    const ends: readonly HoldStatus[] = ["approved", "declined", "expired", "cancelled", "changed", "unavailable"];
    for (const status of ends) {
      const card = makeCard({ status, decision: { by: "Ada", at: NOW } });
      expect(approveReadiness(card, fresh)).toMatchObject({ can: false, why: "decided" });
      expect(canDecline(card, fresh)).toBe(false);
    }
    const words = ends.map((status) => describeEnd(makeCard({ status, decision: { by: "Ada", at: NOW } })));
    expect(new Set(words).size).toBe(ends.length);
    expect(words[0]).toBe("Approved by Ada.");
    expect(describeEnd(makeCard({ status: "declined" }))).toBe("Declined. It did not run.");
  });

  it("[L-86] a card gets a day more at a time, and seven from when it was asked in all", () => {
    const day = 24 * 3_600_000;
    expect(laterDeadline({ askedAt: NOW, deadline: NOW + day })).toBe(NOW + 2 * day);
    expect(laterDeadline({ askedAt: NOW, deadline: NOW + 6.5 * day })).toBe(NOW + 7 * day);
    expect(laterDeadline({ askedAt: NOW, deadline: NOW + 7 * day })).toBeUndefined();
  });

  it("[L-84] a card that its tool took back says so, one that was stopped does not", () => {
    expect(describeEnd(makeCard({ status: "cancelled", withdrawn: true }))).toMatch(/^Withdrawn .* It did not run\.$/);
    expect(describeEnd(makeCard({ status: "cancelled" }))).toBe("Cancelled. It did not run.");
  });

  it("[L-38] past the deadline there is nothing to decide", () => {
    const card = makeCard({ deadline: NOW + 10 });
    expect(approveReadiness(card, { ...fresh, nowMs: NOW + 9 })).toEqual({ can: true });
    expect(approveReadiness(card, { ...fresh, nowMs: NOW + 10 })).toMatchObject({ can: false, why: "expired" });
    expect(canDecline(card, { ...fresh, nowMs: NOW + 10 })).toBe(false);
  });
});
