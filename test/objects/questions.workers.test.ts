import { env, evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { afterEach, describe, expect, it } from "vitest";
import { principalOf } from "../../src/objects/principal/principal-rpc.ts";
import type { GivenAnswer } from "../../src/protocol/frames.ts";
import type { QuestionCard, QuestionsView } from "../../src/protocol/questions.ts";
import { ChatSocket } from "../kit/chat-socket.workers.ts";
import type { Script } from "../kit/scripted-model.ts";
import { Stage } from "../kit/stage.workers.ts";
import { newPerson, Talk } from "../kit/talk.workers.ts";
import { until } from "../kit/until.ts";
import { passTime, restoreClock } from "../kit/wall-clock.ts";

afterEach(restoreClock);

const HOUR = 3_600_000;
const DONE = { ok: true, value: {} };
const RED = [{ choices: ["Red"] }];
const QUESTION = { question: "Which colour?", options: [{ label: "Red" }, { label: "Blue" }] };

/** Asks once for each message that says "go", then answers. */
const askOnce: Script = ({ messages }) => {
  const last = messages.at(-1);
  const said =
    last?.role === "user" ? last.content.map((part) => (part.type === "text" ? part.text : "")).join(" ") : "";
  // In a shared conversation the message says who speaks, too.
  return /\bgo$/.test(said) ? { calls: [{ name: "ask_user", args: JSON.stringify(QUESTION) }] } : { text: "All done." };
};

async function begin(script: Script = askOnce): Promise<Talk> {
  const stage = new Stage();
  stage.script = script;
  return Talk.begin(stage);
}

async function cardsOf(talk: Talk): Promise<readonly QuestionCard[]> {
  const { view } = await talk.snapshot();
  return (view.plugins["questions"] as unknown as QuestionsView).cards;
}

async function toCard(talk: Talk): Promise<QuestionCard> {
  await talk.say("go");
  await until(async () => (await cardsOf(talk)).length > 0, "a question");
  const [card] = await cardsOf(talk);
  if (!card) throw new Error("there is no question");
  return card;
}

const answer = (talk: Talk, card: QuestionCard, answers: readonly GivenAnswer[], caller = talk.caller) =>
  talk.rpc.answer(caller, { prompt: card.prompt, answers: [...answers] });

/** What the model was told of its calls, as it stands in the transcript. */
const told = async (talk: Talk) =>
  (await talk.transcript()).flatMap(([kind, text]) => (kind === "tool_result" || kind === "notice" ? [text] : []));

async function listed(talk: Talk): Promise<readonly Record<string, unknown>[]> {
  const { results } = await env.DB.prepare("select * from open_cards where conversation = ?")
    .bind(talk.stage.key)
    .all();
  return results;
}

const stateOf = (talk: Talk) =>
  env.DB.prepare("select state from conversations where key = ?").bind(talk.stage.key).first();

describe("a question in its object", () => {
  it("[N-6] is on a card, and D1's list says that the conversation waits", async () => {
    const talk = await begin();
    // The first message tells the list by itself, for the title.
    await talk.say("Hello");
    await talk.idle();
    const card = await toCard(talk);
    expect(card).toMatchObject({ status: "open", speaker: talk.caller.principalId });
    await talk.told();
    expect(await stateOf(talk)).toEqual({ state: "waiting" });
    expect(await answer(talk, card, RED)).toEqual(DONE);
    await talk.idle();
    expect(await told(talk)).toEqual(['"Anna" chose "Red".']);
    expect(await stateOf(talk)).toEqual({ state: "idle" });
    expect(await talk.alarm()).toBeNull();
  });

  it("[N-17] after an eviction the answer itself wakes the object", async () => {
    const talk = await begin();
    const card = await toCard(talk);
    await talk.told();
    await evictDurableObject(talk.stage.object);
    expect(await answer(talk, card, RED)).toEqual(DONE);
    await talk.idle();
    expect(await told(talk)).toEqual(['"Anna" chose "Red".']);
  });

  it("[N-19] the object dies in the instant after the answer: it stands, and is told", async () => {
    const talk = await begin();
    const card = await toCard(talk);
    expect(await answer(talk, card, RED)).toEqual(DONE);
    await talk.die();
    await talk.idle();
    expect(await told(talk)).toEqual(['"Anna" chose "Red".']);
    expect(await answer(talk, card, RED), "the same again").toEqual(DONE);
  });

  it("[N-16] [N-26] [N-27] the alarm reminds and expires with nobody there", async () => {
    const talk = await begin();
    const card = await toCard(talk);
    await talk.told();
    expect(await talk.alarm()).toBe(card.deadline - HOUR);
    await evictDurableObject(talk.stage.object);
    passTime(card.deadline - HOUR - Date.now());
    expect(await runDurableObjectAlarm(talk.stage.object)).toBe(true);
    expect(await talk.alarm()).toBe(card.deadline);
    const notices = () => principalOf(env, talk.caller.principalId).notices();
    await until(async () => (await notices()).length > 0, "the notice");
    expect(await notices()).toMatchObject([
      { text: "A question waits for an answer and expires in an hour.", link: `/chat/${talk.stage.id}` },
    ]);
    passTime(HOUR);
    expect(await runDurableObjectAlarm(talk.stage.object)).toBe(true);
    await talk.idle();
    expect(await told(talk)).toEqual([expect.stringContaining("Nobody answered before the deadline.")]);
    expect(await answer(talk, card, RED)).toMatchObject({ error: { code: "expired", ref: card.prompt } });
    expect(await listed(talk)).toEqual([]);
  });
});

describe("the list of what waits in D1", () => {
  it("[N-24] has a question from its asking to its answer, with what is asked and whom, and no more", async () => {
    const talk = await begin();
    const card = await toCard(talk);
    await talk.told();
    expect(await listed(talk)).toEqual([
      {
        conversation: talk.stage.key,
        hold: card.prompt,
        digest: "",
        tool: "",
        action: "Which colour?",
        asked_by: talk.caller.principalId,
        asked_at: card.askedAt,
        deadline: card.deadline,
        min_tier: "guest",
        approvers: null,
        approval: null,
        reader: talk.caller.principalId,
        kind: "question",
      },
    ]);
    expect(await answer(talk, card, RED)).toEqual(DONE);
    await talk.idle();
    expect(await listed(talk)).toEqual([]);
  });

  it("[N-24] says at most 300 units of what is asked, of several questions one after the other", async () => {
    const asked = (...lengths: readonly number[]): Script => {
      const questions = lengths.map((length) => ({ question: `a\n\u202e${"x".repeat(length - 10)}` }));
      return ({ messages }) =>
        messages.at(-1)?.role === "user"
          ? { calls: [{ name: "ask_questions", args: JSON.stringify({ questions }) }] }
          : { text: "All done." };
    };
    for (const [lengths, units] of [
      [[100, 197], 300],
      [[100, 198], 300],
    ] as const) {
      const talk = await begin(asked(...lengths));
      await toCard(talk);
      await talk.told();
      const [row] = await listed(talk);
      const words = String(row?.["action"]);
      expect(words).toMatch(/^a \\u\{202e\}x+ \u00b7 a \\u\{202e\}x+\u2026?$/);
      expect([words.length, words.endsWith("\u2026")]).toEqual([units, lengths[1] === 198]);
    }
  });

  it("[N-27] lets go of one that was answered while its turn goes on, and of one that was stopped", async () => {
    const talk = await begin();
    const card = await toCard(talk);
    await talk.say("never mind");
    await until(async () => (await talk.control()).turn === null, "the turn to go on");
    await talk.told();
    expect(await listed(talk)).toMatchObject([{ hold: card.prompt }]);
    expect(await answer(talk, card, RED)).toEqual(DONE);
    await until(async () => (await listed(talk)).length === 0, "the question to leave the list");
    await talk.idle();
    await toCard(talk);
    await talk.told();
    expect(await listed(talk)).toHaveLength(1);
    await talk.rpc.stop(talk.caller);
    await talk.told();
    expect(await listed(talk)).toEqual([]);
  });

  it("[N-27] the object dies between the answer and the telling, and while it tells: the list comes to what stands", async () => {
    const talk = await begin();
    const card = await toCard(talk);
    await talk.told();
    expect(await answer(talk, card, RED)).toEqual(DONE);
    await talk.die();
    await talk.idle();
    expect(await listed(talk)).toEqual([]);
    const gate = talk.stage.database.hold((query) => query.includes("open_cards"));
    const again = await toCard(talk);
    await gate.reached();
    await talk.die();
    await talk.snapshot();
    await talk.told();
    expect(await listed(talk)).toMatchObject([{ hold: again.prompt }]);
    await evictDurableObject(talk.stage.object);
    expect(await answer(talk, again, RED)).toEqual(DONE);
    await talk.idle();
    expect(await listed(talk)).toEqual([]);
  });

  it("[N-24] a conversation in which nothing was asked and nothing held has nothing listed and pays nothing for it", async () => {
    const talk = await begin();
    await talk.say("Hello");
    await talk.idle();
    expect(talk.stage.database.queries.filter((query) => query.includes("open_cards"))).toEqual([]);
  });
});

describe("answers", () => {
  it("[N-10] [N-21] on two sockets at one instant: one wins, the other is told, both come to the same", async () => {
    const talk = await begin();
    const card = await toCard(talk);
    const sockets = [
      await ChatSocket.follow(talk.stage, talk.caller),
      await ChatSocket.follow(talk.stage, talk.caller),
    ];
    for (const [n, choice] of ["Red", "Blue"].entries()) {
      sockets[n]?.send({ type: "answer", prompt: card.prompt, answers: [{ choices: [choice] }] });
    }
    await talk.idle();
    const { rev, view } = await talk.snapshot();
    for (const { replica } of sockets) {
      await until(() => replica.rev === rev, "both sockets to be current");
      expect([replica.violations, replica.view]).toEqual([[], view]);
    }
    const errors = sockets.flatMap(({ frames }) => frames.filter(({ type }) => type === "error"));
    expect(errors).toMatchObject([{ code: "already_decided", ref: card.prompt }]);
    expect(await told(talk)).toHaveLength(1);
  });

  it("[N-9] of somebody else, or of somebody who was switched off meanwhile, change nothing", async () => {
    const talk = await begin();
    const card = await toCard(talk);
    await talk.told();
    const before = JSON.stringify(await talk.stored());
    const owner = await newPerson("owner", "Olga");
    expect(await answer(talk, card, RED, owner)).toMatchObject({ error: { code: "not_found" } });
    const switchOff = (at: number | null) =>
      env.DB.prepare("update principals set disabled_at = ? where id = ?").bind(at, talk.caller.principalId).run();
    await switchOff(1);
    expect(await answer(talk, card, RED)).toMatchObject({ error: { code: "forbidden" } });
    expect(JSON.stringify(await talk.stored())).toBe(before);
    await switchOff(null);
    expect(await answer(talk, card, RED)).toEqual(DONE);
  });

  it("[N-9] in a shared conversation are the asked one's and the owners', by the tier of this moment", async () => {
    const stage = new Stage();
    stage.script = askOnce;
    const { owner, others } = await Talk.room(stage, ["Anna", "Bert"]);
    const [anna, bert] = others;
    if (!anna || !bert) throw new Error("nobody came");
    const card = await toCard(anna);
    expect(card.speaker).toBe(anna.caller.principalId);
    expect(await answer(bert, card, RED)).toMatchObject({ error: { code: "forbidden", ref: card.prompt } });
    const setTier = (tier: string) =>
      env.DB.prepare("update principals set tier = ? where id = ?").bind(tier, owner.caller.principalId).run();
    await setTier("admin");
    expect(await answer(owner, card, RED)).toMatchObject({ ok: false });
    expect(await cardsOf(anna)).toEqual([card]);
    await setTier("owner");
    expect(await answer(owner, card, RED)).toEqual(DONE);
    await anna.idle();
    expect(await told(anna)).toEqual([expect.stringContaining(' chose "Red".')]);
    expect(await answer(anna, card, [{ choices: ["Blue"] }])).toMatchObject({ error: { code: "already_decided" } });
  });

  it("[N-9] while the directory cannot be read, no answer counts and the card stays", async () => {
    const talk = await begin();
    const card = await toCard(talk);
    talk.stage.database.fails = () => true;
    expect(await answer(talk, card, RED)).toMatchObject({ error: { code: "unavailable" } });
    talk.stage.database.fails = () => false;
    expect(await cardsOf(talk)).toEqual([card]);
    expect(await answer(talk, card, RED)).toEqual(DONE);
  });

  it("[N-22] with the feature switched off there is neither tool nor card", async () => {
    const stage = new Stage();
    stage.config = { features: { questions: false } };
    stage.script = askOnce;
    const talk = await Talk.begin(stage);
    await talk.say("go");
    await talk.idle();
    expect(stage.model.requests[0]?.tools.map(({ name }) => name)).not.toContain("ask_user");
    expect((await talk.snapshot()).view.plugins).not.toHaveProperty("questions");
    expect(await talk.rpc.answer(talk.caller, { prompt: "q1", answers: [null] })).toMatchObject({
      error: { code: "unknown_prompt", ref: "q1" },
    });
  });
});
