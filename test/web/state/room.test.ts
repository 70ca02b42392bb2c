import { describe, expect, it } from "vitest";
import { describeMembers, isOwn, mayRule, mayTakeBack, roomOf } from "../../../web/src/state/room.ts";
import { makeView } from "./sample-view.ts";

const shared = makeView({ plugins: { room: { members: ["p_a", "p_b"] } } });
const own = makeView();
const viewer = (id: string | undefined, tier: string | undefined) => ({ id, tier });

describe("a shared conversation on the page", () => {
  it("[L-71] is told from a private one by its view, with its members counted in words", () => {
    expect(roomOf(own)).toBeUndefined();
    expect(roomOf(undefined)).toBeUndefined();
    expect(describeMembers(roomOf(shared) ?? { members: [] })).toBe("2 members");
    expect(describeMembers({ members: ["p_a"] })).toBe("1 member");
  });

  it("[L-74] is changed by owners, a private one by whoever sees it", () => {
    expect(["owner", "admin", "member", undefined].map((tier) => mayRule(shared, viewer("p_a", tier)))).toEqual([
      true,
      false,
      false,
      false,
    ]);
    expect(mayRule(own, viewer("p_a", "member"))).toBe(true);
    expect(mayRule(undefined, viewer(undefined, undefined))).toBe(true);
  });

  it("[L-74] what somebody said is stopped and taken back by them and by owners", () => {
    expect(mayTakeBack(shared, viewer("p_a", "member"), "p_a")).toBe(true);
    expect(mayTakeBack(shared, viewer("p_a", "admin"), "p_b")).toBe(false);
    expect(mayTakeBack(shared, viewer("p_a", "owner"), "p_b")).toBe(true);
    expect(mayTakeBack(own, viewer("p_a", "member"), "p_b")).toBe(true);
  });

  it("[L-163] what a former said is the survivor's own, and nobody else's", () => {
    const survivor = { ...viewer("p_a", "member"), formerly: ["p_b"] };
    expect(["p_a", "p_b", "p_c", ""].map((actor) => isOwn(survivor, actor))).toEqual([true, true, false, false]);
    expect(mayTakeBack(shared, survivor, "p_b")).toBe(true);
    expect(mayTakeBack(shared, survivor, "p_c")).toBe(false);
    expect(isOwn(undefined, "p_a")).toBe(false);
  });
});
