import { runInDurableObject } from "cloudflare:test";
import { beforeAll, describe, expect, it } from "vitest";
import type { HoldsState } from "../../src/holds/record/hold-state.ts";
import type { Caller, Tier } from "../../src/people/facts.ts";
import { tableSays } from "../holds/audience-table.ts";
import { actingPlugin, auditOf, type CardKind, type Name, SHARED_CARDS, standing } from "../kit/acting.workers.ts";
import { realEdge, secondWayIn } from "../kit/press-routes.workers.ts";
import { SurfaceTalk } from "../kit/surface-talk.workers.ts";
import { newPerson } from "../kit/talk.workers.ts";
import { until } from "../kit/until.ts";

const TIERS = {
  speaker: "member",
  "speaker, other identity": "member",
  named: "member",
  namedAdmin: "admin",
  owner: "owner",
  admin: "admin",
  member: "member",
} as const satisfies Record<string, Tier>;
type Who = keyof typeof TIERS;
const INSIDE = Object.keys(TIERS) as Who[];
const KINDS = Object.keys(SHARED_CARDS);

type People = Readonly<Record<Who | "elsewhere", Caller>>;

/** A shared channel of a network with everybody of the table in it, and one call for each of these kinds. */
class Channel {
  readonly talk: SurfaceTalk;
  readonly people: People;
  readonly ran: string[] = [];

  private constructor(talk: SurfaceTalk, people: People) {
    this.talk = talk;
    this.people = people;
  }

  static async open(kinds: readonly string[], { prompts }: { readonly prompts: boolean }): Promise<Channel> {
    const speaker = await newPerson("member", "Anna");
    const { caller: again } = await secondWayIn(realEdge(), speaker);
    const [named, namedAdmin, elsewhere, owner, admin, member] = await Promise.all([
      newPerson("member"),
      newPerson("admin"),
      newPerson("member"),
      newPerson("owner"),
      newPerson("admin"),
      newPerson("member"),
    ]);
    const people = {
      ...{ speaker, named, namedAdmin, elsewhere, owner, admin, member },
      "speaker, other identity": again,
    };
    const talk = await SurfaceTalk.begin({ isShared: true, prompts }, speaker);
    const channel = new Channel(talk, people);
    const names: readonly Name[] = ["speaker", "named", "namedAdmin", "elsewhere"];
    const ids = new Map(names.map((name) => [name, people[name].principalId]));
    const { plugins } = talk.stage;
    const acting = actingPlugin({ cards: SHARED_CARDS, ids, ran: channel.ran });
    talk.stage.plugins = (builtIn) => [acting, ...plugins(builtIn)];
    talk.stage.script = ({ messages }) => {
      const last = messages.at(-1);
      if (last?.role !== "user" || !JSON.stringify(last.content).includes("go!")) return { text: "All done." };
      return { calls: kinds.map((kind) => ({ name: "act", args: JSON.stringify({ kind }) })) };
    };
    // Whoever speaks is in it.
    for (const who of INSIDE) await talk.say("Hello", { by: people[who] });
    await talk.talk.idle();
    await talk.say("go!");
    return channel;
  }

