import { env } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { buryConversation } from "../../src/store/conversations.ts";
import { LOCAL, makeEdge, type Visitor } from "../kit/edge.ts";

const edge = makeEdge(env);

async function post(as: Visitor, from: string, json: unknown) {
  const response = await edge.fetch(`${LOCAL}/api/v1/conversations/${from}/fork`, { method: "POST", as, json });
  return { status: response.status, body: await response.json() };
}

describe("POST /conversations/:id/fork", () => {
  it("[F-16] asks the new object for a fork, in the caller's name, and answers its id; again, the same", async () => {
    const owner = await edge.visitor();
    const { id: from } = await edge.conversation(owner);
    const id = crypto.randomUUID();
    for (let n = 0; n < 2; n++) expect(await post(owner, from, { id, at: 7 })).toEqual({ status: 201, body: { id } });
    const { seen } = edge.conversations.getByName(`web:${id}`);
    const call = { method: "fork", caller: owner.caller, args: [`web:${id}`, { key: `web:${from}`, at: 7 }] };
    expect(seen).toEqual([call, call]);
  });

  it("[F-16] an object's refusal comes back under its own code", async () => {
    const owner = await edge.visitor();
    const { id: from } = await edge.conversation(owner);
    const id = crypto.randomUUID();
    edge.conversations.getByName(`web:${id}`).refuseNext = { code: "conflict", message: "Another one." };
    expect(await post(owner, from, { id, at: 7 })).toMatchObject({
      status: 409,
      body: { error: { code: "conflict" } },
    });
  });

  it("[F-16] [V-7] the id of a deleted conversation is not used again", async () => {
    const owner = await edge.visitor();
    const { id: from } = await edge.conversation(owner);
    const id = crypto.randomUUID();
    await buryConversation(edge.db, { key: `web:${id}`, id, owner: owner.caller.principalId }, 1);
    expect((await post(owner, from, { id, at: 7 })).status).toBe(409);
    expect((await post(await edge.visitor(), from, { id, at: 7 })).status).toBe(404);
    expect(edge.conversations.opened.get(`web:${id}`)?.seen ?? []).toEqual([]);
  });

  it("[V-2] refuses what is no UUID or no entry", async () => {
    const owner = await edge.visitor();
    const { id: from } = await edge.conversation(owner);
    for (const json of [{ id: "x", at: 1 }, { id: crypto.randomUUID(), at: 0 }, { id: crypto.randomUUID() }]) {
      expect((await post(owner, from, json)).status).toBe(400);
    }
  });
});
