import { env, evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import type { BudgetRpc } from "../../src/objects/budget/budget-rpc.ts";
import { principalOf } from "../../src/objects/principal/principal-rpc.ts";
import type { Caller } from "../../src/people/facts.ts";
import type { ConfigInput } from "../../src/protocol/config.ts";
import type { ViewEntry } from "../../src/protocol/view.ts";
import { Deployment } from "../kit/deployment.workers.ts";
import { SCRIPTED_USAGE } from "../kit/scripted-model.ts";
import { Stage } from "../kit/stage.workers.ts";
import { newPerson, Talk } from "../kit/talk.workers.ts";
import { until } from "../kit/until.ts";

/** A request may cost 0.10 dollars: its whole output limit. What it says costs nothing, so that this is exact. */
const WORST = 100_000;
const PAID: ConfigInput = {
  providers: {
    paid: {
      kind: "openai-chat",
      baseUrl: "http://127.0.0.1:1",
      models: [{ id: "m", maxOutputTokens: 1_000, price: { input: 0, output: 100 } }],
    },
  },
};

type Spending = NonNullable<ConfigInput["spending"]>;

interface Paying {
  readonly caller: Caller;
  readonly deployment: Deployment;
  /** A conversation of this person whose answers cost so much. */
  talk(costMicros?: number): Promise<Talk>;
}

async function paying(spending: Spending, turns?: ConfigInput["turns"]): Promise<Paying> {
  const deployment = Deployment.begin({ spending, ...(turns && { turns }) });
  const caller = await newPerson();
  return { caller, deployment, talk: (costMicros) => talkOf(caller, costMicros) };
}

function talkOf(caller: Caller, costMicros = WORST): Promise<Talk> {
  const stage = new Stage();
  stage.config = { ...stage.config, ...PAID };
  stage.script = () => ({ text: "Done.", usage: { ...SCRIPTED_USAGE, costMicros } });
  return Talk.begin(stage, caller);
}

const spendingOf = ({ caller }: Paying) => principalOf(env, caller.principalId).spending("member");
const failureOf = (entries: readonly ViewEntry[]) =>
  (entries.at(-1)?.data as { readonly display?: { readonly error?: string } } | undefined)?.display?.error;

/** What a conversation asks of somebody's object for one request. */
function reserveFor({ principalId }: Caller, nth: number) {
  const ask = { key: `web:x#${nth}/1`, micros: WORST, tier: "member" as const };
  return principalOf(env, principalId).reserve({ ask, begins: null, debts: [] });
}

/** Says something and waits for what comes of it. */
async function ask(talk: Talk): Promise<string> {
  await talk.say("Hello");
  await talk.idle();
  return failureOf((await talk.snapshot()).view.entries) ?? "answered";
}

describe("a person's cap", () => {
  it("[Y-12] [S22] 50 requests at once at the edge of the cap: set aside is never beyond it, whoever comes first", async () => {
    const person = await paying({ tiers: { member: { perDay: 1 } }, deployment: {} });
    const granted = await Promise.all(Array.from({ length: 50 }, (_, nth) => reserveFor(person.caller, nth)));
    expect(granted.filter(({ ok }) => ok)).toHaveLength(10);
    expect(await spendingOf(person)).toMatchObject({ today: 0, reserved: 10 * WORST });
  });

  it("[Y-12] [S22] 15 conversations that speak at once spend it and no more, and are told why", async () => {
    const person = await paying({ tiers: { member: { perDay: 1 } }, deployment: {} });
    const talks = await Promise.all(Array.from({ length: 15 }, () => person.talk()));
    const outcomes = await Promise.all(talks.map(ask));
    const sent = talks.reduce((sum, { stage }) => sum + stage.model.requests.length, 0);
    expect(sent).toBe(10);
    expect(outcomes.filter((outcome) => outcome === "answered")).toHaveLength(10);
    await until(async () => (await spendingOf(person)).reserved === 0, "everything to be settled");
    expect(await spendingOf(person)).toMatchObject({ today: 10 * WORST, month: 10 * WORST });
    expect(outcomes.find((outcome) => outcome !== "answered")).toBe(
      'This request may cost up to $0.10, and of your $1.00 a day $0.00 is left. It begins anew at midnight (UTC). An owner can raise your cap: "spending" in althing.config.ts.',
    );
  });

  it("[Y-1] [Y-4] what is set aside is the whole output limit; what is settled is what it cost", async () => {
    const person = await paying({ tiers: { member: { perDay: 1 } } });
    const talk = await person.talk(7);
    let reserved = 0;
    talk.stage.script = () => ({
      text: "Done.",
      usage: { ...SCRIPTED_USAGE, costMicros: 7 },
      between: async () => {
        ({ reserved } = await spendingOf(person));
      },
    });
    expect(await ask(talk)).toBe("answered");
    expect(reserved).toBe(WORST);
    await until(async () => (await spendingOf(person)).reserved === 0, "it to be settled");
    expect(await spendingOf(person)).toMatchObject({ today: 7 });
  });

  it("[Y-26] a subagent and a fork spend what their speaker has", async () => {
    const person = await paying({ tiers: { member: { perDay: 1 } } });
    const talk = await person.talk();
    talk.stage.script = ({ messages, tools }) => {
      const usage = { ...SCRIPTED_USAGE, costMicros: WORST };
      const isFirst = messages.at(-1)?.role === "user" && tools.some(({ name }) => name === "run_subagent");
      const args = JSON.stringify({ task: "Say hello." });
      return isFirst ? { calls: [{ name: "run_subagent", args }], usage } : { text: "Done.", usage };
    };
    expect(await ask(talk)).toBe("answered");
    await until(async () => (await spendingOf(person)).reserved === 0, "it to be settled");
    const calls = talk.stage.model.requests.length;
    expect(calls).toBeGreaterThanOrEqual(3);
    expect((await spendingOf(person)).today).toBe(calls * WORST);

    const stage = new Stage();
    stage.config = { ...stage.config, ...PAID };
    stage.script = () => ({ text: "Done.", usage: { ...SCRIPTED_USAGE, costMicros: WORST } });
    const fork = await talk.fork((await talk.control()).lastEntry, stage);
    await fork.idle();
    expect(await ask(fork)).toBe("answered");
    await until(async () => (await spendingOf(person)).today === (calls + 1) * WORST, "the fork's request to count");
  });

  it("[Y-28] sending a request again is paid for by whoever does it, and refused without money", async () => {
    const person = await paying({ tiers: { member: { perDay: 0.2 } } });
    const talk = await person.talk();
    expect(await ask(talk)).toBe("answered");
    const entry = (await talk.snapshot()).view.entries.at(-1)?.id ?? 0;
    await until(async () => (await spendingOf(person)).reserved === 0, "it to be settled");
    expect(await talk.rpc.replay(talk.caller, entry, "paid/m")).toMatchObject({ ok: true, value: { ok: true } });
    expect(await spendingOf(person)).toMatchObject({ today: 2 * WORST, reserved: 0 });
    expect(await talk.rpc.replay(talk.caller, entry, "paid/m")).toMatchObject({
      ok: false,
      error: { code: "rate_limited" },
    });
    expect(talk.stage.model.requests).toHaveLength(2);
  });

  it("[Y-23] what was set aside and spent outlives the person's object", async () => {
    const person = await paying({ tiers: { member: { perDay: 1 } } });
    expect(await ask(await person.talk())).toBe("answered");
    await until(async () => (await spendingOf(person)).today === WORST, "it to be settled");
    await evictDurableObject(env.PRINCIPAL.getByName(person.caller.principalId));
    expect(await spendingOf(person)).toMatchObject({ today: WORST });
  });
});

describe("the deployment's cap", () => {
  const budgetOf = ({ deployment }: Paying) => env.BUDGET.getByName(deployment.budget);
  const spentOf = (person: Paying) => (budgetOf(person) as unknown as BudgetRpc).spent();

  it("[Y-12] 50 requests of five people at once never hold more than it together", async () => {
    const first = await paying({ tiers: { member: {} }, deployment: { perDay: 1 } });
    const callers = [first.caller, ...(await Promise.all(Array.from({ length: 4 }, () => newPerson())))];
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, nth) => reserveFor(callers[nth % 5] ?? first.caller, nth)),
    );
    const granted = answers.filter(({ ok }) => ok).length;
    // A slice that somebody holds and has no use for may keep a request out.
    expect(granted).toBeGreaterThanOrEqual(8);
    expect(granted).toBeLessThanOrEqual(10);
    expect(answers.find(({ ok }) => !ok)).toEqual({
      ok: false,
      error:
        'This deployment\'s spending for this day is used up. It begins anew at midnight (UTC). An owner can raise it: "spending.deployment" in althing.config.ts.',
    });
  });

  it("[Y-10] is asked about once for many requests", async () => {
    const person = await paying({ tiers: { member: {} }, deployment: { perDay: 100 } });
    const talk = await person.talk(1);
    for (let nth = 0; nth < 3; nth++) expect(await ask(talk)).toBe("answered");
    const seq = await runInDurableObject(budgetOf(person), (_, { storage }) =>
      storage.sql.exec<{ seq: number }>("SELECT seq FROM holders").toArray(),
    );
    expect(seq).toEqual([{ seq: 1 }]);
  });

  it("[Y-14] an ask that a newer one has overtaken is refused and changes nothing", async () => {
    const person = await paying({ deployment: { perDay: 1 } });
    const budget = budgetOf(person) as unknown as BudgetRpc;
    const { day } = await budget.spent();
    const amounts = (micros: number) => ({ perDay: micros, perMonth: micros });
    const newer = { seq: 2, day, used: amounts(5), need: amounts(5), want: amounts(5) };
    expect(await budget.hold("p_x", newer)).toEqual({ ok: true, value: amounts(5) });
    const older = { ...newer, seq: 1, used: amounts(9) };
    expect(await budget.hold("p_x", older)).toEqual({ ok: false, error: "overtaken" });
    expect((await budget.spent()).people).toEqual([{ principalId: "p_x", today: 5, month: 5 }]);
  });

  it("[Y-14] asks that were refused are not overtaken by themselves after a death of the person's object", async () => {
    const person = await paying({ deployment: { perDay: 0.05 } });
    for (let nth = 1; nth <= 4; nth++) expect(await reserveFor(person.caller, nth)).toMatchObject({ ok: false });
    await evictDurableObject(env.PRINCIPAL.getByName(person.caller.principalId));
    expect(await reserveFor(person.caller, 5)).toEqual({ ok: false, error: expect.stringContaining("is used up") });
  });

  it("[Y-13] what is held and not needed goes back once nothing happened for a while", async () => {
    const person = await paying({ tiers: { member: {} }, deployment: { perDay: 100 } });
    expect(await ask(await person.talk(3))).toBe("answered");
    await until(async () => (await spendingOf(person)).today === 3, "it to be settled");
    const object = env.PRINCIPAL.getByName(person.caller.principalId);
    // A fresh object has not been used lately.
    await evictDurableObject(object);
    expect(await runDurableObjectAlarm(object)).toBe(true);
    expect((await spentOf(person)).people).toEqual([{ principalId: person.caller.principalId, today: 3, month: 3 }]);
    const [holder] = await runInDurableObject(budgetOf(person), (_, { storage }) =>
      storage.sql.exec("SELECT day_held, month_held FROM holders").toArray(),
    );
    expect(holder).toEqual({ day_held: 3, month_held: 3 });
  });

  it("[Y-15] owners are told once of each share that is reached, and of the last with the first refusal", async () => {
    const owner = await newPerson("owner");
    const person = await paying({ tiers: { member: {} }, deployment: { perDay: 0.2 } });
    const talk = await person.talk();
    const texts = async () =>
      (await principalOf(env, owner.principalId).notices())
        .map(({ text }) => text)
        .filter((text) => text.includes("$0.20"));
    for (let nth = 1; nth <= 3; nth++) {
      const outcome = await ask(talk);
      expect(outcome === "answered").toBe(nth <= 2);
      await until(async () => (await spendingOf(person)).reserved === 0, "it to be settled");
      await runDurableObjectAlarm(budgetOf(person));
    }
    const { day } = await spentOf(person);
    expect(await texts()).toEqual([
      `No money is left of the deployment's $0.20 for ${day}: requests to models are refused until it begins anew, or "spending.deployment" in althing.config.ts is raised.`,
      `50 % of the deployment's $0.20 for ${day} is spent.`,
    ]);
  });
});

