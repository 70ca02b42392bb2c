import { env } from "cloudflare:test";
import { beforeAll, describe, expect, it } from "vitest";
import { CALLER_HEADER, KEY_HEADER } from "../../src/objects/rpc.ts";
import { decodeCaller } from "../../src/people/caller-header.ts";
import { type EdgeRequest, LOCAL, makeEdge, REMOTE, type Visitor } from "../kit/edge.ts";
import type { FakeConversation } from "../kit/fake-conversation.ts";

const edge = makeEdge(env);
let owner: Visitor;
let id: string;
let object: FakeConversation;

beforeAll(async () => {
  owner = await edge.visitor("owner");
  ({ id, object } = await edge.conversation(owner));
});

const HANDSHAKE = { upgrade: "websocket", "sec-websocket-protocol": "althing.chat.v1" };

async function upgrade(init: EdgeRequest = {}, query = `?conversation=${id}`, base = LOCAL): Promise<Response> {
  const headers = { ...HANDSHAKE, ...init.headers };
  return await edge.fetch(`${base}/chat/ws${query}`, { as: owner, origin: new URL(base).origin, ...init, headers });
}

describe("the socket's upgrade", () => {
  it.each([LOCAL, REMOTE])("[U-35] at %s reaches the object with caller, key and subprotocol", async (base) => {
    const response = await upgrade({}, undefined, base);
    expect(response.status).toBe(200);
    const headers = await response.json<Record<string, string>>();
    expect(decodeCaller(headers[CALLER_HEADER] ?? null)).toEqual(owner.caller);
    expect(headers[KEY_HEADER]).toBe(`web:${id}`);
    expect(headers["sec-websocket-protocol"]).toBe("althing.chat.v1");
  });

  it("[U-34] nothing that the client says of itself reaches the object", async () => {
    const other = await edge.visitor("owner");
    const response = await upgrade({
      headers: {
        [CALLER_HEADER]: JSON.stringify(other.caller),
        [KEY_HEADER]: "web:another",
        "x-forwarded-for": "1.2.3.4",
        "sec-websocket-protocol": "other, althing.chat.v1, ticket.x",
      },
    });
    const headers = await response.json<Record<string, string>>();
    expect(decodeCaller(headers[CALLER_HEADER] ?? null)).toEqual(owner.caller);
    expect(Object.keys(headers).sort()).toEqual(
      [KEY_HEADER, CALLER_HEADER, "sec-websocket-protocol", "upgrade"].sort(),
    );
    expect(headers[KEY_HEADER]).toBe(`web:${id}`);
    expect(headers["sec-websocket-protocol"]).toBe("althing.chat.v1");
  });

  const refused: readonly (readonly [string, EdgeRequest, string | undefined, number])[] = [
    ["without Origin", { origin: null }, undefined, 403],
    ["with Origin null", { origin: "null" }, undefined, 403],
    ["from another port", { origin: "http://127.0.0.1:8788" }, undefined, 403],
    ["from another scheme", { origin: "https://127.0.0.1:8787" }, undefined, 403],
    ["from a suffix of this origin", { origin: "http://127.0.0.1:8787.evil.net" }, undefined, 403],
    ["from another site", { origin: "https://evil.net" }, undefined, 403],
    ["without the subprotocol", { headers: { "sec-websocket-protocol": "" } }, undefined, 400],
    ["with another subprotocol", { headers: { "sec-websocket-protocol": "althing.chat.v2" } }, undefined, 400],
    ["without a conversation", {}, "", 400],
    ["for an id that is no UUID", {}, "?conversation=x", 404],
    ["to something else than websocket", { headers: { upgrade: "h2c" } }, undefined, 400],
  ];

  it.each(refused)("[U-35] %s is refused", async (_, init, query, status) => {
    const before = object.upgrades.length;
    const response = await upgrade(init, query);
    expect(response.status).toBe(status);
    expect(object.upgrades).toHaveLength(before);
  });

  it("[U-35] a plain read of its path is a bad handshake", async () => {
    const response = await edge.fetch(`${LOCAL}/chat/ws?conversation=${id}`, { as: owner });
    expect(response.status).toBe(400);
  });

  it("[U-35] without a session it is 401, for a guest 403", async () => {
    const before = object.upgrades.length;
    const origin = LOCAL;
    const url = `${LOCAL}/chat/ws?conversation=${id}`;
    expect((await edge.fetch(url, { origin, headers: HANDSHAKE })).status).toBe(401);
    const cookie = `althing_dev=${"f".repeat(64)}`;
    expect((await edge.fetch(url, { origin, headers: { ...HANDSHAKE, cookie } })).status).toBe(401);
    expect((await upgrade({ as: await edge.visitor("guest") })).status).toBe(403);
    expect(object.upgrades).toHaveLength(before);
  });

  it("[U-33] credentials in the address count for nothing", async () => {
    const session = owner.cookie.slice(-64);
    const query = `?conversation=${id}&token=${session}&althing_dev=${session}`;
    const response = await edge.fetch(`${LOCAL}/chat/ws${query}`, { origin: LOCAL, headers: HANDSHAKE });
    expect(response.status).toBe(401);
  });
});
