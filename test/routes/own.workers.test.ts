import { env } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { principalOf } from "../../src/objects/principal/principal-rpc.ts";
import { allSpendingShape, listShape, noticesShape, spendingShape } from "../../src/routes/shapes.ts";
import { mirrorConversation } from "../../src/store/conversations.ts";
import { Deployment } from "../kit/deployment.workers.ts";
import { LOCAL, makeEdge, type Visitor } from "../kit/edge.ts";

const API = `${LOCAL}/api/v1`;
const edge = makeEdge(env, { config: { spending: { deployment: { perDay: 3 } } } });
const post = (path: string, as: Visitor, json: unknown) => edge.fetch(`${API}${path}`, { method: "POST", as, json });

async function read(path: string, as: Visitor): Promise<unknown> {
  const response = await edge.fetch(`${API}${path}`, { as });
  expect(response.status).toBe(200);
  return await response.json();
}

const noticesOf = async (as: Visitor) => noticesShape.parse(await read("/me/notices", as));

/** Somebody spends. */
async function spend({ caller }: Visitor, micros: number): Promise<void> {
  const object = principalOf(env, caller.principalId);
  await object.reserve({ ask: { key: "web:x#1/1", micros, tier: "member" }, begins: null, debts: [] });
  await object.settle([{ key: "web:x#1/1", micros }]);
}

describe("notices over REST", () => {
  it("[V-65] are one's own, with how many are unread, and are marked as read", async () => {
    const [anna, bert] = [await edge.visitor(), await edge.visitor("owner")];
    const object = principalOf(env, anna.caller.principalId);
    await object.notify({ id: "a", at: 1, text: "First", link: null });
    await object.notify({ id: "b", at: 2, text: "Second", link: "/chat" });
    expect(await noticesOf(anna)).toMatchObject({ unread: 2, notices: [{ id: "b" }, { id: "a" }] });
    expect((await post("/me/notices/read", anna, { ids: ["a"] })).status).toBe(204);
    expect(await noticesOf(anna)).toMatchObject({ unread: 1, notices: [{ read: false }, { read: true }] });
    expect(await noticesOf(bert)).toEqual({ unread: 0, notices: [] });
    expect((await post("/me/notices/read", bert, { ids: ["b"] })).status).toBe(204);
    expect(await noticesOf(anna)).toMatchObject({ unread: 1 });
  });

  it("[V-65] 200 ids can be marked at once, not 201; an unknown key is refused", async () => {
    const anna = await edge.visitor();
    const ids = Array.from({ length: 200 }, (_, nth) => `n${nth}`);
    expect((await post("/me/notices/read", anna, { ids })).status).toBe(204);
    expect((await post("/me/notices/read", anna, { ids: [...ids, "more"] })).status).toBe(400);
    const wrong = await post("/me/notices/read", anna, { id: ["a"] });
    expect(await wrong.text()).toContain("did you mean ids?");
  });
});

describe("unread marks", () => {
  it("[V-66] a conversation is unread once more happened than one has seen; one never looked at is not marked", async () => {
    const anna = await edge.visitor();
    const key = { id: crypto.randomUUID(), owner: anna.caller.principalId, title: "Words", createdAt: 1 };
    const mirror = (rev: number) =>
      mirrorConversation(edge.db, {
        ...key,
        key: `web:${key.id}`,
        visibility: "private",
        state: "idle",
        usage: {},
        updatedAt: rev,
        rev,
      });
    const unread = async () => {
      const { conversations } = listShape.parse(await read("/conversations", anna));
      return conversations.map((one) => one.unread);
    };
    await mirror(4);
    expect(await unread()).toEqual([false]);
    expect((await post(`/conversations/${key.id}/seen`, anna, { rev: 4 })).status).toBe(204);
    expect(await unread()).toEqual([false]);
    await mirror(5);
    expect(await unread()).toEqual([true]);
    await post(`/conversations/${key.id.toUpperCase()}/seen`, anna, { rev: 5 });
    expect(await unread()).toEqual([false]);
  });

  it("[V-66] the list comes without marks while they cannot be read, and says so to the operator", async () => {
    const away = { getByName: () => ({ seen: () => Promise.reject(new Error("away")) }) };
    const broken = makeEdge(env, { bindings: { PRINCIPAL: away } });
    const anna = await broken.visitor();
    await mirrorConversation(broken.db, {
      id: crypto.randomUUID(),
      key: `web:${crypto.randomUUID()}`,
      owner: anna.caller.principalId,
      visibility: "private",
      title: "",
      createdAt: 1,
      state: "idle",
      usage: {},
      updatedAt: 1,
      rev: 1,
    });
    const response = await broken.fetch(`${API}/conversations`, { as: anna });
    expect(listShape.parse(await response.json()).conversations).toMatchObject([{ unread: false }]);
    expect(broken.logged).toMatchObject([{ event: "seen.failed" }]);
  });
});

describe("spending over REST", () => {
  it("[V-68] one's own: today, this month, set aside, and the caps of one's tier", async () => {
    Deployment.begin();
    const anna = await edge.visitor();
    await spend(anna, 120_000);
    const spending = spendingShape.parse(await read("/me/spending", anna));
    expect(spending).toMatchObject({ today: 120_000, month: 120_000, reserved: 0 });
    expect(spending.caps).toEqual({ perDay: 5_000_000, perMonth: null });
    expect(spending.day).toMatch(/^\d{4}-\d\d-\d\d$/);
  });

  it("[V-69] everybody's, for owners alone, with names and the deployment's caps", async () => {
    const { budget } = Deployment.begin();
    const own = makeEdge(env, {
      config: { spending: { deployment: { perDay: 3 } } },
      bindings: { BUDGET: { getByName: () => env.BUDGET.getByName(budget) } },
    });
    const [anna, bert, owner] = [await own.visitor(), await own.visitor("admin"), await own.visitor("owner")];
    await spend(anna, 5);
    await spend(bert, 7);
    // Told with the next lease.
    for (const { caller } of [anna, bert]) {
      const ask = { key: "web:x#2/1", micros: 2_000_000, tier: "owner" as const };
      await principalOf(env, caller.principalId).reserve({ ask, begins: null, debts: [] });
    }
    const response = await own.fetch(`${API}/spending`, { as: owner });
    const all = allSpendingShape.parse(await response.json());
    expect(all).toMatchObject({ today: 12, month: 12, caps: { perDay: 3_000_000, perMonth: null } });
    expect(all.people).toEqual([
      { principalId: bert.caller.principalId, name: "Ada", today: 7, month: 7 },
      { principalId: anna.caller.principalId, name: "Ada", today: 5, month: 5 },
    ]);
    for (const visitor of [anna, bert]) {
      expect((await own.fetch(`${API}/spending`, { as: visitor })).status).toBe(403);
    }
  });
});