describe("turns of a person", () => {
  it("[Y-30] [Y-32] two run at once; the third is refused, visibly, and its words stand to be said again", async () => {
    const person = await paying({}, { running: 2 });
    const talks = await Promise.all([person.talk(), person.talk(), person.talk()]);
    let isOver = false;
    for (const { stage } of talks.slice(0, 2)) {
      stage.script = () => ({ text: "Done.", between: () => until(() => isOver, "the end of the test") });
    }
    for (const talk of talks.slice(0, 2)) await talk.say("Hello");
    await until(() => talks.slice(0, 2).every(({ stage }) => stage.model.requests.length === 1), "both to run");
    const [first, , third] = talks;
    if (!first || !third) throw new Error("there are three");
    expect(await ask(third)).toBe("You have 2 turns running, the limit: wait for one to end, then try again.");
    expect(await third.transcript()).toEqual([
      ["user", "Hello"],
      ["assistant", ""],
    ]);
    isOver = true;
    await first.idle();
    await until(async () => (await ask(third)) === "answered", "a place to be free");
  });

  it("[Y-31] so many begin within a minute; one more is refused", async () => {
    const person = await paying({}, { perMinute: 3 });
    const talk = await person.talk();
    for (let nth = 0; nth < 3; nth++) expect(await ask(talk)).toBe("answered");
    expect(await ask(talk)).toMatch(/^You began 3 turns within a minute, the limit: try again in \d+ s\.$/);
  });

  it("[Y-35] are written a moment after they are counted; what is set aside is written before it is answered", async () => {
    const person = await paying({ tiers: { member: { perDay: 1 } } }, { running: 1 });
    const { principalId } = person.caller;
    const stub = env.PRINCIPAL.getByName(principalId);
    const written = () =>
      runInDurableObject(stub, (_object, { storage }) => storage.sql.exec("SELECT body FROM purse").toArray());
    await reserveFor(person.caller, 1);
    const [before] = await written();
    expect(before?.body).toContain("web:x#1/1");
    const begin = (begins: string) => principalOf(env, principalId).reserve({ ask: null, begins, debts: [] });
    expect(await begin("web:x#turn/1")).toEqual({ ok: true, value: null });
    expect(await written()).toEqual([before]);
    expect(await begin("web:x#turn/2")).toMatchObject({ ok: false });
    await until(async () => (await written())[0]?.body !== before?.body, "the turn to be written");
    expect((await written())[0]?.body).toContain("web:x#turn/1");
  });
});
