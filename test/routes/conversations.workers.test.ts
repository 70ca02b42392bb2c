import { env } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { personasPlugin } from "../../src/plugins/personas/plugin.ts";
import { deleteFiles } from "../../src/routes/files/file-store.ts";
import { listShape, meShape, snapshotShape } from "../../src/routes/shapes.ts";
import { mirrorConversation, readConversation } from "../../src/store/conversations.ts";
import { LOCAL, makeEdge, type Visitor } from "../kit/edge.ts";

const edge = makeEdge(env, {
  config: {
    providers: {
      keyed: { kind: "anthropic", keyFrom: "KEYED_API_KEY", models: [{ id: "big", thinking: true, images: true }] },
      missing: { kind: "openai-chat", keyFrom: "MISSING_API_KEY", models: [{ id: "other" }] },
      local: { kind: "openai-chat", baseUrl: "http://127.0.0.1:11434/v1", models: [{ id: "small", label: "Small" }] },
    },
  },
  plugins: [personasPlugin],
  bindings: { KEYED_API_KEY: "sk-value", MISSING_API_KEY: "  " },
});
const API = `${LOCAL}/api/v1`;

async function mirror(owner: Visitor, updatedAt: number, title = "Words") {
  const id = crypto.randomUUID();
  const row = { id, key: `web:${id}`, owner: owner.caller.principalId, title, createdAt: 1, updatedAt, rev: 1 };
  await mirrorConversation(edge.db, {
    ...row,
    visibility: "private",
    state: "waiting",
    usage: { input: 5, costMicros: 7 },
  });
  return id;
}

async function list(as: Visitor, query = "") {
  const response = await edge.fetch(`${API}/conversations${query}`, { as });
  return { status: response.status, ...listShape.partial().parse(await response.json()) };
}

describe("GET /me", () => {
  it("[V-6] [L-172] tells person, models, personas and limits", async () => {
    const owner = await edge.visitor("owner");
    const response = await edge.fetch(`${API}/me`, { as: owner });
    const me = meShape.parse(await response.json());
    expect(me.principal).toEqual({ id: owner.caller.principalId, name: "Ada", tier: "owner" });
    expect(me.limits).toEqual({ textUnits: 32_000, filesPerMessage: 8, fileBytes: 10_485_760, titleUnits: 80 });
    expect(me.models.map(({ id }) => id)).toEqual(["keyed/big", "local/small", "demo/demo"]);
    expect(me.models[0]).toMatchObject({
      label: "big (keyed)",
      thinking: ["off", "low", "medium", "high"],
      images: true,
    });
    expect(me.defaultModel).toBe("keyed/big");
    expect([me.personas, me.defaultPersona]).toEqual([[{ kind: "assistant", label: "Assistant" }], "assistant"]);
  });

  it("[U-38] a blank secret counts as not set, and no value of a secret is told", async () => {
    const response = await edge.fetch(`${API}/me`, { as: await edge.visitor() });
    const text = await response.text();
    expect(text).not.toContain("missing/other");
    expect(text).not.toContain("sk-value");
  });
});

describe("creating", () => {
  it("[V-7] the client's UUID makes one conversation, however often it is sent", async () => {
    const owner = await edge.visitor();
    const id = crypto.randomUUID();
    const create = () => edge.fetch(`${API}/conversations`, { method: "POST", as: owner, json: { id } });
    const [first, second] = [await create(), await create()];
    expect([first.status, second.status]).toEqual([201, 200]);
    expect(await first.json()).toEqual({ id, created: true });
    expect(await second.json()).toEqual({ id, created: false });
  });

  it("[V-3] upper and lower case name the same conversation", async () => {
    const owner = await edge.visitor();
    const { id, object } = await edge.conversation(owner);
    const create = { method: "POST", as: owner, json: { id: id.toUpperCase() } };
    expect((await edge.fetch(`${API}/conversations`, create)).status).toBe(200);
    expect((await edge.fetch(`${API}/conversations/${id.toUpperCase()}`, { as: owner })).status).toBe(200);
    expect(object.seen.map(({ method }) => method)).toEqual(["create", "create", "snapshot"]);
  });

  it("[U-13] another person's id is not found, and stays theirs", async () => {
    const { id, object } = await edge.conversation(await edge.visitor());
    const before = object.facts;
    const thief = await edge.visitor("owner");
    const response = await edge.fetch(`${API}/conversations`, { method: "POST", as: thief, json: { id } });
    expect(response.status).toBe(404);
    expect(object.facts).toBe(before);
  });

  it("[V-3] an id that is no UUID is refused and opens nothing", async () => {
    const owner = await edge.visitor();
    const opened = edge.conversations.opened.size;
    for (const id of ["x", "../../etc", "0b8d6b0e11114222833344445555666", 7, null]) {
      const response = await edge.fetch(`${API}/conversations`, { method: "POST", as: owner, json: { id } });
      expect(response.status).toBe(400);
    }
    for (const id of ["x", "web:0b8d6b0e-1111-4222-8333-444455556666", "%2e%2e"]) {
      expect((await edge.fetch(`${API}/conversations/${id}`, { as: owner })).status).toBe(404);
    }
    expect(edge.conversations.opened.size).toBe(opened);
  });
});

