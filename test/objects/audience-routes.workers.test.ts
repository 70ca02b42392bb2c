import { afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Tier } from "../../src/people/facts.ts";
import type { HoldCard } from "../../src/protocol/cards.ts";
import { tableSays } from "../holds/audience-table.ts";
import {
  actingPlugin,
  auditOf,
  type CardKind,
  callAll,
  type Name,
  PRIVATE_CARDS,
  SHARED_CARDS,
  standing,
  UNAVAILABLE_PRIVATE,
  UNAVAILABLE_SHARED,
} from "../kit/acting.workers.ts";
import { ChatSocket } from "../kit/chat-socket.workers.ts";
import { Presser, type Refusal, realEdge, STANDING, secondWayIn } from "../kit/press-routes.workers.ts";
import { Stage } from "../kit/stage.workers.ts";
import type { Talk } from "../kit/talk.workers.ts";
import { until } from "../kit/until.ts";
import { passTime, restoreClock } from "../kit/wall-clock.ts";

afterEach(restoreClock);

const HOUR = 3_600_000;

/** A conversation whose tool `act` is held as its argument says. Whoever presses comes by the real edge. */
class World {
  readonly stage = new Stage();
  readonly edge = realEdge();
  readonly ids = new Map<Name, string>();
  readonly ran: string[] = [];

  constructor(
    cards: Readonly<Record<string, CardKind>>,
    kinds: readonly string[] = Object.keys(cards),
    tier: Tier = "member",
  ) {
    const plugin = actingPlugin({ cards, tier, ids: this.ids, ran: this.ran });
    this.stage.plugins = (builtIn) => [...builtIn, plugin];
    this.stage.script = callAll(kinds);
  }

  async presser(tier: Tier = "member"): Promise<Presser> {
    return new Presser(this.edge, this.stage, await this.edge.visitor(tier));
  }

  /** The same person by another identity and session. */
  async again({ talk }: Presser): Promise<Presser> {
    return new Presser(this.edge, this.stage, await secondWayIn(this.edge, talk.caller));
  }
}

/** The open cards by the kind that they were made for. */
async function cardsByKind(talk: Talk): Promise<ReadonlyMap<string, HoldCard>> {
  const cards = await talk.cards();
  return new Map(cards.map((card) => [card.action.replace("act as ", ""), card]));
}

async function open(talk: Talk, count: number): Promise<ReadonlyMap<string, HoldCard>> {
  await talk.say("go");
  await until(async () => (await talk.cards()).filter(({ status }) => status === "open").length === count, "all cards");
  await talk.told();
  return cardsByKind(talk);
}

/** A room with everybody of the table: who they are, and their tier. */
async function room(world: World) {
  const owner = await world.presser("owner");
  await owner.talk.rpc.create(owner.talk.caller, world.stage.key, "shared");
  const join = async (tier: Tier) => {
    const person = await world.presser(tier);
    await owner.talk.rpc.addMember(owner.talk.caller, person.id);
    return person;
  };
  const [speaker, named, namedAdmin, admin, member] = await Promise.all(
    (["member", "member", "admin", "admin", "member"] as const).map(join),
  );
  if (!speaker || !named || !namedAdmin || !admin || !member) throw new Error("nobody came");
  const people = {
    speaker,
    "speaker, other identity": await world.again(speaker),
    named,
    namedAdmin,
    elsewhere: await world.presser("member"),
    owner,
    "owner elsewhere": await world.presser("owner"),
    admin,
    member,
  } as const;
  for (const name of ["speaker", "named", "namedAdmin", "elsewhere"] as const) world.ids.set(name, people[name].id);
  return { people, join };
}

const TIERS_OF = {
  speaker: "member",
  "speaker, other identity": "member",
  named: "member",
  namedAdmin: "admin",
  elsewhere: "member",
  owner: "owner",
  "owner elsewhere": "owner",
  admin: "admin",
  member: "member",
} as const satisfies Record<string, Tier>;

