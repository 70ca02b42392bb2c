import { env } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { decideAudience, decidePress } from "../../src/holds/press/audience.ts";
import type { Tier } from "../../src/people/facts.ts";
import type { WaitingCard } from "../../src/protocol/waiting.ts";
import { mirrorConversation } from "../../src/store/conversations.ts";
import { mirrorCards, type OpenCardRow } from "../../src/store/open-cards.ts";
import { LOCAL, makeEdge, type Visitor } from "../kit/edge.ts";

const edge = makeEdge(env);
const HOUR = 3_600_000;

interface Place {
  readonly key: string;
  readonly owner: string;
  readonly visibility: "private" | "shared";
  readonly members?: readonly string[];
}

/** Lists a conversation with these cards, as its object would. */
async function listed({ key, owner, visibility, members = [] }: Place, cards: readonly Partial<OpenCardRow>[]) {
  const facts = { key, id: key.slice(4), owner, visibility, title: `The title of ${key}`, createdAt: 1, updatedAt: 1 };
  await mirrorConversation(edge.db, { ...facts, state: "waiting", usage: {}, rev: 1 }, members);
  const blank = {
    conversation: key,
    hold: `hold-${key}`,
    digest: "a".repeat(64),
    tool: "send_webhook",
    action: "POST JSON",
    askedBy: owner,
    askedAt: edge.clock.now(),
    deadline: edge.clock.now() + HOUR,
    minTier: "member",
    approvers: null,
    approval: null,
    reader: visibility === "private" ? owner : "",
    kind: "approval",
  } as const;
  await mirrorCards(
    edge.db,
    key,
    1,
    cards.map((card) => ({ ...blank, ...card })),
  );
}

const wordsOf = (card: WaitingCard) => (card.kind === "question" ? card.words : card.action);

const newKey = () => `web:${crypto.randomUUID()}`;

async function waitingFor(as: Visitor): Promise<{ readonly cards: readonly WaitingCard[]; readonly more: boolean }> {
  const response = await edge.fetch(`${LOCAL}/api/v1/waiting`, { as });
  expect(response.status).toBe(200);
  return await response.json();
}

