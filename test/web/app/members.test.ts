import { describe, expect, it } from "vitest";
import { err, ok } from "../../../src/lib/result.ts";
import type { Person } from "../../../src/protocol/people.ts";
import { Members } from "../../../web/src/app/members.ts";
import type { Refused, Rest } from "../../../web/src/net/rest.ts";

const FULL: Refused = { status: 413, code: "too_large", message: "This conversation has 50 members, the limit is 50." };
const person = (id: string, more: Partial<Person> = {}): Person => ({
  id,
  name: id,
  tier: "member",
  createdAt: 1,
  stale: false,
  identities: [],
  ...more,
});

function makeMembers(rest: Partial<Rest>) {
  const inside = [{ id: "p_a", name: "Ada", addedBy: "p_a", addedAt: 1 }];
  const members = () => Promise.resolve(ok({ members: inside }));
  return new Members("c1", { members, ...rest } as Rest);
}

describe("the members of a shared conversation", () => {
  it("[L-72] whoever is not in it and could be is to choose from, page by page", async () => {
    const pages = [
      { people: [person("p_a"), person("p_b"), person("p_guest", { tier: "guest" })], next: "p_guest" },
      { people: [person("p_off", { disabledAt: 1 }), person("p_c", { tier: "owner" })] },
    ];
    const asked: (string | undefined)[] = [];
    const members = makeMembers({
      people: (before) => {
        asked.push(before);
        return Promise.resolve(ok(pages[asked.length - 1] ?? { people: [] }));
      },
    });
    await members.read();
    await members.readPeople();
    expect(members.candidates.map(({ id }) => id)).toEqual(["p_b"]);
    await members.readPeople();
    expect(members.candidates.map(({ id }) => id)).toEqual(["p_b", "p_c"]);
    expect([asked, members.next.value]).toEqual([[undefined, "p_guest"], undefined]);
  });

  it("[L-72] a refusal is in the server's words, and gone when the next thing works", async () => {
    let isFull = true;
    const members = makeMembers({
      addMember: () => Promise.resolve(isFull ? err(FULL) : ok({})),
      removeMember: () => Promise.resolve(err({ ...FULL, message: "Not now." })),
    });
    await members.add("p_b");
    expect(members.problem.value).toBe(FULL.message);
    expect(await members.remove("p_a")).toBe(false);
    expect(members.problem.value).toBe("Not now.");
    isFull = false;
    await members.add("p_b");
    expect(members.problem.value).toBeUndefined();
  });
});
