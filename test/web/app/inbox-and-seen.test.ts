import { describe, expect, it } from "vitest";
import { err, ok } from "../../../src/lib/result.ts";
import { Inbox } from "../../../web/src/app/inbox.ts";
import { Seen } from "../../../web/src/app/seen.ts";
import type { Refused, Reply, Rest } from "../../../web/src/net/rest.ts";
import { spendingWords } from "../../../web/src/state/spending-words.ts";

const AWAY: Refused = { status: undefined, code: "unreachable", message: "" };
const notice = (id: string, read: boolean) => ({ id, at: 1, text: id, link: null, read });

describe("the inbox", () => {
  it("[L-101] counts what is unread, marks it as read, and stays as it was while the server is away", async () => {
    const asked: (readonly string[])[] = [];
    let isAway = false;
    const rest: Pick<Rest, "notices" | "readNotices"> = {
      notices: () => Promise.resolve(isAway ? err(AWAY) : ok({ notices: [notice("a", false), notice("b", true)] })),
      readNotices: (ids): Reply<unknown> => {
        asked.push(ids);
        return Promise.resolve(isAway ? err(AWAY) : ok({}));
      },
    };
    const inbox = new Inbox(rest);
    await inbox.refresh();
    expect(inbox.unread.value).toBe(1);
    isAway = true;
    await inbox.refresh();
    await inbox.markRead();
    expect(inbox.unread.value).toBe(1);
    isAway = false;
    await inbox.markRead();
    await inbox.markRead();
    expect([inbox.unread.value, asked]).toEqual([0, [["a"], ["a"]]]);
  });
});

describe("what was seen", () => {
  function begin() {
    const told: string[] = [];
    const marked: string[] = [];
    const timers: (() => void)[] = [];
    const world = { isAway: false };
    const seen = new Seen({
      rest: {
        seen(id, rev): Reply<unknown> {
          told.push(`${id} ${rev}`);
          return Promise.resolve(world.isAway ? err(AWAY) : ok({}));
        },
      },
      after: (_ms, call) => {
        timers.push(call);
        return () => undefined;
      },
      onTold: (id) => marked.push(id),
    });
    const pass = async () => {
      for (const timer of timers.splice(0)) timer();
      await new Promise((resolve) => setTimeout(resolve, 0));
    };
    return { seen, told, marked, world, pass };
  }

  it("[L-100] is told once, the newest revision of each conversation, after a pause", async () => {
    const { seen, told, marked, pass } = begin();
    for (const rev of [1, 2, 3]) seen.see("a", rev);
    seen.see("b", 7);
    expect(told).toEqual([]);
    await pass();
    expect([told, marked]).toEqual([
      ["a 3", "b 7"],
      ["a", "b"],
    ]);
    seen.see("a", 3);
    seen.see("a", 2);
    await pass();
    expect(told).toHaveLength(2);
  });

  it("[L-100] is told with the next that is seen when the server was away", async () => {
    const { seen, told, marked, world, pass } = begin();
    world.isAway = true;
    seen.see("a", 3);
    await pass();
    expect(marked).toEqual([]);
    world.isAway = false;
    seen.see("b", 1);
    await pass();
    expect([told, marked]).toEqual([
      ["a 3", "a 3", "b 1"],
      ["a", "b"],
    ]);
  });
});

describe("what was spent", () => {
  it("[L-102] stands in one line, with the cap where there is one", () => {
    const spent = { today: 120_000, month: 1_400_000 };
    expect(spendingWords("You", { ...spent, caps: { perDay: 5_000_000, perMonth: null } })).toBe(
      "You: $0.12 of $5.00 today, $1.40 this month",
    );
    expect(spendingWords("You", { today: 1_200, month: 0, caps: { perDay: null, perMonth: null } })).toBe(
      "You: $0.0012 today, $0.00 this month",
    );
  });
});
