import { describe, expect, it } from "vitest";
import { eventsBetween } from "../../../src/holds/audit/events-between.ts";
import { decideHold } from "../../../src/holds/record/decide-hold.ts";
import { spendHold } from "../../../src/holds/record/spend.ts";
import { ANNA, BERT, HOUR, makeApproved, makeHold, T0 } from "../make.ts";

const open = makeHold();

describe("eventsBetween", () => {
  it("[H-90] has a word for every way in which a hold goes on", () => {
    const after = (command: Parameters<typeof decideHold>[1], now = T0 + 1) => decideHold(open, command, now).next;
    const approve = { kind: "approve", by: ANNA, digest: open.digest } as const;
    const words = [
      eventsBetween(undefined, open),
      eventsBetween(open, after(approve)),
      eventsBetween(open, after({ ...approve, kind: "decline" })),
      eventsBetween(open, after({ kind: "expire" }, open.deadline)),
      eventsBetween(open, after({ kind: "cancel" })),
      eventsBetween(open, after({ kind: "supersede" })),
      eventsBetween(open, after({ kind: "drift", changes: ["input"] })),
      eventsBetween(open, after({ kind: "unavailable", reason: "nobody" })),
      eventsBetween(open, after({ kind: "release", task: 99 })),
      eventsBetween(open, after({ kind: "remind" }, open.deadline - HOUR)),
    ];
    expect(words).toEqual([
      ["opened"],
      ["approved"],
      ["declined"],
      ["expired"],
      ["cancelled"],
      ["cancelled"],
      ["changed"],
      ["unavailable"],
      ["released"],
      ["reminded"],
    ]);
    const approved = makeApproved();
    const spent = spendHold(approved, { task: approved.task, digest: approved.digest }, T0 + 2);
    if (!spent.ok) throw new Error(spent.error);
    expect(eventsBetween(approved, spent.value)).toEqual(["spent"]);
  });

  it("[H-90] says nothing of what stayed, and amended of a difference that has no word", () => {
    expect(eventsBetween(open, structuredClone(open))).toEqual([]);
    for (const [key, value] of Object.entries(open)) {
      const other = {
        ...open,
        [key]: typeof value === "number" ? value + 1 : `${JSON.stringify(value)}x`,
      } as typeof open;
      expect(eventsBetween(open, other).length, key).toBeGreaterThan(0);
    }
    expect(eventsBetween(open, { ...open, deadline: open.deadline - 1 })).toEqual(["amended"]);
  });

  it("[H-90] says that a card was extended, handed over or asked again", () => {
    const later = { ...open, deadline: open.deadline + 1, remindedAt: null };
    expect(eventsBetween(open, later)).toEqual(["extended"]);
    expect(eventsBetween(open, { ...open, askedOf: BERT })).toEqual(["handed_over"]);
    expect(eventsBetween({ ...open, askedOf: BERT }, { ...open, askedOf: ANNA })).toEqual(["handed_over"]);
    expect(eventsBetween(open, { ...open, askedAgainAt: T0 })).toEqual(["asked_again"]);
  });

  it("[H-90] says once that a call is listed, however often the list is shown", () => {
    const listed = (number: number) => ({ ...open, unshown: { listed: { reply: `r${number}`, number, at: number } } });
    expect(eventsBetween({ ...open, unshown: { listed: null } }, listed(1))).toEqual(["amended"]);
    expect(eventsBetween(listed(1), listed(2))).toEqual([]);
    expect(eventsBetween(listed(1), { ...listed(2), askedOf: BERT })).toEqual(["handed_over"]);
  });
});
