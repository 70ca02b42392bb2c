import { describe, expect, it } from "vitest";
import { definePlugin, receiptOf, type Saying, say } from "../../src/host/index.ts";
import { MAX_SAY_UNITS, MAX_SAYINGS } from "../../src/host/outgoing/saying.ts";
import { defineNamespace, type HostTx } from "../../src/kernel/index.ts";
import { Gate } from "../kit/gate.ts";
import { Stage } from "../kit/stage.workers.ts";
import { SurfaceTalk } from "../kit/surface-talk.workers.ts";
import { newPerson, Talk } from "../kit/talk.workers.ts";
import { until } from "../kit/until.ts";

const TELLER = defineNamespace({ name: "teller", sticky: { on: true } });

/** A plugin that has something said at the end of each turn. */
const saying = (act: (tx: HostTx) => void) =>
  definePlugin({
    name: "teller",
    setup: () => ({ namespaces: [TELLER], hooks: [{ namespace: TELLER, hooks: { turnEnded: act } }] }),
  });

const order = (talk: Pick<Talk, "caller">, more: Partial<Saying> = {}): Saying => {
  return { author: talk.caller.principalId, text: "The build is done.", key: "k1", ...more };
};

async function begin(act?: (tx: HostTx) => void, caller = newPerson()): Promise<Talk> {
  const stage = new Stage();
  if (act) stage.plugins = (builtIn) => [...builtIn, saying(act)];
  return Talk.begin(stage, await caller);
}

/** What plugins said here. */
const saidIn = async (talk: Talk) =>
  (await talk.snapshot()).view.entries.flatMap(({ kind, data }) => (kind === "host.said" ? [data] : []));

const receipt = async (talk: Talk, key = "k1") => {
  const answer = await talk.rpc.sayReceipt(key);
  return answer.ok ? answer.value.receipt : answer.error.code;
};

describe("what a plugin says", () => {
  it("[X-96] [X-97] is ordered in a commit, stands once for people, and is told to the model at its next step", async () => {
    const caller = await newPerson();
    const talk = await begin((tx) => say(tx, order({ caller })), Promise.resolve(caller));
    await talk.say("Hello");
    await talk.idle();
    await until(async () => (await saidIn(talk)).length > 0, "the words");
    await talk.say("Hello again");
    await talk.idle();
    expect(await saidIn(talk)).toEqual([{ text: "The build is done.", by: caller.principalId }]);
    expect(JSON.stringify(talk.stage.model.requests.at(-1)?.messages)).toContain(
      'People here were told this, not by you: \\"The build is done.\\"',
    );
    expect(talk.stage.model.requests).toHaveLength(2);
    expect(await receipt(talk)).toEqual({ status: "said", at: expect.any(Number) });
    expect(await receipt(talk, "k2")).toBeNull();
  });

  it("[X-96] is 1 to 4,000 characters in a person's name: anything else stops the commit that orders it", async () => {
    const faults: string[] = [];
    const talk = await begin((tx) => {
      for (const wrong of [
        { text: "x".repeat(MAX_SAY_UNITS + 1) },
        { text: " " },
        { author: "system" },
        { key: "a b" },
        { key: "x".repeat(129) },
      ]) {
        try {
          say(tx, { author: "p_x", text: "Hi", key: "k", ...wrong });
        } catch (error) {
          faults.push(String(error));
        }
      }
    });
    await talk.say("Hello");
    await talk.idle();
    expect(faults).toHaveLength(5);
    for (const fault of faults) expect(fault).toContain("This cannot be said");
    const longest = order(talk, { text: "\u00e9".repeat(MAX_SAY_UNITS) });
    expect(await talk.rpc.sayHere(longest)).toEqual({ ok: true, value: {} });
  });

  it("[X-97] in another conversation is carried there once, whenever the process dies, and its people alone read it", async () => {
    const caller = await newPerson();
    const there = await begin(undefined, Promise.resolve(caller));
    const act = (tx: HostTx) => say(tx, order({ caller }, { conversation: there.stage.key }));
    const here = await begin(act, Promise.resolve(caller));
    await here.say("Hello");
    await here.die();
    await here.snapshot();
    await here.idle();
    await until(async () => (await saidIn(there)).length > 0, "the words there");
    await here.die();
    await here.say("Hello again");
    await here.idle();
    await here.told();
    expect(await saidIn(there)).toHaveLength(1);
    expect(await saidIn(here)).toEqual([]);
    expect(there.stage.model.requests).toEqual([]);
  });

  it("[X-98] for somebody who may not speak there, or nowhere, is dropped; while that cannot be asked it waits", async () => {
    const caller = await newPerson();
    const there = await begin();
    const nowhere = new Stage();
    const here = await begin((tx) => {
      say(tx, order({ caller }, { conversation: there.stage.key }));
      say(tx, order({ caller }, { conversation: nowhere.key, key: "k2" }));
    }, Promise.resolve(caller));
    await here.say("Hello");
    await here.idle();
    await here.told();
    expect(await saidIn(there)).toEqual([]);
    expect(await receipt(here.at(nowhere))).toBe("not_found");
    expect(await there.rpc.sayHere(order(here))).toMatchObject({ error: { code: "not_found" } });
    there.stage.database.fails = () => true;
    expect(await there.rpc.sayHere(order(there))).toMatchObject({ error: { code: "unavailable" } });
    there.stage.database.fails = () => false;
    expect(await there.rpc.sayHere(order(there))).toEqual({ ok: true, value: {} });
  });

  it("[X-97] under a known key is not said again, and with other words or another author is a conflict; 100 keys are known", async () => {
    const talk = await begin();
    for (let nth = 0; nth < MAX_SAYINGS; nth++) await talk.rpc.sayHere(order(talk, { key: String(nth) }));
    const { rev } = await talk.snapshot();
    expect(await talk.rpc.sayHere(order(talk, { key: "0" }))).toMatchObject({ ok: true });
    expect(await talk.rpc.sayHere(order(talk, { key: "0", text: "Other" }))).toMatchObject({
      error: { code: "conflict" },
    });
    const author = (await newPerson("owner", "Olga")).principalId;
    expect(await talk.rpc.sayHere(order(talk, { key: "0", author }))).toMatchObject({ ok: false });
    expect((await talk.snapshot()).rev).toBe(rev);
    await talk.rpc.sayHere(order(talk, { key: "one more" }));
    expect([await receipt(talk, "0"), (await receipt(talk, "1")) !== null]).toEqual([null, true]);
  });
});

