import { DurableObject } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { ConversationObject } from "../../src/objects/conversation/conversation.ts";
import { ConversationForPeers } from "../../src/objects/conversation/conversation-for-peers.ts";
import { tryCalls, tryMaking } from "./call-crawl.workers.ts";
import { BETWEEN_OBJECTS, BY_NETWORK, CALLS, type Call, MAKING, ON_BEHALF, PLATFORM } from "./calls.workers.ts";
import { listed } from "./listed.ts";
import { makeScene, type Scene } from "./scene.workers.ts";

const calls = Object.entries(CALLS).flatMap(([name, list]) =>
  list.map((call, nth): [string, Call] => [`${name} ${nth + 1}`, call]),
);
let scene: Scene;

beforeAll(async () => {
  scene = await makeScene();
});

describe("every method of a conversation's object", () => {
  it("[V-94] has its place in the crawl, and the crawl knows no other", () => {
    const known = [CALLS, ON_BEHALF, MAKING].flatMap((table) => Object.keys(table));
    const classes = [ConversationObject, ConversationForPeers];
    const methods = new Set(classes.flatMap((one) => Object.getOwnPropertyNames(one.prototype)));
    expect(Object.getPrototypeOf(ConversationForPeers)).toBe(DurableObject);
    expect([...known, ...BETWEEN_OBJECTS, ...BY_NETWORK, ...PLATFORM].sort()).toEqual([...methods].sort());
  });

  it.each(calls)("[V-94] %s is closed to whoever must not come in, past the Worker too", async (_name, call) => {
    expect(await listed(tryCalls(scene, call, "worker"))).toEqual([]);
  });

  it.each(Object.entries(ON_BEHALF))(
    "[V-94] %s is closed to objects of whoever must not come in",
    async (_name, call) => {
      expect(await listed(tryCalls(scene, call, "object"))).toEqual([]);
    },
  );

  it.each(Object.entries(MAKING))(
    "[V-94] %s makes nothing where somebody else has a conversation",
    async (_name, call) => {
      expect(await listed(tryMaking(scene, call))).toEqual([]);
    },
  );
});
