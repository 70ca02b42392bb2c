import { env } from "cloudflare:test";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  buryConversation,
  listConversations,
  mirrorConversation,
  type RegistryRow,
  readConversation,
} from "../../src/store/conversations.ts";
import { openDatabase } from "../../src/store/database.ts";
import { fresh } from "../kit/directory.ts";

const db = openDatabase(env.DB);

function row(facts: Partial<RegistryRow> = {}): RegistryRow {
  const id = facts.id ?? crypto.randomUUID();
  return {
    key: `web:${id}`,
    id,
    owner: "p_ada",
    title: "First words",
    createdAt: 1,
    updatedAt: 1,
    state: "idle",
    usage: { input: 1 },
    rev: 1,
    visibility: "private",
    ...facts,
  };
}

async function listAll(owner: string, limit: number): Promise<string[]> {
  const keys: string[] = [];
  let after: { updatedAt: number; key: string } | undefined;
  while (keys.length < 100) {
    const page = await listConversations(db, [owner], { surface: "web", limit, after });
    keys.push(...page.map(({ key }) => key));
    after = page.at(-1);
    if (page.length < limit) return keys;
  }
  throw new Error("the list does not end");
}

describe("the registry's mirror", () => {
  it("[U-9] the same row twice changes nothing", async () => {
    const first = row();
    await mirrorConversation(db, first);
    await mirrorConversation(db, first);
    expect(await readConversation(db, first.key)).toEqual({ ...first, deletedAt: null });
  });

  it("[U-9] the newest revision wins in whatever order the rows arrive", async () => {
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray([1, 2, 3, 4, 5], { minLength: 1 }), async (revs) => {
        const id = crypto.randomUUID();
        for (const rev of revs) await mirrorConversation(db, row({ id, rev, title: `at ${rev}`, updatedAt: rev }));
        const newest = Math.max(...revs);
        expect(await readConversation(db, `web:${id}`)).toMatchObject({ rev: newest, title: `at ${newest}` });
      }),
      { numRuns: 20 },
    );
  });

  it("[U-9] the owner and the time of birth never change", async () => {
    const first = row();
    await mirrorConversation(db, first);
    await mirrorConversation(db, { ...first, rev: 2, owner: "p_eve", createdAt: 9, title: "Mine now" });
    expect(await readConversation(db, first.key)).toMatchObject({ owner: "p_ada", createdAt: 1, title: "Mine now" });
  });

  it("[U-9] an update costs at most three written rows", async () => {
    const first = row({ owner: fresh("p") });
    await mirrorConversation(db, first);
    const sql = "update conversations set updated_at = ?, rev = 2, title = 'x', state = 'running' where key = ?";
    const { meta } = await env.DB.prepare(sql).bind(2, first.key).run();
    expect(meta.rows_written).toBeLessThanOrEqual(3);
  });

  it("[U-10] a late row does not bring a deleted conversation back", async () => {
    const first = row({ owner: fresh("p") });
    await mirrorConversation(db, first);
    await buryConversation(db, first, 5);
    await mirrorConversation(db, { ...first, rev: 9, title: "Back" });
    expect(await readConversation(db, first.key)).toMatchObject({ title: "", usage: {}, deletedAt: 5 });
    expect(await listAll(first.owner, 10)).toEqual([]);
  });

  it("[U-10] a conversation deleted before its first row came stays out of the list", async () => {
    const late = row({ owner: fresh("p") });
    await buryConversation(db, late, 5);
    await mirrorConversation(db, late);
    expect(await listAll(late.owner, 10)).toEqual([]);
  });

  it("[U-10] deleting twice keeps the first time", async () => {
    const first = row();
    await buryConversation(db, first, 5);
    await buryConversation(db, first, 6);
    expect(await readConversation(db, first.key)).toMatchObject({ deletedAt: 5 });
  });
});

describe("the members in the mirror", () => {
  const membersOf = async (key: string) => {
    const { results } = await env.DB.prepare("select principal_id from conversation_members where key = ? order by 1")
      .bind(key)
      .all<{ principal_id: string }>();
    return results.map(({ principal_id }) => principal_id);
  };

  it("[J-26] are those of the newest revision in whatever order and how often rows arrive", async () => {
    const [revs, byRev] = [
      [1, 2, 3, 4],
      [[], ["a"], ["a", "b"], ["b", "c"], ["c"]],
    ];
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...revs), { minLength: 1, maxLength: 6 }), async (order) => {
        const shared = row({ visibility: "shared" });
        for (const rev of order) await mirrorConversation(db, { ...shared, rev }, byRev[rev]);
        expect(await membersOf(shared.key)).toEqual(byRev[Math.max(...order)]);
      }),
      { numRuns: 20 },
    );
  });

  it("[J-26] are gone with a deleted conversation, also when a row comes late; visibility never changes", async () => {
    const shared = row({ visibility: "shared" });
    await mirrorConversation(db, shared, ["a"]);
    await mirrorConversation(db, { ...shared, rev: 2, visibility: "private" });
    expect(await readConversation(db, shared.key)).toMatchObject({ visibility: "shared", rev: 2 });
    await buryConversation(db, shared, 5);
    expect(await membersOf(shared.key)).toEqual([]);
    await mirrorConversation(db, { ...shared, rev: 9 }, ["a"]);
    expect(await membersOf(shared.key)).toEqual([]);
  });
});

describe("the list", () => {
  it("[U-11] shows only one's own, newest activity first", async () => {
    const owner = fresh("p");
    const [old, recent] = [row({ owner, updatedAt: 1 }), row({ owner, updatedAt: 2 })];
    for (const each of [old, recent, row({ owner: fresh("p") })]) await mirrorConversation(db, each);
    expect(await listAll(owner, 10)).toEqual([recent.key, old.key]);
  });

  it("[U-11] holds conversations of the asked surface alone", async () => {
    const owner = fresh("p");
    const web = row({ owner });
    await mirrorConversation(db, web);
    await mirrorConversation(db, row({ owner, key: fresh("subagent:") }));
    expect(await listAll(owner, 10)).toEqual([web.key]);
  });

  it.each([1, 2, 3, 7])("[U-11] pages of %i neither repeat nor leave out a row of one instant", async (limit) => {
    const owner = fresh("p");
    const rows = Array.from({ length: 7 }, (_, i) => row({ owner, updatedAt: i < 5 ? 1 : 2 }));
    for (const each of rows) await mirrorConversation(db, each);
    const listed = await listAll(owner, limit);
    expect(listed).toHaveLength(7);
    expect(new Set(listed)).toEqual(new Set(rows.map(({ key }) => key)));
  });
});