/** Every route of a press, and whether it declines. */
const ROUTES: Readonly<Record<string, (presser: Presser, card: HoldCard) => Promise<Refusal>>> = {
  frame: (presser, card) => presser.byFrame(card, "approve"),
  "frame, declining": (presser, card) => presser.byFrame(card, "decline"),
  "frame with other arguments": (presser, card) =>
    presser.byFrame(card, "approve", { kind: card.action.slice(7), more: "x" }),
  "list by frame": (presser, card) => presser.byListFrame(card, "approve"),
  "list by frame, declining": (presser, card) => presser.byListFrame(card, "decline"),
  "list by REST": (presser, card) => presser.byRest(card, "approve"),
  "list by REST, declining": (presser, card) => presser.byRest(card, "decline"),
};
const BESIDES: Readonly<Record<string, (presser: Presser, card: HoldCard, owner: string) => Promise<Refusal>>> = {
  extending: (presser, card) => presser.extend(card),
  "handing over": (presser, card, owner) => presser.handOver(card, owner),
};

/** What a socket was shown since, beside what its own person may do. */
const shownIn = ({ frames }: ChatSocket, since: number) => frames.slice(since).filter(({ type }) => type !== "choices");

type People = Awaited<ReturnType<typeof room>>["people"];

/** What the table says of a person's press on a card of a kind in this room. */
function says(people: People, who: keyof People, kind: CardKind) {
  const { speaker, elsewhere } = people;
  const approvers =
    kind.names?.map((name) => ({ principalId: people[name].id, reachable: people[name] !== elsewhere })) ?? null;
  return tableSays(
    {
      visibility: "shared",
      speaker: { principalId: speaker.id, tier: "member", reachable: true },
      minTier: kind.minTier ?? "member",
      approval: kind.approval ?? null,
      approvers,
    },
    { principalId: people[who].id, tier: TIERS_OF[who] },
  );
}

const NAMES = Object.keys(TIERS_OF) as (keyof People)[];
const INSIDE = NAMES.filter((who) => who !== "elsewhere");

const KINDS = Object.keys(SHARED_CARDS);

describe("whoever may not answer in a shared conversation, by every route", () => {
  const world = new World(SHARED_CARDS);
  let people: People;
  let cards: ReadonlyMap<string, HoldCard>;

  beforeAll(async () => {
    ({ people } = await room(world));
    cards = await open(people.speaker.talk, KINDS.length);
    await Promise.all(INSIDE.map((who) => people[who].connect()));
  });

  const all = Object.entries({ ...ROUTES, ...BESIDES });
  const halves = KINDS.flatMap((kind) => [
    [kind, "frames", all.filter(([route]) => route.includes("frame"))] as const,
    [kind, "REST", all.filter(([route]) => !route.includes("frame"))] as const,
  ]);

  it.each(halves)(
    "[H-25] [H-150] [H-152] [trap 28] is refused in private on a card that is %s, by %s, with one line each, and nothing else changes",
    async (kind, _how, routes) => {
      const card = must(cards.get(kind));
      const refused = INSIDE.filter((who) => says(people, who, SHARED_CARDS[kind] ?? {}) !== "allowed");
      const witness = await ChatSocket.follow(world.stage, people.admin.talk.caller);
      const heard = witness.frames.length;
      const before = await standing(people.owner.talk);
      const lines = (await auditOf(people.owner.talk)).length;
      const pressAll = async (who: keyof People) => {
        for (const [route, press] of routes) {
          expect(await press(people[who], card, people.owner.id), `${who} by ${route}`).toBe("forbidden");
        }
      };
      await Promise.all(refused.map(pressAll));
      const told = (await auditOf(people.owner.talk)).slice(lines);
      expect(told.filter(({ event, hold }) => event === "refused" && hold === card.hold)).toEqual(told);
      const pressers = refused.flatMap((who) => routes.map(() => people[who].id));
      expect(sorted(told.map(({ by }) => by ?? ""))).toEqual(sorted(pressers));
      expect(await standing(people.owner.talk)).toBe(before);
      expect(shownIn(witness, heard)).toEqual([]);
      expect(refused.length).toBeGreaterThan(1);
    },
  );

  it.each(KINDS)(
    "[W-70] [W-71] [W-72] [W-75] each person is told what the table allows on a card that is %s",
    async (kind) => {
      const { hold } = must(cards.get(kind));
      for (const who of INSIDE) {
        const { choices } = await people[who].talk.snapshot();
        const told = must(choices.find((one) => one.hold === hold));
        const isAllowed = says(people, who, SHARED_CARDS[kind] ?? {}) === "allowed";
        const toHand = SHARED_CARDS[kind]?.approval === "speaker" ? [] : ["hand_over"];
        const all = ["approve", "decline", "edit", "always", "extend", ...toHand];
        expect(told.may, who).toEqual(isAllowed ? all : []);
        expect(told.why === undefined, who).toBe(isAllowed);
        const socket = await ChatSocket.follow(world.stage, people[who].talk.caller);
        await socket.until(() => socket.replica.choices.length > 0, "the choices");
        expect(socket.replica.choices, who).toEqual(choices);
        socket.close();
      }
    },
  );
});

