import { describe, expect, it } from "vitest";
import { err, ok } from "../../../src/lib/result.ts";
import type { CardChoices } from "../../../src/protocol/cards.ts";
import type { ChatPerson, ChatRefusal } from "../../../src/surfaces/webchat/chat-port.ts";
import { ChoiceTeller } from "../../../src/surfaces/webchat/choice-teller.ts";

const person = (name: string): ChatPerson => ({ principalId: name, identity: `test:${name}`, sessionHash: name });
const card = (hold: string, ...may: CardChoices["may"]): CardChoices => ({ hold, may });

/** Listeners by a name of their own, each somebody's. */
function makeTeller(whose: Readonly<Record<string, string>>) {
  const listeners = Object.entries(whose).map(([name, who]) => [{ name }, person(who)] as const);
  const world = {
    choices: {} as Record<string, readonly CardChoices[] | ChatRefusal>,
    asked: [] as string[],
    heard: [] as string[],
    barred: [] as string[],
    meanwhile: () => {},
  };
  const teller = new ChoiceTeller<{ readonly name: string }>({
    listeners: () => listeners,
    async choices({ principalId }) {
      world.asked.push(principalId);
      const found = world.choices[principalId] ?? [];
      world.meanwhile();
      return "code" in found ? err(found) : ok(found);
    },
    send: ({ name }, frame) => world.heard.push(`${name} ${JSON.stringify("cards" in frame && frame.cards)}`),
    bar: ({ name }, { code }) => world.barred.push(`${name} ${code}`),
  });
  return { teller, world, listeners };
}

describe("telling people what they may do with cards", () => {
  it("[W-70] asks once for all sockets of a session, and says only what differs from what each was told", async () => {
    const { teller, world, listeners } = makeTeller({ a1: "anna", a2: "anna", b: "bert" });
    await teller.tell();
    expect([world.asked, world.heard]).toEqual([["anna", "bert"], []]);
    world.choices["anna"] = [card("h", "approve")];
    await teller.tell();
    await teller.tell();
    expect(world.heard).toEqual(['a1 [{"hold":"h","may":["approve"]}]', 'a2 [{"hold":"h","may":["approve"]}]']);
    const [first] = listeners;
    if (first) teller.forget(first[0]);
    await teller.tell();
    expect(world.heard.slice(2)).toEqual(['a1 [{"hold":"h","may":["approve"]}]']);
    world.choices["anna"] = [];
    await teller.tell();
    expect(world.heard.slice(3)).toEqual(["a1 []", "a2 []"]);
  });

  it("[W-70] what changes during a round is told by one more, however often it is asked for", async () => {
    const { teller, world } = makeTeller({ a: "anna" });
    world.choices["anna"] = [card("h")];
    world.meanwhile = () => {
      world.meanwhile = () => {};
      world.choices["anna"] = [card("h", "approve")];
      void teller.tell();
      void teller.tell();
    };
    await teller.tell();
    expect(world.heard).toEqual(['a [{"hold":"h","may":[]}]', 'a [{"hold":"h","may":["approve"]}]']);
    expect(world.asked).toEqual(["anna", "anna"]);
  });

  it("[W-74] whoever may not be here is barred and told nothing, the others are told", async () => {
    const { teller, world } = makeTeller({ a: "anna", b: "bert" });
    world.choices["anna"] = { code: "not_found", message: "There is no such conversation." };
    world.choices["bert"] = [card("h", "decline")];
    await teller.tell();
    expect([world.barred, world.heard]).toEqual([["a not_found"], ['b [{"hold":"h","may":["decline"]}]']]);
  });

  it("[W-70] a round that failed keeps no later one from telling", async () => {
    const { teller, world } = makeTeller({ a: "anna" });
    world.meanwhile = () => {
      throw new Error("a bug");
    };
    await expect(teller.tell()).rejects.toThrow("a bug");
    world.meanwhile = () => {};
    world.choices["anna"] = [card("h", "approve")];
    await teller.tell();
    expect(world.heard).toHaveLength(1);
  });
});
