import { describe, expect, it } from "vitest";
import type { Tier } from "../../src/people/facts.ts";
import type { GivenAnswer } from "../../src/protocol/frames.ts";
import type { QuestionCard, QuestionsView } from "../../src/protocol/questions.ts";
import { tableSays } from "../holds/audience-table.ts";
import { auditOf, standing } from "../kit/acting.workers.ts";
import { ChatSocket } from "../kit/chat-socket.workers.ts";
import { Presser, type Refusal, realEdge, secondWayIn } from "../kit/press-routes.workers.ts";
import type { Script } from "../kit/scripted-model.ts";
import { Stage } from "../kit/stage.workers.ts";
import type { Talk } from "../kit/talk.workers.ts";
import { until } from "../kit/until.ts";

const CHOICE = { question: "Which colour?", options: [{ label: "Red" }, { label: "Blue" }] };
const WORDS = { question: "Why?" };

/** A question, and an answer that fits. */
interface QuestionKind {
  readonly call: { readonly name: string; readonly input: object };
  readonly answers: readonly (GivenAnswer | null)[];
}
const KINDS: Readonly<Record<string, QuestionKind>> = {
  "a choice": { call: { name: "ask_user", input: CHOICE }, answers: [{ choices: ["Red"] }] },
  words: { call: { name: "ask_user", input: WORDS }, answers: [{ text: "Because." }] },
  several: {
    call: { name: "ask_questions", input: { questions: [CHOICE, WORDS] } },
    answers: [{ choices: ["Blue"] }, { text: "Because." }],
  },
  "a choice, given no answer": { call: { name: "ask_user", input: CHOICE }, answers: [null] },
};
const kinds = Object.keys(KINDS);

const ROUTES: Readonly<Record<string, (presser: Presser, card: QuestionCard, kind: string) => Promise<Refusal>>> = {
  frame: (presser, card, kind) => presser.answerByFrame(card, KINDS[kind]?.answers ?? []),
  REST: (presser, card, kind) => presser.answerByRest(card, KINDS[kind]?.answers ?? []),
};
const routes = Object.entries(ROUTES);

/** As many calls of a kind as there are to be cards. */
function ask(kind: string, count: number): Script {
  const { name, input } = KINDS[kind]?.call ?? { name: "", input: {} };
  return ({ messages }) =>
    JSON.stringify(messages.at(-1) ?? null).includes("go!") && messages.at(-1)?.role === "user"
      ? { calls: Array.from({ length: count }, () => ({ name, args: JSON.stringify(input) })) }
      : { text: "All done." };
}

async function cardsOf(talk: Talk): Promise<readonly QuestionCard[]> {
  const { view } = await talk.snapshot();
  return (view.plugins["questions"] as unknown as QuestionsView).cards;
}

async function openCards({ talk }: Presser, count: number): Promise<readonly QuestionCard[]> {
  await talk.say("go!");
  await until(
    async () => (await cardsOf(talk)).filter(({ status }) => status === "open").length === count,
    "the cards",
  );
  await talk.told();
  return cardsOf(talk);
}

const TIERS = {
  speaker: "member",
  "speaker, other identity": "member",
  owner: "owner",
  "owner elsewhere": "owner",
  admin: "admin",
  member: "member",
} as const satisfies Record<string, Tier>;
type Who = keyof typeof TIERS;
const INSIDE = Object.keys(TIERS) as Who[];

/** Everybody in a room, and somebody who is not in it. */
async function makeRoom(kind: string, count: number) {
  const stage = new Stage();
  stage.script = ask(kind, count);
  const edge = realEdge();
  const come = async (tier: Tier) => new Presser(edge, stage, await edge.visitor(tier));
  const owner = await come("owner");
  await owner.talk.rpc.create(owner.talk.caller, stage.key, "shared");
  const join = async (tier: Tier) => {
    const person = await come(tier);
    await owner.talk.rpc.addMember(owner.talk.caller, person.id);
    return person;
  };
  const speaker = await join("member");
  const people: Readonly<Record<Who, Presser>> = {
    speaker,
    "speaker, other identity": new Presser(edge, stage, await secondWayIn(edge, speaker.talk.caller)),
    owner,
    "owner elsewhere": await come("owner"),
    admin: await join("admin"),
    member: await join("member"),
  };
  return { stage, people, stranger: await come("admin") };
}

