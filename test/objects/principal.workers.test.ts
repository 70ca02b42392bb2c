import { env, evictDurableObject, runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { MAX_NOTICES } from "../../src/objects/principal/principal-notices.ts";
import { principalOf } from "../../src/objects/principal/principal-rpc.ts";
import { MAX_SEEN } from "../../src/objects/principal/principal-seen.ts";

/** Somebody's own object, whom nothing has happened to. */
function somebody() {
  const id = `p_${crypto.randomUUID().replaceAll("-", "")}`;
  const object = env.PRINCIPAL.getByName(id);
  return { id, object, rpc: () => principalOf(env, id) };
}

const notice = (id: string, at = 1, text = `Notice ${id}`) => ({ id, at, text, link: null });

describe("a person's notices", () => {
  it("[J-40] come newest first, each once under its id, and outlive the object", async () => {
    const { object, rpc } = somebody();
    await rpc().notify(notice("a", 1));
    await rpc().notify({ ...notice("b", 2), link: "/chat/x" });
    await rpc().notify(notice("a", 9, "Something else"));
    await evictDurableObject(object);
    expect(await rpc().notices()).toEqual([
      { id: "b", at: 2, text: "Notice b", link: "/chat/x", read: false },
      { id: "a", at: 1, text: "Notice a", link: null, read: false },
    ]);
  });

  it("[J-41] are marked as read by id; ids that name none are passed over", async () => {
    const { rpc } = somebody();
    for (const id of ["a", "b", "c"]) await rpc().notify(notice(id));
    await rpc().markRead(["a", "c", "nobody's"]);
    const read = (await rpc().notices()).filter((one) => one.read).map(({ id }) => id);
    expect(read.sort()).toEqual(["a", "c"]);
  });

  it("[J-42] are 200 at most: for one more a read one goes, else the oldest", async () => {
    const { rpc } = somebody();
    for (let nth = 1; nth <= MAX_NOTICES; nth++) await rpc().notify(notice(`${nth}`, nth));
    expect(await rpc().notices()).toHaveLength(MAX_NOTICES);
    await rpc().markRead(["150"]);
    await rpc().notify(notice("first", 1_000));
    const ids = (await rpc().notices()).map(({ id }) => id);
    expect([ids.length, ids.includes("150"), ids.includes("1")]).toEqual([MAX_NOTICES, false, true]);
    await rpc().notify(notice("second", 1_001));
    const later = (await rpc().notices()).map(({ id }) => id);
    expect([later.length, later.includes("1"), later.includes("2")]).toEqual([MAX_NOTICES, false, true]);
  });

  it("[J-43] show the words of others escaped, and cut", async () => {
    const { rpc } = somebody();
    await rpc().notify(notice("a", 1, `pay\u202eyap ${"x".repeat(600)}`));
    const [shown] = await rpc().notices();
    expect(shown?.text.startsWith("pay\\u{202e}yap xxx")).toBe(true);
    expect(shown?.text.length).toBeLessThanOrEqual(500);
  });
});

describe("what a person has seen", () => {
  it("[V-66] is the highest revision of each conversation, and outlives the object", async () => {
    const { object, rpc } = somebody();
    await rpc().see("web:a", 5);
    await rpc().see("web:a", 3);
    await rpc().see("web:b", 1);
    await evictDurableObject(object);
    expect(await rpc().seen()).toEqual({ "web:a": 5, "web:b": 1 });
  });

  it("[V-67] is kept for 500 conversations; for one more the one that was seen longest ago goes", async () => {
    const { object, rpc } = somebody();
    await rpc().see("web:first", 1);
    await runInDurableObject(object, (_, { storage }) => {
      for (let nth = 1; nth < MAX_SEEN; nth++) {
        storage.sql.exec("INSERT INTO seen (conversation, rev, at) VALUES (?, 1, ?)", `web:${nth}`, nth);
      }
    });
    expect(Object.keys(await rpc().seen())).toHaveLength(MAX_SEEN);
    await rpc().see("web:more", 1);
    const seen = await rpc().seen();
    expect([Object.keys(seen).length, "web:1" in seen, "web:2" in seen, "web:first" in seen]).toEqual([
      MAX_SEEN,
      false,
      true,
      true,
    ]);
  });
});