describe("the list", () => {
  it("[V-8] shows one's own with state and cost, newest first", async () => {
    const owner = await edge.visitor();
    const [old, recent] = [await mirror(owner, 1), await mirror(owner, 2, "Recent")];
    await mirror(await edge.visitor(), 3);
    const { conversations } = await list(owner);
    expect(conversations?.map(({ id }) => id)).toEqual([recent, old]);
    expect(conversations?.[0]).toEqual({
      id: recent,
      visibility: "private",
      title: "Recent",
      createdAt: 1,
      updatedAt: 2,
      state: "waiting",
      usage: { input: 5, output: 0, cachedRead: 0, cachedWrite: 0, costMicros: 7 },
      unread: false,
    });
  });

  it("[V-8] pages with a cursor until there is no next", async () => {
    const owner = await edge.visitor();
    const ids = await Promise.all([1, 1, 1, 2, 2].map((at) => mirror(owner, at)));
    const seen: string[] = [];
    let query = "?limit=2";
    for (let page = 0; page < 3; page++) {
      const { conversations, next } = await list(owner, query);
      seen.push(...(conversations ?? []).map(({ id }) => id));
      expect(next === undefined).toBe(page === 2);
      query = `?limit=2&before=${encodeURIComponent(next ?? "")}`;
    }
    expect(new Set(seen)).toEqual(new Set(ids));
    expect(seen).toHaveLength(5);
  });

  it("[V-8] refuses impossible limits and cursors", async () => {
    const owner = await edge.visitor();
    const queries = ["?limit=0", "?limit=101", "?limit=1.5", "?limit=x", "?before=x", "?before=1~", "?before=-1~web:x"];
    for (const query of queries) expect((await list(owner, query)).status).toBe(400);
    for (const query of ["?limit=1", "?limit=100"]) expect((await list(owner, query)).status).toBe(200);
  });

  it("[V-8] a cursor of another person's row leads to nothing of theirs", async () => {
    const other = await edge.visitor();
    const id = await mirror(other, 5);
    const { conversations } = await list(await edge.visitor(), `?before=9~web:${id}`);
    expect(conversations).toEqual([]);
  });
});

describe("reading and changing", () => {
  it("[V-11] the snapshot is the object's", async () => {
    const owner = await edge.visitor();
    const { id } = await edge.conversation(owner);
    const response = await edge.fetch(`${API}/conversations/${id}`, { as: owner });
    expect(snapshotShape.parse(await response.json())).toMatchObject({ rev: 1, live: [] });
    expect(response.headers.get("cache-control")).toBe("no-store");
  });

  it("[V-11] entries page with before and limit", async () => {
    const owner = await edge.visitor();
    const { id, object } = await edge.conversation(owner);
    const url = `${API}/conversations/${id}/entries`;
    await edge.fetch(url, { as: owner });
    await edge.fetch(`${url}?before=9&limit=100`, { as: owner });
    await edge.fetch(`${url}/7`, { as: owner });
    expect(object.seen.slice(1).map(({ method, args }) => [method, ...args])).toEqual([
      ["entries", { limit: 50 }],
      ["entries", { before: 9, limit: 100 }],
      ["entry", 7],
    ]);
    for (const query of ["?limit=101", "?limit=0", "?before=0", "?after=1"]) {
      expect((await edge.fetch(url + query, { as: owner })).status).toBe(400);
    }
    expect((await edge.fetch(`${url}/x`, { as: owner })).status).toBe(404);
    expect(object.seen).toHaveLength(4);
  });

  it("[V-9] a title may have 80 units, not 81", async () => {
    const owner = await edge.visitor();
    const { id, object } = await edge.conversation(owner);
    const change = async (json: object) =>
      (await edge.fetch(`${API}/conversations/${id}`, { method: "PATCH", as: owner, json })).status;
    expect(await change({ title: "x".repeat(80) })).toBe(204);
    expect(await change({ title: "x".repeat(81) })).toBe(400);
    expect(await change({ title: "   " })).toBe(400);
    expect(await change({ model: "demo/demo", thinking: "high" })).toBe(204);
    expect(await change({ thinking: "extreme" })).toBe(400);
    expect(await change({ tools: { calculate: false } })).toBe(204);
    expect(await change({ tools: { calculate: "no" } })).toBe(400);
    expect(await change({ tools: { ["x".repeat(65)]: true } })).toBe(400);
    expect(object.seen.filter(({ method }) => method === "settings")).toHaveLength(3);
  });
});

