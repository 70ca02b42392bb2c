import { evictDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import {
  type BackgroundOrder,
  definePlugin,
  type Plugin,
  type PluginParts,
  startBackground,
} from "../../src/host/index.ts";
import { defineNamespace } from "../../src/kernel/index.ts";
import { createDemoModel } from "../../src/models/demo/model.ts";
import { systemClock } from "../../src/objects/platform.ts";
import { Gate } from "../kit/gate.ts";
import { ScriptedModel } from "../kit/scripted-model.ts";
import { Stage } from "../kit/stage.workers.ts";
import { newPerson, Talk } from "../kit/talk.workers.ts";
import { until } from "../kit/until.ts";

const plugin = (name: string, parts: PluginParts): Plugin => definePlugin({ name, setup: () => parts });

/** A stage whose deployment has one more plugin, before the built-in ones. */
function stageWith(...more: readonly Plugin[]): Stage {
  const stage = new Stage();
  stage.plugins = (builtIn) => [...more, ...builtIn];
  return stage;
}

const displays = async (talk: Talk) =>
  (await talk.snapshot()).view.entries.flatMap(({ data }) => (data as { display?: object } | undefined)?.display ?? []);

describe("models of a plugin", () => {
  it("[X-19] are asked for their own names, and counted before the demo model", async () => {
    const own = new ScriptedModel(() => ({ text: "From the plugin." }));
    const model = { id: "own/one", label: "One", thinking: ["off"], images: false } as const;
    const models = [{ ...model, contextTokens: 50_000, maxOutputTokens: 1_000 }];
    const stage = stageWith(plugin("own-models", { providers: { models: { name: "own", models, port: own } } }));
    stage.standsIn = false;
    const talk = await Talk.begin(stage);
    expect((await talk.snapshot()).view.plugins["chat"]).toMatchObject({ model: "own/one" });
    await talk.say("Hello");
    await talk.idle();
    expect((await talk.transcript()).at(-1)).toEqual(["assistant", "From the plugin."]);
    expect(await talk.rpc.settings(talk.caller, { model: "own/on" })).toMatchObject({
      error: { message: expect.stringContaining("did you mean own/one?") },
    });
    await talk.rpc.settings(talk.caller, { model: "demo/demo" });
    await talk.say("Hello");
    await talk.idle();
    expect(own.requests).toHaveLength(1);
  });
});

describe("claims", () => {
  const deciding = (admit: NonNullable<PluginParts["claims"]>[number]["admit"]) =>
    plugin("deciding", { claims: [{ name: "deciding", surface: "web", priority: 1, owns: () => true, admit }] });

  it("[X-27] one that drops a message gives the reason, and nothing runs or is kept", async () => {
    const stage = stageWith(
      deciding(({ text }) => (text === "no" ? { kind: "drop", reason: "Not now." } : { kind: "turn" })),
    );
    const talk = await Talk.begin(stage);
    expect(await talk.say("no")).toMatchObject({ error: { code: "forbidden", message: "Not now.", ref: "m1" } });
    expect(await talk.transcript()).toEqual([]);
    await talk.say("yes");
    await talk.idle();
    expect(stage.model.requests).toHaveLength(1);
  });

  it("[X-27] with the web chat switched off a message is refused with the reason", async () => {
    const stage = new Stage();
    stage.config = { features: { webchat: false } };
    const talk = await Talk.begin(stage);
    expect(await talk.say("Hello")).toMatchObject({
      error: { code: "forbidden", message: expect.stringContaining("switch its plugin on") },
    });
    expect(stage.model.requests).toEqual([]);
  });

  it("[X-27] [X-90] one that queues keeps messages out of the running turn; one that asks for it runs them in the background", async () => {
    const stage = stageWith(
      deciding(({ text, speaker }) => {
        if (text !== "later") return { kind: "turn", mode: "queue" };
        return { kind: "background", target: "web", tier: speaker?.tier ?? "guest", prompt: "Do it later." };
      }),
    );
    const gate = new Gate();
    stage.script = (_request, nth) => ({ text: "Hello.", ...(nth === 0 && { between: () => gate.pass() }) });
    const talk = await Talk.begin(stage);
    await talk.say("one");
    await gate.reached();
    await talk.say("two");
    await talk.rpc.addFile(talk.caller, { id: "f1", name: "a.txt", mime: "text/plain", bytes: 1 });
    expect(await talk.rpc.submit(talk.caller, { id: "m8", text: "later", attachments: ["f1"] })).toMatchObject({
      error: { code: "bad_request", ref: "m8" },
    });
    expect(await talk.say("later", "m9")).toMatchObject({ ok: true, value: { id: "m9", status: "queued" } });
    expect((await talk.snapshot()).view.inbox.map(({ mode }) => mode)).toEqual(["queue", "alone"]);
    gate.open();
    await talk.idle();
    expect(stage.model.requests).toHaveLength(3);
    expect((await talk.transcript()).map(([kind]) => kind)).toEqual([
      "user",
      "assistant",
      "user",
      "assistant",
      "notice",
      "assistant",
    ]);
  });
});

const WATCH = defineNamespace({ name: "watch", sticky: { on: true } });

describe("background turns", () => {
  const order = (talk: Talk, more: Partial<BackgroundOrder> = {}): BackgroundOrder => {
    return { target: "web", author: talk.caller.principalId, tier: "owner", prompt: "Look.", key: "k1", ...more };
  };
  const state = async (talk: Talk, key = "k1") => {
    const answer = await talk.rpc.backgroundState(key);
    return answer.ok ? answer.value.state : answer.error.code;
  };

  it("[X-33] [X-35] one runs at its author's tier now, and what became of it can be asked", async () => {
    const talk = await Talk.begin();
    const gate = new Gate();
    talk.stage.script = () => ({ text: "Looked.", between: () => gate.pass() });
    expect(await state(talk)).toBe("unknown");
    await talk.rpc.startBackground(order(talk));
    await talk.rpc.startBackground(order(talk, { key: "k2" }));
    await gate.reached();
    expect([await state(talk), await state(talk, "k2")]).toEqual(["running", "waiting"]);
    gate.open();
    await talk.idle();
    expect([await state(talk), await state(talk, "k2")]).toEqual(["ran", "ran"]);
  });

  it.each<[string, (talk: Talk) => Partial<BackgroundOrder> | Promise<Partial<BackgroundOrder>>, string]>([
    [
      "of somebody else",
      async () => ({ author: (await newPerson("owner")).principalId }),
      "may not use this conversation",
    ],
    ["of nobody", () => ({ author: "p_nobody" }), "not there any more"],
    ["for an unknown target", () => ({ target: "wep" }), "Did you mean web?"],
    ["of the system", () => ({ author: "system" }), "not there any more"],
  ])("[X-33] [X-34] one %s is skipped with the reason, and the line goes on", async (_what, changes, reason) => {
    const talk = await Talk.begin();
    await talk.rpc.startBackground(order(talk, await changes(talk)));
    await talk.idle();
    expect(await displays(talk)).toEqual([{ reason: "skipped", error: expect.stringContaining(reason) }]);
    expect([await state(talk), talk.stage.model.requests.length]).toEqual(["skipped", 0]);
    await talk.say("Hello");
    await talk.idle();
    expect(talk.stage.model.requests).toHaveLength(1);
  });

  it("[X-33] one whose author is switched off while it waits is skipped when its place has come", async () => {
    const talk = await Talk.begin();
    const gate = new Gate();
    talk.stage.script = () => ({ text: "Hello.", between: () => gate.pass() });
    const other = await newPerson();
    await talk.say("one");
    await gate.reached();
    await talk.rpc.startBackground(order(talk, { author: other.principalId }));
    expect(await state(talk)).toBe("waiting");
    gate.open();
    await talk.idle();
    expect(await state(talk)).toBe("skipped");
  });

  it("[X-34] the claim of the channel says it in its own words", async () => {
    const claims: PluginParts["claims"] = [
      {
        name: "own",
        surface: "web",
        priority: 1,
        owns: () => true,
        admit: () => ({ kind: "turn" }),
        unanswered: ({ outcome, reason }) => `Nothing came of it (${outcome}): ${reason}`,
      },
    ];
    const talk = await Talk.begin(stageWith(plugin("own", { claims })));
    await talk.rpc.startBackground(order(talk, { target: "none" }));
    await talk.idle();
    expect(await displays(talk)).toMatchObject([
      { error: expect.stringMatching(/^Nothing came of it \(skipped\): There is/) },
    ]);
  });

  it("[X-31] [X-36] ordered for another conversation it is carried there once, whenever the process dies", async () => {
    const caller = await newPerson();
    const there = await Talk.begin(new Stage(), caller);
    const ordering = (conversation: string) =>
      plugin("ordering", {
        namespaces: [WATCH],
        hooks: [
          {
            namespace: WATCH,
            hooks: { turnEnded: (tx) => startBackground(tx, { ...order(there), conversation }) },
          },
        ],
      });
    const here = await Talk.begin(stageWith(ordering(there.stage.key)), caller);
    await here.say("Hello");
    await here.die();
    await here.snapshot();
    await here.idle();
    await until(async () => (await state(there)) === "ran", "the turn there");
    await here.die();
    await here.say("Hello again");
    await here.idle();
    await there.idle();
    expect(there.stage.model.requests).toHaveLength(1);
    expect((await there.transcript()).map(([kind]) => kind)).toEqual(["notice", "assistant"]);
  });

  it("[X-36] one for a conversation that is not there is dropped, and nothing is made there", async () => {
    const nowhere = new Stage();
    const hooks = { turnEnded: startIn(nowhere.key) };
    const talk = await Talk.begin(
      stageWith(plugin("ordering", { namespaces: [WATCH], hooks: [{ namespace: WATCH, hooks }] })),
    );
    await talk.say("Hello");
    await talk.idle();
    expect(await state(talk.at(nowhere))).toBe("not_found");
  });

  const startIn = (conversation: string) => (tx: Parameters<typeof startBackground>[0]) =>
    startBackground(tx, { target: "web", author: "p_x", tier: "member", prompt: "Look.", key: "k1", conversation });
});

describe("personas", () => {
  const PIRATE = { kind: "pirate", label: "Pirate", prompt: "You are a pirate." };

  it("[X-38] a conversation has the one it chose, also after a restart; an unknown one is refused with the nearest", async () => {
    const talk = await Talk.begin(stageWith(plugin("crew", { personas: [PIRATE] })));
    expect((await talk.snapshot()).view.plugins["chat"]).toMatchObject({ persona: "assistant" });
    expect(await talk.rpc.settings(talk.caller, { persona: "pirat" })).toMatchObject({
      error: { code: "bad_request", message: expect.stringContaining("did you mean pirate?") },
    });
    await talk.rpc.settings(talk.caller, { persona: "pirate" });
    await talk.idle();
    await evictDurableObject(talk.stage.object);
    await talk.say("Hello");
    await talk.idle();
    expect(talk.stage.model.requests[0]?.system).toMatch(/^You are a pirate\.\n\nSome tools wait/);
  });

  it("[X-38] [X-39] the configured one answers; one that no plugin has fails the turn before a model is asked", async () => {
    const stage = new Stage();
    stage.config = { agent: { kind: "asistant" } };
    const talk = await Talk.begin(stage);
    await talk.say("Hello");
    await talk.idle();
    expect(await displays(talk)).toEqual([
      { reason: "failed", error: expect.stringContaining('no persona "asistant" here: did you mean assistant?') },
    ]);
    expect(stage.model.requests).toEqual([]);
  });
});

describe("the judge and the events of a deployment", () => {
  it("[X-16] [X-20] a plugin is told of a turn's end, and asks the deployment's judge, which asks its model", async () => {
    const told: string[] = [];
    let judged: unknown;
    const stage = stageWith(
      definePlugin({
        name: "watching",
        setup: ({ providers }) => ({
          events: {
            async turnEnded({ outcome }) {
              told.push(outcome, providers.filled("judge")?.by ?? "nobody");
              const question = {
                kind: "choice",
                ask: "Approved?",
                choices: ["approve", "decline"],
                about: "yes",
              } as const;
              judged = await providers.get("judge")?.judge(question, new AbortController().signal);
            },
          },
        }),
      }),
    );
    stage.port = createDemoModel({ clock: systemClock, chunkMs: 0 });
    const talk = await Talk.begin(stage);
    await talk.say("thanks");
    await talk.idle();
    await until(() => judged !== undefined, "a judgement");
    expect(told).toEqual(["answered", "default"]);
    expect(judged).toMatchObject({ ok: true, value: { choice: "approve" } });
  });
});
