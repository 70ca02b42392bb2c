import { describe, expect, it } from "vitest";
import { err, ok } from "../../../src/lib/result.ts";
import type { Me } from "../../../src/protocol/rest.ts";
import { App } from "../../../web/src/app/app.ts";
import type { Reply } from "../../../web/src/net/rest.ts";
import { FakeWorld, settle } from "./fake-world.ts";

const C1 = "0b8f6f0e-6f0a-4d3e-9f5c-3a3f3a1d2c4b";

function person(id: string): Me {
  return {
    principal: { id, name: id, tier: "owner" },
    models: [],
    defaultModel: "demo/demo",
    personas: [{ kind: "assistant", label: "Assistant" }],
    defaultPersona: "assistant",
    limits: { textUnits: 10, filesPerMessage: 1, fileBytes: 1, titleUnits: 80 },
  };
}

/** The page over a world, with somebody signed in. */
function openApp(world: FakeWorld, me: () => Reply<Me>, conversation?: string) {
  const went: string[] = [];
  let left = 0;
  const ports = world.ports();
  const app = new App(
    { page: "chat", conversation },
    {
      ...ports,
      rest: {
        ...ports.rest,
        me,
        signOut: () => Promise.resolve(ok({})),
        conversations: () => Promise.resolve(ok({ conversations: [] })),
      },
    },
    {
      leave: () => {
        left += 1;
      },
      go: (path) => went.push(path),
      upload: () => ({ done: new Promise(() => undefined), cancel: () => undefined }),
      preview: () => undefined,
    },
  );
  app.start();
  return { app, went, left: () => left };
}

describe("the page as a whole", () => {
  it("[L-46] signing out keeps nothing, neither in the browser nor in memory", async () => {
    const world = new FakeWorld();
    const { app, left } = openApp(world, () => Promise.resolve(ok(person("p_a"))));
    await settle();
    app.draft.value.write("secret");
    await app.signOut(false);
    expect(world.storage.length).toBe(0);
    expect(left()).toBe(1);
  });

  it("[L-46] somebody else than the last time finds nothing of theirs", async () => {
    const world = new FakeWorld();
    const first = openApp(world, () => Promise.resolve(ok(person("p_a"))));
    await settle();
    first.app.draft.value.write("secret");
    const same = openApp(world, () => Promise.resolve(ok(person("p_a"))));
    await settle();
    expect([same.app.draft.value.text.value, same.left()]).toEqual(["secret", 0]);
    const other = openApp(world, () => Promise.resolve(ok(person("p_b"))));
    await settle();
    expect([other.left(), other.app.me.value]).toEqual([1, undefined]);
    const again = openApp(world, () => Promise.resolve(ok(person("p_b"))));
    await settle();
    expect([again.app.draft.value.text.value, again.left(), again.app.me.value?.principal.id]).toEqual(["", 0, "p_b"]);
  });

  it("[L-70] a shared conversation whose answer was lost is asked for again under the same UUID, then it is opened", async () => {
    const world = new FakeWorld();
    const { app, went } = openApp(world, () => Promise.resolve(ok(person("p_a"))));
    await settle();
    world.createFails = { status: undefined, code: "unreachable", message: "The server cannot be reached." };
    await app.openRoom();
    expect([went, app.notices.shown.value.map(({ text }) => text)]).toEqual([[], ["The server cannot be reached."]]);
    world.createFails = undefined;
    await app.openRoom();
    await app.openRoom();
    const [first, again, second] = world.created;
    expect(again).toBe(first);
    expect(second).not.toBe(first);
    expect(went).toEqual([first, second].map((id) => `/chat/${id}`));
  });

  it("[L-9] asks again who is here until the server can say", async () => {
    const world = new FakeWorld();
    let asked = 0;
    const { app } = openApp(world, () => {
      asked += 1;
      const refused = { status: undefined, code: "unreachable" as const, message: "" };
      return Promise.resolve(asked < 3 ? err(refused) : ok(person("p_a")));
    });
    await settle();
    await world.pass(10_000);
    expect(asked).toBe(3);
    expect(app.session.value.status).toBe("signed_in");
  });

  it("[L-20] the first message gives a new chat its address; a draft of its own starts with it", async () => {
    const world = new FakeWorld();
    const { app, went } = openApp(world, () => Promise.resolve(ok(person("p_a"))));
    await settle();
    app.draft.value.write("first");
    app.sendDraft();
    await settle();
    expect(went).toEqual([`/chat/${app.chat.value.id}`]);
    expect(world.created).toEqual([app.chat.value.id]);
    expect(app.draft.value.text.value).toBe("");
  });

  it("[L-15] each conversation has its own draft, and opening one closes the other's connection", async () => {
    const world = new FakeWorld();
    const { app } = openApp(world, () => Promise.resolve(ok(person("p_a"))), C1);
    await settle();
    app.draft.value.write("for c1");
    const first = world.socket;
    app.openChat(undefined);
    expect([app.draft.value.text.value, first.readyState]).toEqual(["", 3]);
    app.openChat(C1);
    await settle();
    expect(app.draft.value.text.value).toBe("for c1");
    expect(world.sockets).toHaveLength(2);
  });
});