describe("deleting", () => {
  async function withFile(owner: Visitor) {
    const { id, object } = await edge.conversation(owner);
    const row = { id, key: `web:${id}`, owner: owner.caller.principalId, title: "Secret", createdAt: 1, updatedAt: 1 };
    await mirrorConversation(edge.db, { ...row, visibility: "private", rev: 3, state: "idle", usage: {} });
    await env.FILES.put(`files/${id}/f1`, "bytes");
    return { id, object };
  }

  const remove = async (id: string, as: Visitor) =>
    (await edge.fetch(`${API}/conversations/${id}`, { method: "DELETE", as })).status;
  const filesOf = async (id: string) => (await env.FILES.list({ prefix: `files/${id}/` })).objects.length;

  it("[V-10] takes the object, its files and its line in the list", async () => {
    const owner = await edge.visitor();
    const { id, object } = await withFile(owner);
    const other = await withFile(owner);
    expect(await remove(id, owner)).toBe(204);
    expect(object.facts).toBeUndefined();
    expect(await filesOf(id)).toBe(0);
    expect(await readConversation(edge.db, `web:${id}`)).toMatchObject({ title: "", deletedAt: edge.clock.now() });
    expect((await list(owner)).conversations?.map((each) => each.id)).toEqual([other.id]);
    expect(await filesOf(other.id)).toBe(1);
    expect(await remove(id, owner)).toBe(404);
  });

  it("[V-10] finishes what a request left behind that died after the object was empty", async () => {
    const owner = await edge.visitor();
    const { id, object } = await withFile(owner);
    object.wipe();
    expect(await remove(id, owner)).toBe(204);
    expect(await filesOf(id)).toBe(0);
    expect((await list(owner)).conversations).toEqual([]);
  });

  it("[U-13] deletes nothing of another person's, be the object empty or not", async () => {
    const owner = await edge.visitor();
    const { id, object } = await withFile(owner);
    const thief = await edge.visitor("owner");
    expect(await remove(id, thief)).toBe(404);
    object.wipe();
    expect(await remove(id, thief)).toBe(404);
    expect(await filesOf(id)).toBe(1);
    expect((await list(owner)).conversations).toHaveLength(1);
  });

  it("[V-7] a deleted id is not used twice", async () => {
    const owner = await edge.visitor();
    const { id } = await withFile(owner);
    await remove(id, owner);
    const create = async (as: Visitor) =>
      (await edge.fetch(`${API}/conversations`, { method: "POST", as, json: { id } })).status;
    expect(await create(owner)).toBe(409);
    expect(await create(await edge.visitor())).toBe(404);
  });

  it("[V-10] also more files than one page of a listing holds are deleted", async () => {
    const id = crypto.randomUUID();
    await Promise.all([1, 2, 3, 4, 5].map((n) => env.FILES.put(`files/${id}/${n}`, "x")));
    const pages: number[] = [];
    const inPairs = {
      async list(options: R2ListOptions) {
        const page = await env.FILES.list({ ...options, limit: 2 });
        pages.push(page.objects.length);
        return page;
      },
      delete: (keys: string[]) => env.FILES.delete(keys),
    };
    await deleteFiles(inPairs, id);
    expect(pages).toEqual([2, 2, 1, 0]);
    expect(await filesOf(id)).toBe(0);
  });
});