  /** What the table says. */
  says(who: Who, kind: string): boolean {
    const held: CardKind = SHARED_CARDS[kind.replace(/#.*/, "")] ?? {};
    const { names, minTier = "member", approval = null } = held;
    const approvers =
      names?.map((name) => ({ principalId: this.people[name].principalId, reachable: name !== "elsewhere" })) ?? null;
    const speaker = { principalId: this.people.speaker.principalId, tier: "member", reachable: true } as const;
    const question = { visibility: "shared", speaker, minTier, approval, approvers } as const;
    return tableSays(question, { principalId: this.people[who].principalId, tier: TIERS[who] }) === "allowed";
  }

  /** What is decided of each call, by its kind. */
  async decided(): Promise<Readonly<Record<string, string>>> {
    const [row] = await runInDurableObject(this.talk.stage.object, (_, { storage }) =>
      storage.sql.exec<{ body: string }>("SELECT body FROM namespaces WHERE name = 'holds'").toArray(),
    );
    const { records } = JSON.parse(row?.body ?? '{"records":{}}') as HoldsState;
    return Object.fromEntries(Object.values(records).map(({ text, status }) => [text.replace("act as ", ""), status]));
  }

  /** The number by which the newest list that people saw names a call. */
  numberOf(kind: string): string {
    const all = this.talk.texts.join("");
    const number = [...all.matchAll(/(\d+)\. act: act as (.*)\n/g)].filter(([, , text]) => text === kind).at(-1)?.[1];
    if (number === undefined) throw new Error(`${kind} is not listed`);
    return number;
  }

  /** Says so, and waits for what comes of it. */
  async say(who: Who | "elsewhere", text: string): Promise<unknown> {
    const answer = await this.talk.say(text, { by: this.people[who] });
    await this.talk.talk.idle();
    return answer;
  }

  card(kind: string) {
    const shown = this.talk.cards.find(({ card }) => card?.action === `act as ${kind}`)?.card;
    if (!shown) throw new Error(`no card shows ${kind}`);
    return shown;
  }

  press(who: Who | "elsewhere", kind: string, decision: "approve" | "decline") {
    const { hold, digest } = this.card(kind);
    return this.talk.rpc.press(this.people[who], { hold, digest, decision });
  }
}

/** Calls of which each is for one whom the table allows to decide it. */
const pairsOf = (says: (who: Who, kind: string) => boolean) =>
  KINDS.flatMap((kind) => INSIDE.filter((who) => says(who, kind)).map((who) => ({ kind, who }))).map((pair, n) => ({
    ...pair,
    id: `${pair.kind}#${n}`,
  }));

describe("a message where no card can be shown", () => {
  let channel: Channel;
  beforeAll(async () => {
    channel = await Channel.open(KINDS, { prompts: false });
    await until(() => channel.talk.texts.join("").includes("calls wait for your answer"), "the list");
    await channel.talk.talk.idle();
  });

  it.each(KINDS)(
    "[H-159] [H-133] [trap 28] decides nothing of whoever may not answer a call that is %s",
    async (kind) => {
      const before = await channel.decided();
      const lines = (await auditOf(channel.talk.talk)).length;
      const refused = INSIDE.filter((who) => !channel.says(who, kind));
      expect(refused.length).toBeGreaterThan(1);
      const number = channel.numberOf(kind);
      for (const [n, who] of refused.entries()) {
        const judged = channel.talk.judged.length;
        const text = `${n % 2 === 0 ? "yes" : "no"} ${number}`;
        expect(await channel.say(who, text), who).toMatchObject({ ok: true });
        // Of whoever may answer none of what is listed, nothing is asked.
        const mayAny = KINDS.some((one) => channel.says(who, one));
        expect(channel.talk.judged.length - judged, who).toBe(mayAny ? 1 : 0);
      }
      expect(await channel.decided()).toEqual(before);
      expect(before[kind]).toBe("pending");
      expect(await auditOf(channel.talk.talk)).toHaveLength(lines);
      expect(channel.ran).toEqual([]);
    },
  );
});

describe("a message of whoever may answer", () => {
  let channel: Channel;
  let pairs: ReturnType<typeof pairsOf>;
  beforeAll(async () => {
    const first = await Channel.open([], { prompts: false });
    pairs = pairsOf((who, kind) => first.says(who, kind));
    channel = await Channel.open(
      pairs.map(({ id }) => id),
      { prompts: false },
    );
    await until(() => channel.talk.texts.join("").includes("calls wait for your answer"), "the list");
    await channel.talk.talk.idle();
  });

  it.each(KINDS)("[H-159] [H-137] decides the call that it names: %s", async (kind) => {
    const own = pairs.filter((pair) => pair.kind === kind);
    for (const [n, { id, who }] of own.entries()) {
      await channel.say(who, `${n % 3 === 2 ? "no" : "yes"} ${channel.numberOf(id)}`);
    }
    const approved = own.filter((_pair, n) => n % 3 !== 2).map(({ id }) => id);
    const ran = () => channel.ran.filter((id) => id.replace(/#.*/, "") === kind);
    await until(() => ran().length >= approved.length, "the approved calls to run");
    expect(ran()).toEqual(approved);
  });
});

describe("a button of a network", () => {
  let channel: Channel;
  let pairs: ReturnType<typeof pairsOf>;
  beforeAll(async () => {
    const first = await Channel.open([], { prompts: true });
    pairs = pairsOf((who, kind) => first.says(who, kind));
    channel = await Channel.open([...KINDS, ...pairs.map(({ id }) => id)], { prompts: true });
    await until(() => channel.talk.cards.length === KINDS.length + pairs.length, "the cards");
    await channel.talk.talk.told();
  });

  it.each(KINDS)("[H-159] [H-152] is refused in private to whoever may not answer, with one line: %s", async (kind) => {
    const refused = INSIDE.filter((who) => !channel.says(who, kind));
    const before = await standing(channel.talk.talk);
    const lines = (await auditOf(channel.talk.talk)).length;
    const shown = JSON.stringify(channel.talk.shown);
    for (const who of refused) {
      for (const decision of ["approve", "decline"] as const) {
        expect(await channel.press(who, kind, decision), who).toMatchObject({
          ok: false,
          error: { code: "forbidden" },
        });
      }
    }
    for (const decision of ["approve", "decline"] as const) {
      const answer = await channel.press("elsewhere", kind, decision);
      expect(answer).toMatchObject({ ok: false, error: { code: "not_found" } });
    }
    const told = (await auditOf(channel.talk.talk)).slice(lines);
    expect(told.map(({ event, by }) => [event, by])).toEqual(
      refused.flatMap((who) => [1, 2].map(() => ["refused", channel.people[who].principalId])),
    );
    expect(await standing(channel.talk.talk)).toBe(before);
    expect(JSON.stringify(channel.talk.shown)).toBe(shown);
  });

  it.each(KINDS)("[H-159] decides of whoever may answer, once: %s", async (kind) => {
    const own = pairs.filter((pair) => pair.kind === kind);
    for (const [n, { id, who }] of own.entries()) {
      expect(await channel.press(who, id, n % 3 === 2 ? "decline" : "approve"), who).toEqual({ ok: true, value: {} });
    }
    const approved = own.filter((_pair, n) => n % 3 !== 2).map(({ id }) => id);
    const ran = () => channel.ran.filter((id) => id.replace(/#.*/, "") === kind);
    await until(() => ran().length >= approved.length, "the approved calls to run");
    expect(ran().sort()).toEqual(approved.sort());
  });
});

describe("a question on a network", () => {
  const QUESTION = '{"question":"Which?","options":[{"label":"Red"},{"label":"Blue"}]}';

  async function asked() {
    const channel = await Channel.open([], { prompts: true });
    channel.talk.stage.script = ({ messages }) =>
      JSON.stringify(messages.at(-1)).includes("ask!") && messages.at(-1)?.role === "user"
        ? { calls: [1, 2, 3].map(() => ({ name: "ask_user", args: QUESTION })) }
        : { text: "All done." };
    await channel.talk.talk.idle();
    await channel.talk.say("ask!");
    const prompts = () => channel.talk.cards.flatMap(({ question }) => (question ? [question.prompt] : []));
    await until(() => prompts().length === 3, "the questions");
    await channel.talk.talk.told();
    const reply = (who: Who | "elsewhere", prompt = "") =>
      channel.talk.rpc.reply(channel.people[who], { prompt, answers: [{ choices: ["Red"] }] });
    return { channel, prompts: prompts(), reply };
  }

  it("[H-158] is answered by a button of whoever it was put to, and of owners", async () => {
    const { channel, prompts, reply } = await asked();
    const may: readonly Who[] = ["speaker", "speaker, other identity", "owner"];
    const before = await standing(channel.talk.talk);
    for (const who of INSIDE.filter((one) => !may.includes(one))) {
      expect(await reply(who, prompts[0]), who).toMatchObject({ ok: false, error: { code: "forbidden" } });
    }
    expect(await reply("elsewhere", prompts[0])).toMatchObject({ ok: false, error: { code: "not_found" } });
    expect(await standing(channel.talk.talk)).toBe(before);
    for (const [n, who] of may.entries()) expect(await reply(who, prompts[n]), who).toEqual({ ok: true, value: {} });
    await channel.talk.talk.idle();
    const results = (await channel.talk.talk.transcript()).filter(([kind]) => kind === "tool_result");
    expect(results.map(([, text]) => text.includes('chose "Red"'))).toEqual([true, true, true]);
  });

  it("[H-158] is answered by no words of anybody: they are a message like any other", async () => {
    const { channel } = await asked();
    for (const who of ["member", "owner", "speaker"] as const)
      await channel.talk.say("Red", { by: channel.people[who] });
    await channel.talk.talk.idle();
    const results = (await channel.talk.talk.transcript()).filter(([kind]) => kind === "tool_result");
    expect(JSON.stringify(results)).not.toContain("chose");
    expect(channel.talk.cards.filter(({ closed }) => closed === undefined).length).toBeGreaterThanOrEqual(3);
  });
});
