import { describe, expect, it } from "vitest";
import { comingIn, isIn, type RoomState, withMerged, withoutMembers } from "../../src/objects/room/room-state.ts";

const how = (addedBy: string, addedAt: number) => ({ addedBy, addedAt });
const both: RoomState = { members: { p_olga: how("p_olga", 1), p_ada: how("p_olga", 3), p_bob: how("p_olga", 2) } };

describe("two members who become one", () => {
  it("[J-74] are one line, of the survivor as they came, or of whoever of the two was there", () => {
    const one = withMerged(both, "p_bob", "p_ada");
    expect(one.members).toEqual({
      p_olga: how("p_olga", 1),
      p_ada: { ...how("p_olga", 3), formerly: ["p_bob"] },
    });
    expect(withMerged(one, "p_bob", "p_ada")).toBe(one);
    const alone = withMerged(withoutMembers(both, ["p_ada"]), "p_bob", "p_ada");
    expect(alone.members["p_ada"]).toEqual({ ...how("p_olga", 2), formerly: ["p_bob"] });
  });

  it("[J-74] a former id is still reached there, as one of a former, and whoever comes in later brings theirs along", () => {
    const one = withMerged(both, "p_bob", "p_ada");
    const again = withMerged({ members: { ...one.members, p_cid: how("p_olga", 4) } }, "p_ada", "p_cid");
    expect(again.members["p_cid"]?.formerly).toEqual(["p_bob", "p_ada"]);
    expect(["p_cid", "p_ada", "p_bob", "p_olga", "p_eve"].map((id) => isIn(again, id))).toEqual([
      true,
      true,
      true,
      true,
      false,
    ]);
    expect(isIn(withoutMembers(again, ["p_cid"]), "p_bob")).toBe(false);
    const later = comingIn({ principalId: "p_ada", otherIds: [{ id: "p_bob", tier: "member" }] }, "p_olga", 9);
    expect(later).toEqual({ ...how("p_olga", 9), formerly: ["p_bob"] });
    expect(comingIn({ principalId: "p_ada" }, "p_olga", 9)).toEqual(how("p_olga", 9));
  });
});