/** Of a question the table asks for no tier: whom it was put to, and owners. */
function says(people: Readonly<Record<Who, Presser>>, who: Who): boolean {
  const speaker = { principalId: people.speaker.id, tier: "member", reachable: true } as const;
  const question = { visibility: "shared", speaker, minTier: "guest", approval: null, approvers: null } as const;
  return tableSays(question, { principalId: people[who].id, tier: TIERS[who] }) === "allowed";
}

describe("a question in a shared conversation, by every route", () => {
  it.each(kinds)("[H-158] [N-9] is answered by nobody else, who hears so alone: %s", async (kind) => {
    const { stage, people, stranger } = await makeRoom(kind, 1);
    const [card] = await openCards(people.speaker, 1);
    if (!card) throw new Error("there is no card");
    const refused = INSIDE.filter((who) => !says(people, who));
    expect(refused).toEqual(["admin", "member"]);
    await Promise.all(refused.map((who) => people[who].connect()));
    const witness = await ChatSocket.follow(stage, people.owner.talk.caller);
    const heard = witness.frames.length;
    const before = await standing(people.owner.talk);
    for (const who of refused) {
      for (const [route, answer] of routes)
        expect(await answer(people[who], card, kind), `${who} by ${route}`).toBe("forbidden");
    }
    expect(await stranger.answerByRest(card, KINDS[kind]?.answers ?? [])).toBe("not_found");
    await expect(stranger.connect()).rejects.toThrow("404");
    expect(await standing(people.owner.talk)).toBe(before);
    expect(witness.frames.slice(heard)).toEqual([]);
    expect(await auditOf(people.owner.talk)).toEqual([]);
  });

  it.each(kinds)(
    "[H-158] [N-9] is answered by whoever it was put to, by either identity, and by owners: %s",
    async (kind) => {
      const may: readonly Who[] = ["speaker", "speaker, other identity", "owner", "owner elsewhere"];
      const { people } = await makeRoom(kind, may.length * routes.length);
      expect(INSIDE.filter((who) => says(people, who))).toEqual(may);
      const cards = [...(await openCards(people.speaker, may.length * routes.length))];
      for (const who of may) {
        for (const [route, answer] of routes) {
          const card = cards.shift();
          if (!card) throw new Error("there is no card left");
          expect(await answer(people[who], card, kind), `${who} by ${route}`).toBeUndefined();
        }
      }
      await people.speaker.talk.idle();
      expect(await cardsOf(people.speaker.talk)).toEqual([]);
    },
  );
});

describe("a question in a private conversation, by every route", () => {
  it.each(kinds)("[H-158] [N-9] is answered by its person alone, by either identity: %s", async (kind) => {
    const stage = new Stage();
    stage.script = ask(kind, 4);
    const edge = realEdge();
    const come = async (tier: Tier) => new Presser(edge, stage, await edge.visitor(tier));
    const [speaker, owner, other] = [await come("member"), await come("owner"), await come("member")];
    await speaker.talk.rpc.create(speaker.talk.caller, stage.key);
    const cards = [...(await openCards(speaker, 4))];
    const before = await standing(speaker.talk);
    for (const nobody of [owner, other]) {
      for (const card of cards) expect(await nobody.answerByRest(card, KINDS[kind]?.answers ?? [])).toBe("not_found");
      await expect(nobody.connect()).rejects.toThrow("404");
    }
    expect(await standing(speaker.talk)).toBe(before);
    const again = new Presser(edge, stage, await secondWayIn(edge, speaker.talk.caller));
    for (const presser of [speaker, again]) {
      for (const [route, answer] of routes) {
        const card = cards.shift();
        if (!card) throw new Error("there is no card left");
        expect(await answer(presser, card, kind), route).toBeUndefined();
      }
    }
    await speaker.talk.idle();
    expect(await cardsOf(speaker.talk)).toEqual([]);
  });
});
