import { describe, expect, it } from "vitest";
import { countDecline, type Declines, isDeclinedOut, NO_DECLINES } from "../../../src/holds/record/declines.ts";

describe("declines", () => {
  it("[H-44] two of one tool in one turn are enough, one is not", () => {
    const one = countDecline(NO_DECLINES, 5, "send_webhook");
    expect(isDeclinedOut(one, 5, "send_webhook")).toBe(false);
    expect(isDeclinedOut(countDecline(one, 5, "send_webhook"), 5, "send_webhook")).toBe(true);
  });

  it("[H-44] another tool is not affected", () => {
    const two = countDecline(countDecline(NO_DECLINES, 5, "a"), 5, "b");
    expect([isDeclinedOut(two, 5, "a"), isDeclinedOut(two, 5, "b")]).toEqual([false, false]);
    const out = countDecline(two, 5, "a");
    expect([isDeclinedOut(out, 5, "a"), isDeclinedOut(out, 5, "b")]).toEqual([true, false]);
  });

  it("[H-44] another turn starts afresh, and only the newest is kept", () => {
    const two = countDecline(countDecline(NO_DECLINES, 5, "a"), 5, "a");
    expect(isDeclinedOut(two, 6, "a")).toBe(false);
    expect(countDecline(two, 6, "b")).toEqual({ turn: 6, byTool: { b: 1 } });
  });

  it.each(["__proto__", "constructor", "toString"])("[H-44] counts a tool named %s like any other", (tool) => {
    expect(isDeclinedOut(NO_DECLINES, 5, tool)).toBe(false);
    const two = countDecline(countDecline(NO_DECLINES, 5, tool), 5, tool);
    expect(isDeclinedOut(JSON.parse(JSON.stringify(two)) as Declines, 5, tool)).toBe(true);
  });
});