describe("what a plugin says on a network", () => {
  it("[X-97] [X-100] goes there once over deaths before and after, while a turn waits for a card, and shows on what it was told", async () => {
    const talk = await SurfaceTalk.begin();
    talk.stage.script = ({ messages }) =>
      JSON.stringify(messages.at(-1)).includes("go!")
        ? { calls: [{ name: "send_webhook", args: '{"target":"build","body":{}}' }] }
        : { text: "All done." };
    await talk.say("go!");
    await until(() => talk.cards.length === 1, "a card");
    // Before the network has it, and after: each time once, in the life that dies then.
    for (const when of ["before", "after"] as const) {
      const gate = new Gate();
      talk.network[when] = (nonce) => (nonce.startsWith("say:") ? gate.pass() : undefined);
      expect(await talk.rpc.sayHere(order(talk))).toMatchObject({ ok: true });
      await gate.reached();
      await talk.talk.die();
      talk.network[when] = () => undefined;
      gate.open();
    }
    await until(async () => {
      await talk.talk.snapshot();
      return JSON.stringify(await receipt(talk.talk)).includes("said");
    }, "the receipt");
    expect(talk.texts).toEqual(["The build is done."]);
    const shown = talk.shown.find(({ text }) => text !== "");
    expect(await receipt(talk.talk)).toEqual({ status: "said", at: shown?.at, id: shown?.id });
    expect(talk.network.presence(talk.channel).typing, "the turn is still shown").toBe(1);
  });

  it("[X-100] which refuses it for good is given up, and the receipt says so", async () => {
    const talk = await SurfaceTalk.begin({
      adapt: (whole) => ({ ...whole, sendNotice: async () => ({ status: "drop", error: "no such room" }) }),
    });
    await talk.say("Hello");
    await talk.rpc.sayHere(order(talk));
    await until(async () => JSON.stringify(await receipt(talk.talk)) === '{"status":"given_up"}', "the receipt");
    await talk.talk.idle();
    expect(talk.texts).toEqual(["Hello."]);
  });

  it("[X-100] a plugin reads the receipt in the conversation itself", async () => {
    const seen: unknown[] = [];
    const talk = await begin((tx) => seen.push(receiptOf(tx, "k1")?.status));
    await talk.rpc.sayHere(order(talk));
    await talk.say("Hello");
    await talk.idle();
    expect(seen).toEqual(["said"]);
  });
});