describe("what waits for a person", () => {
  it("[V-59] is listed across conversations, oldest first, with what the card is about and where it is", async () => {
    const anna = await edge.visitor();
    const owner = anna.caller.principalId;
    const [one, two] = [newKey(), newKey()];
    const now = edge.clock.now();
    await listed({ key: one, owner, visibility: "private" }, [{ askedAt: now - 1, action: "The later" }]);
    await listed({ key: two, owner, visibility: "private" }, [{ askedAt: now - 2, action: "The earlier" }]);
    const { cards, more } = await waitingFor(anna);
    expect(more).toBe(false);
    expect(cards.map((card) => [card.conversation, wordsOf(card)])).toEqual([
      [two.slice(4), "The earlier"],
      [one.slice(4), "The later"],
    ]);
    expect(cards[0]).toMatchObject({
      title: `The title of ${two}`,
      kind: "approval",
      shared: false,
      tool: "send_webhook",
      minTier: "member",
    });
  });

  it("[V-59] is exactly what they could answer: the table of holds over presser, conversation and card", async () => {
    const tiers: readonly Tier[] = ["member", "admin", "owner"];
    const speaker = await edge.visitor();
    const speakerId = speaker.caller.principalId;
    const named = await edge.visitor();
    const outsider = await edge.visitor();
    const members = [speakerId, named.caller.principalId];
    const pressers = [speaker, named, outsider];
    for (const tier of tiers) pressers.push(await edge.visitor(tier));
    const expected = new Map<Visitor, string[]>(pressers.map((presser) => [presser, []]));
    for (const visibility of ["private", "shared"] as const) {
      for (const minTier of tiers) {
        for (const approvers of [null, [named.caller.principalId], [speakerId]]) {
          for (const approval of [null, "speaker"] as const) {
            const key = newKey();
            await listed({ key, owner: speakerId, visibility, members }, [{ minTier, approvers, approval }]);
            const audience = decideAudience({
              visibility,
              speaker: { principalId: speakerId, tier: "member", reachable: true },
              minTier,
              approvers: approvers?.map((principalId) => ({ principalId, reachable: true })) ?? null,
              approval,
            });
            for (const [i, presser] of pressers.entries()) {
              const { principalId } = presser.caller;
              const tier = tiers[i - 3] ?? "member";
              const isIn =
                visibility === "private" ? presser === speaker : tier === "owner" || members.includes(principalId);
              const counts = isIn && decidePress(audience, { principalId, tier }).kind === "allowed";
              if (counts) expected.get(presser)?.push(key.slice(4));
            }
          }
        }
      }
    }
    for (const [presser, keys] of expected) {
      const found = (await waitingFor(presser)).cards.map(({ conversation }) => conversation);
      expect(found.toSorted()).toEqual(keys.toSorted());
    }
    expect([...expected.values()].filter((keys) => keys.length > 0).length).toBeGreaterThan(2);
  });

  it("[V-59] follows the directory: whoever was demoted since, or whose speaker was, is not offered it", async () => {
    const anna = await edge.visitor("admin");
    const owner = anna.caller.principalId;
    await listed({ key: newKey(), owner, visibility: "private" }, [{ minTier: "admin" }]);
    expect((await waitingFor(anna)).cards).toHaveLength(1);
    await env.DB.prepare("update principals set tier = 'member' where id = ?").bind(owner).run();
    expect((await waitingFor(anna)).cards).toEqual([]);
  });

  it("[N-25] a question is listed for exactly those whose answer would count: the asked one, and owners of a shared conversation", async () => {
    const speaker = await edge.visitor();
    const speakerId = speaker.caller.principalId;
    const members = [speakerId];
    const pressers = [speaker];
    for (const tier of ["member", "admin", "owner"] as const) {
      const presser = await edge.visitor(tier);
      pressers.push(presser);
      if (tier !== "owner") members.push(presser.caller.principalId);
    }
    const asked = { kind: "question", hold: "q7", digest: "", tool: "", minTier: "guest", action: "Which?" } as const;
    const [own, room] = [newKey(), newKey()];
    await listed({ key: own, owner: speakerId, visibility: "private" }, [asked]);
    await listed({ key: room, owner: speakerId, visibility: "shared", members }, [asked]);
    const seen: [Tier, string[]][] = [];
    for (const [i, presser] of pressers.entries()) {
      const { cards } = await waitingFor(presser);
      const here = cards.filter(({ conversation }) => [own.slice(4), room.slice(4)].includes(conversation));
      seen.push([
        (["member", "member", "admin", "owner"] as const)[i] ?? "guest",
        here.map(({ conversation }) => conversation),
      ]);
      if (presser === speaker) {
        expect(here[0]).toEqual({
          kind: "question",
          conversation: own.slice(4),
          title: `The title of ${own}`,
          shared: false,
          askedBy: expect.any(String),
          askedAt: expect.any(Number),
          deadline: expect.any(Number),
          prompt: "q7",
          words: "Which?",
        });
      }
    }
    expect(seen).toEqual([
      ["member", [own.slice(4), room.slice(4)]],
      ["member", []],
      ["admin", []],
      ["owner", [room.slice(4)]],
    ]);
    await env.DB.prepare("update principals set tier = 'guest' where id = ?").bind(speakerId).run();
    const response = await edge.fetch(`${LOCAL}/api/v1/waiting`, { as: speaker });
    expect(response.status === 200 ? (await response.json<{ cards: unknown[] }>()).cards : []).toEqual([]);
  });

  it("[V-60] has nothing that is overdue, in a deleted conversation, or told of by an older revision", async () => {
    const anna = await edge.visitor();
    const owner = anna.caller.principalId;
    const now = edge.clock.now();
    const gone = newKey();
    await listed({ key: newKey(), owner, visibility: "private" }, [{ deadline: now }]);
    await listed({ key: newKey(), owner, visibility: "private" }, [{ deadline: now + 1, action: "still" }]);
    await listed({ key: gone, owner, visibility: "private" }, [{}]);
    await env.DB.prepare("update conversations set deleted_at = 1 where key = ?").bind(gone).run();
    expect((await waitingFor(anna)).cards.map(wordsOf)).toEqual(["still"]);
  });

  it("[V-60] is listed up to 100, and says that there are more", async () => {
    const anna = await edge.visitor();
    const owner = anna.caller.principalId;
    const many = (count: number) => Array.from({ length: count }, (_, i) => ({ hold: `hold-${i}` }));
    await listed({ key: newKey(), owner, visibility: "private" }, many(50));
    await listed({ key: newKey(), owner, visibility: "private" }, many(50));
    const full = await waitingFor(anna);
    expect([full.cards.length, full.more]).toEqual([100, false]);
    await listed({ key: newKey(), owner, visibility: "private" }, many(1));
    const over = await waitingFor(anna);
    expect([over.cards.length, over.more]).toEqual([100, true]);
  });
});
