import { env } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { listShape, membersShape, ownersShape } from "../../src/routes/shapes.ts";
import { mirrorConversation, readConversation } from "../../src/store/conversations.ts";
import { LOCAL, makeEdge, type Visitor } from "../kit/edge.ts";

const edge = makeEdge(env);
const API = `${LOCAL}/api/v1/conversations`;

const call = (as: Visitor, path: string, method = "GET", json?: unknown) =>
  edge.fetch(`${API}${path}`, { as, method, ...(json === undefined ? {} : { json }) });

async function open(owner: Visitor) {
  const id = crypto.randomUUID();
  expect((await call(owner, "", "POST", { id, visibility: "shared" })).status).toBe(201);
  return id;
}

describe("shared conversations over REST", () => {
  it("[V-40] one is created by an owner and nobody else; the body takes nothing else", async () => {
    const owner = await edge.visitor("owner");
    const id = await open(owner);
    expect((await call(owner, "", "POST", { id, visibility: "shared" })).status).toBe(200);
    const other = { id: crypto.randomUUID(), visibility: "shared" };
    expect((await call(await edge.visitor("admin"), "", "POST", other)).status).toBe(403);
    const typo = await call(owner, "", "POST", { id, visibilty: "shared" });
    expect([typo.status, await typo.text()]).toEqual([400, expect.stringContaining("visibility")]);
    expect((await call(owner, "", "POST", { id, visibility: "public" })).status).toBe(400);
  });

  it("[V-40] [J-26] the list tells which is which, and has those that one is in, in pages that leave out none", async () => {
    const [owner, member] = [await edge.visitor("owner"), await edge.visitor()];
    const line = { createdAt: 1, title: "T", state: "idle", usage: {}, rev: 1 } as const;
    const ids: string[] = [];
    for (let n = 0; n < 7; n++) {
      const id = crypto.randomUUID();
      const visibility = n % 2 === 0 ? "shared" : "private";
      const row = {
        ...line,
        id,
        key: `web:${id}`,
        owner: member.caller.principalId,
        updatedAt: n < 5 ? 1 : 2,
        visibility,
      } as const;
      await mirrorConversation(edge.db, row, [member.caller.principalId]);
      ids.push(id);
    }
    const elsewhere = { ...line, id: crypto.randomUUID(), updatedAt: 9, owner: member.caller.principalId };
    await mirrorConversation(edge.db, { ...elsewhere, key: `web:${elsewhere.id}`, visibility: "shared" }, [
      owner.caller.principalId,
    ]);
    const seen: string[] = [];
    let query = "?limit=2";
    for (let page = 0; page < 5 && query !== ""; page++) {
      const { conversations, next } = listShape.parse(await (await call(member, query)).json());
      seen.push(...conversations.map(({ id, visibility }) => `${visibility} ${id}`));
      query = next === undefined ? "" : `?limit=2&before=${encodeURIComponent(next)}`;
    }
    expect(seen.toSorted()).toEqual(ids.map((id, n) => `${n % 2 === 0 ? "shared" : "private"} ${id}`).toSorted());
    expect(seen).toHaveLength(7);
  });

  it("[V-41] members are listed by name, taken in and out", async () => {
    const [owner, member] = [await edge.visitor("owner"), await edge.visitor()];
    const id = await open(owner);
    const person = member.caller.principalId;
    expect((await call(member, `/${id}/members`)).status).toBe(404);
    expect((await call(owner, `/${id}/members`, "POST", { person })).status).toBe(204);
    await edge.env.DB.prepare("update principals set name = 'Bob' where id = ?").bind(person).run();
    const { members } = membersShape.parse(await (await call(member, `/${id}/members`)).json());
    expect(members.map(({ id: who, name }) => [who, name])).toEqual([
      [owner.caller.principalId, "Ada"],
      [person, "Bob"],
    ]);
    expect((await call(member, `/${id}/members/${owner.caller.principalId}/remove`, "POST", {})).status).toBe(403);
    expect((await call(member, `/${id}/members/${person}/remove`, "POST", {})).status).toBe(204);
    expect((await call(member, `/${id}/members`)).status).toBe(404);
  });

  it("[H-101] owners are listed by name for whoever is in it, and for nobody else", async () => {
    const [owner, member] = [await edge.visitor("owner"), await edge.visitor()];
    const id = await open(owner);
    expect((await call(member, `/${id}/owners`)).status).toBe(404);
    await call(owner, `/${id}/members`, "POST", { person: member.caller.principalId });
    const { owners } = ownersShape.parse(await (await call(member, `/${id}/owners`)).json());
    expect(owners).toContainEqual({ id: owner.caller.principalId, name: "Ada" });
    expect(owners.map(({ id: who }) => who)).not.toContain(member.caller.principalId);
  });

  it("[V-41] whoever the directory does not know any more is listed all the same", async () => {
    const owner = await edge.visitor("owner");
    const id = await open(owner);
    await call(owner, `/${id}/members`, "POST", { person: "p_erased" });
    const { members } = membersShape.parse(await (await call(owner, `/${id}/members`)).json());
    expect(members.at(-1)).toMatchObject({ id: "p_erased", name: "Somebody who is gone" });
  });

  it("[V-42] a deletion that died half-way is finished by any owner, and by no member", async () => {
    const [owner, other, member] = await Promise.all([
      edge.visitor("owner"),
      edge.visitor("owner"),
      edge.visitor("member"),
    ]);
    const id = await open(owner);
    const row = { id, key: `web:${id}`, owner: member.caller.principalId, title: "Plan", createdAt: 1, updatedAt: 1 };
    const members = [owner, member].map(({ caller }) => caller.principalId);
    await mirrorConversation(edge.db, { ...row, visibility: "shared", state: "idle", usage: {}, rev: 1 }, members);
    edge.conversations.getByName(row.key).wipe();
    expect((await call(member, `/${id}`, "DELETE")).status).toBe(404);
    expect((await readConversation(edge.db, row.key))?.deletedAt).toBeNull();
    expect((await call(other, `/${id}`, "DELETE")).status).toBe(204);
    expect((await readConversation(edge.db, row.key))?.deletedAt).toBe(edge.clock.now());
    const { results } = await env.DB.prepare("select * from conversation_members where key = ?").bind(row.key).all();
    expect(results).toEqual([]);
  });
});