describe("whoever may answer in a shared conversation, by every route", () => {
  const world = new World(SHARED_CARDS);
  let people: People;
  let cards: ReadonlyMap<string, HoldCard>;
  /** A card for each pair that the table allows, each by another route in turn. */
  let presses: readonly {
    readonly id: string;
    readonly kind: string;
    readonly who: keyof People;
    readonly route: string;
  }[];

  beforeAll(async () => {
    ({ people } = await room(world));
    const pairs = KINDS.flatMap((kind) => INSIDE.map((who) => ({ kind, who })));
    const routes = Object.keys(ROUTES);
    presses = pairs
      .filter(({ kind, who }) => says(people, who, SHARED_CARDS[kind] ?? {}) === "allowed")
      .map((pair, n) => ({ ...pair, id: `${pair.kind}#${n}`, route: routes[n % routes.length] ?? "" }));
    world.stage.script = callAll(presses.map(({ id }) => id));
    cards = await open(people.speaker.talk, presses.length);
  });

  it.each(KINDS)("[H-25] [H-152] [trap 1] decides a card that is %s, and it runs once or not at all", async (kind) => {
    const own = presses.filter((press) => press.kind === kind);
    for (const { id, who, route } of own) {
      expect(await ROUTES[route]?.(people[who], must(cards.get(id))), `${who} by ${route}`).toBeUndefined();
    }
    const expected = own.filter(({ route }) => !route.includes("declining")).map(({ id }) => id);
    const ran = () => world.ran.filter((id) => id.replace(/#.*/, "") === kind);
    await until(() => ran().length >= expected.length, "the approved calls to run");
    expect(ran().sort()).toEqual(expected.sort());
  });

  it("[H-25] are the speaker by either identity, those who are named, and owners", () => {
    const who = ["speaker", "speaker, other identity", "named", "namedAdmin", "owner", "owner elsewhere"];
    expect(new Set(presses.map((press) => press.who))).toEqual(new Set(who));
  });
});

describe("whoever may not enter a shared conversation", () => {
  it("[H-151] [H-152] [trap 21] whoever may not enter is not told that the card is there, and nothing changes", async () => {
    const world = new World({ plain: {}, named: { names: ["named"] } });
    const { people, join } = await room(world);
    const [guest, off, moved, out] = await Promise.all([1, 2, 3, 4].map(() => join("member")));
    if (!guest || !off || !moved || !out) throw new Error("nobody came");
    const lost = { guest, off, moved, out };
    world.ids.set("named", lost.off.id);
    const cards = await open(people.speaker.talk, 2);
    const witness = await ChatSocket.follow(world.stage, people.admin.talk.caller);
    await Promise.all(Object.values(lost).map((one) => one.connect()));
    await STANDING.tier(lost.guest.talk.caller, "guest");
    await STANDING.switchedOff(lost.off.talk.caller);
    await STANDING.unlinked(lost.moved.talk.caller, people.member.talk.caller);
    await people.owner.talk.rpc.removeMember(people.owner.talk.caller, lost.out.id);
    const heard = witness.frames.length;
    const lines = await auditOf(people.owner.talk);
    const before = await standing(people.owner.talk);
    const shut = { ...lost, elsewhere: people.elsewhere };
    const answers = {
      guest: "forbidden",
      off: "forbidden",
      moved: "forbidden",
      out: "not_found",
      elsewhere: "not_found",
    };
    const pressAll = async (who: string, presser: Presser) => {
      const shutOut = /forbidden|not_found|unauthenticated/;
      for (const [kind, card] of cards) {
        expect(await presser.byRest(card, "approve"), `${who}: ${kind}`).toMatch(shutOut);
        expect(await presser.talk.decide(card, "decline"), `${who}: ${kind}`).toMatchObject({
          ok: false,
          error: { code: answers[who as keyof typeof answers] },
        });
        expect(await presser.extend(card), `${who}: ${kind}`).toMatch(shutOut);
        expect(await presser.handOver(card, people.owner.id), `${who}: ${kind}`).toMatch(shutOut);
        expect(await presser.askAgain(card), `${who}: ${kind}`).toMatch(shutOut);
      }
    };
    await Promise.all(Object.entries(shut).map(([who, presser]) => pressAll(who, presser)));
    const [card] = cards.values();
    if (!card) throw new Error("there is no card");
    for (const who of ["guest", "off", "moved", "out"] as const) {
      expect(await lost[who].byFrame(card, "approve"), who).toMatch(/^closed 440[134]$/);
    }
    expect(await standing(people.owner.talk)).toBe(before);
    expect(await auditOf(people.owner.talk)).toEqual(lines);
    expect(shownIn(witness, heard)).toEqual([]);
  });

  it("[H-27] [H-152] [trap 7] what nobody may answer is unavailable at once, and shown to no one", async () => {
    const world = new World({ ...UNAVAILABLE_SHARED, plain: {} });
    const { people } = await room(world);
    const cards = await open(people.speaker.talk, 1);
    expect([...cards.keys()]).toEqual(["plain"]);
    await people.owner.byRest(must(cards.get("plain")), "decline");
    await people.owner.talk.idle();
    const told = (await people.owner.talk.transcript()).filter(([kind]) => kind === "tool_result");
    expect(told.filter(([, text]) => text.includes("Nobody can be asked here"))).toHaveLength(2);
    expect(world.ran).toEqual([]);
  });
});

describe("asking again in a shared conversation", () => {
  const world = new World(SHARED_CARDS);
  let people: People;
  let cards: ReadonlyMap<string, HoldCard>;

  beforeAll(async () => {
    ({ people } = await room(world));
    cards = await open(people.speaker.talk, KINDS.length);
    passTime(24 * HOUR);
    for (const card of cards.values()) await people.owner.talk.decide(card, "decline");
    await people.owner.talk.idle();
  });

  it.each(KINDS)("[H-152] follows the table, too, once a card expired that is %s", async (kind) => {
    const refused = INSIDE.filter((who) => says(people, who, SHARED_CARDS[kind] ?? {}) !== "allowed");
    for (const who of refused) expect(await people[who].askAgain(must(cards.get(kind))), who).toBe("forbidden");
    expect(await people.owner.talk.cards()).toEqual([]);
  });
});

describe("whoever may not enter any more", () => {
  it("[H-151] has approved nothing: made a guest between press and start, the approval is void", async () => {
    // A tool that guests are offered, too, so that no tier of its own stands in the way.
    const world = new World({}, ["x"], "guest");
    const speaker = await world.presser();
    await speaker.talk.rpc.create(speaker.talk.caller, world.stage.key);
    const id = crypto.randomUUID();
    await speaker.talk.rpc.constrain(speaker.talk.caller, { id, tools: ["act"], effect: "ask", text: "ask me" });
    await speaker.talk.say("go");
    const card = await speaker.talk.openCard();
    expect(card.minTier).toBe("guest");
    const gate = world.stage.database.hold((query) => query.includes('from "principals"'), 2);
    expect(await speaker.talk.decide(card, "approve")).toMatchObject({ ok: true });
    await gate.reached();
    await STANDING.tier(speaker.talk.caller, "guest");
    gate.open();
    await until(async () => (await speaker.talk.control()).turn === null, "the turn to end");
    expect(JSON.stringify(await speaker.talk.stored())).toContain("has changed since it was shown (approver)");
    expect(world.ran).toEqual([]);
  });

  it("[H-151] [H-120] has allowed nothing in advance: taken out of the room, a person is asked as ever", async () => {
    const world = new World({ named: { names: ["named"] } });
    const { people } = await room(world);
    const { owner, speaker, named } = people;
    const card = must((await open(speaker.talk, 1)).get("named"));
    expect(await named.talk.decide(card, "approve", { always: { any: [], hours: 1 } })).toMatchObject({ ok: true });
    await owner.talk.idle();
    await speaker.talk.say("go on");
    await owner.talk.idle();
    expect(world.ran).toEqual(["named", "named"]);
    await owner.talk.rpc.removeMember(owner.talk.caller, named.id);
    await speaker.talk.say("go again");
    await speaker.talk.openCard();
    expect(world.ran).toHaveLength(2);
  });
});

describe("who may answer in a private conversation, by every route", () => {
  const kinds = Object.keys(PRIVATE_CARDS).flatMap((kind) => [`${kind}#a`, `${kind}#b`]);
  const world = new World({ ...PRIVATE_CARDS, ...UNAVAILABLE_PRIVATE }, [
    ...kinds,
    ...Object.keys(UNAVAILABLE_PRIVATE),
  ]);
  let speaker: Presser;
  let named: Presser;
  let cards: ReadonlyMap<string, HoldCard>;

  beforeAll(async () => {
    [speaker, named] = await Promise.all([world.presser(), world.presser()]);
    world.ids.set("speaker", speaker.id);
    world.ids.set("named", named.id);
    await speaker.talk.rpc.create(speaker.talk.caller, world.stage.key);
    cards = await open(speaker.talk, kinds.length);
  });

  it("[H-27] [H-152] what its person may not approve is shown to no one", () => {
    expect([...cards.keys()].sort()).toEqual([...kinds].sort());
  });

  it.each(["named", "owner"])("[H-26] [H-152] nobody else may, nor is told of it: %s", async (who) => {
    const presser = who === "named" ? named : await world.presser("owner");
    const witness = await ChatSocket.follow(world.stage, speaker.talk.caller);
    const heard = witness.frames.length;
    const lines = await auditOf(speaker.talk);
    const before = await standing(speaker.talk);
    for (const card of cards.values()) {
      expect(await presser.byRest(card, "approve")).toBe("not_found");
      expect(await presser.talk.decide(card, "decline")).toMatchObject({ ok: false, error: { code: "not_found" } });
      expect(await presser.extend(card)).toBe("not_found");
      expect(await presser.handOver(card, presser.id)).toBe("not_found");
    }
    await expect(presser.connect()).rejects.toThrow("404");
    expect(await standing(speaker.talk)).toBe(before);
    expect(await auditOf(speaker.talk)).toEqual(lines);
    expect(shownIn(witness, heard)).toEqual([]);
  });

  it("[H-26] [H-152] its person decides, by either identity", async () => {
    const other = await world.again(speaker);
    const routes = Object.values(ROUTES);
    let n = 0;
    for (const [kind, card] of cards) {
      expect(await routes[n++ % routes.length]?.(kind.endsWith("a") ? speaker : other, card), kind).toBeUndefined();
    }
    await speaker.talk.idle();
    expect(await speaker.talk.cards()).toEqual([]);
  });
});

function sorted(names: readonly string[]): readonly string[] {
  return [...names].sort();
}

function must<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("there is none");
  return value;
}
