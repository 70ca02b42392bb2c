import { applyD1Migrations, env, reset, runInDurableObject } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, it } from "vitest";
import type { StoragePort } from "../../src/kernel/index.ts";
import type { BudgetRpc } from "../../src/objects/budget/budget-rpc.ts";
import { createJobs } from "../../src/objects/principal/durable-job.ts";
import type { Estate, MergeOrder } from "../../src/objects/principal/merge-rpc.ts";
import { PrincipalObject } from "../../src/objects/principal/principal.ts";
import { PrincipalMerge } from "../../src/objects/principal/principal-merge.ts";
import { principalOf } from "../../src/objects/principal/principal-rpc.ts";
import { openDatabase } from "../../src/store/database.ts";
import { formerIds } from "../../src/store/former-ids.ts";
import { peopleAudit } from "../../src/store/people-audit.ts";
import { CrashPoints } from "../kit/crash.ts";
import { Deployment } from "../kit/deployment.workers.ts";
import { fresh } from "../kit/directory.ts";
import { Stage } from "../kit/stage.workers.ts";
import { Talk } from "../kit/talk.workers.ts";

beforeEach(async () => {
  await reset();
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
});

const db = openDatabase(env.DB);
const budget = () => env.BUDGET.getByName(Deployment.current.budget) as unknown as BudgetRpc;

/** Where one life may die, in order: around each store of how far it is, and after each effect. */
const POINTS = [
  "before it is ordered",
  "ordered",
  "written, before that is stored",
  "written",
  "taken over",
  "moved at the budget",
  "emptied, before that is stored",
  "moved",
  "joined in the room",
  "finished, before that is stored",
  "done",
] as const;

const NOTHING: Estate = {
  purse: {
    wallet: { day: "", today: 0, month: 0, open: {}, expired: {} },
    turns: { running: {}, minute: { since: 0, count: 0 }, hour: { since: 0, count: 0 } },
    lease: { day: "", perDay: 0, perMonth: 0 },
    seq: 1,
  },
  notices: [],
  seen: [],
};

/** Who has spent 300 and set 40 aside today, holds 400 of the deployment's caps, and has a notice. */
async function estateOf(person: string): Promise<Estate> {
  const { day } = await budget().spent();
  const [used, held] = [300, 400].map((micros) => ({ perDay: micros, perMonth: micros }));
  if (!used || !held) throw new Error("no amounts");
  await budget().hold(person, { seq: 1, day, used, need: used, want: held });
  const wallet = {
    day,
    today: 300,
    month: 300,
    open: { "web:1#1": { micros: 40, at: Date.now(), day } },
    expired: {},
  };
  return {
    ...NOTHING,
    purse: { ...NOTHING.purse, wallet, lease: { day, ...held } },
    notices: [{ id: "n", at: 1, text: "Hi", link: null, read_at: null }],
  };
}

/** Storage that may die around each store of how far the job is. */
function dyingStorage(storage: DurableObjectStorage, points: CrashPoints, life: number): StoragePort {
  return {
    transactionSync: (closure) => storage.transactionSync(closure),
    sql: {
      exec(query, ...bindings) {
        if (!query.startsWith("INSERT INTO merge")) return storage.sql.exec(query, ...bindings);
        points.point(life, "before");
        const cursor = storage.sql.exec(query, ...bindings);
        points.point(life, "after");
        return cursor;
      },
    } as StoragePort["sql"],
  };
}

describe("dying while two become one", () => {
  it.each(POINTS.map((name, nth) => [name, nth] as const))(
    "[J-71] [J-75] when it is %s, it comes to the same",
    async (_, nth) => {
      const { owner, others } = await Talk.room(new Stage(), ["Anna", "Bert"]);
      const [anna, bert] = others.map(({ caller }) => caller.principalId);
      if (anna === undefined || bert === undefined) throw new Error("nobody came");
      await owner.told();
      const estate = await estateOf(bert);
      const seen = { person: "member", survivor: "member" } as const;
      const order: MergeOrder = { id: fresh("m"), person: bert, into: anna, by: owner.caller.principalId, seen };
      const points = new CrashPoints([nth]);
      let kept = estate;
      let now = Date.now();
      await runInDurableObject(env.SCRATCH.get(env.SCRATCH.newUniqueId()), async (_scratch, { storage }) => {
        createJobs(storage);
        const live = () => {
          const life = points.begin();
          const after = async <T>(effect: Promise<T>) => {
            const value = await effect;
            points.point(life, "effect");
            return value;
          };
          return new PrincipalMerge({
            storage: dyingStorage(storage, points, life),
            alarm: { set: () => undefined, delete: () => undefined },
            clock: { now: () => now },
            report: { report: () => undefined },
            db,
            peer: () => ({ mergeMember: (former) => after(owner.rpc.mergeMember(former)) }),
            principal: (id) => ({ absorb: (...what) => after(principalOf(env, id).absorb(...what)) }),
            budget: () => ({ move: (...how) => after(budget().move(...how)) }),
            estate: () => Promise.resolve(kept),
            empty: () => {
              kept = NOTHING;
            },
          });
        };
        const dead = () => undefined;
        await live().merge(order).catch(dead);
        const isWritten = (await db.$count(formerIds)) === 1;
        // Whoever ordered it hears of no answer, and orders it again.
        if (!isWritten) await live().merge(order).catch(dead);
        for (let lives = 0; lives < 6; lives++) {
          now += 60_000;
          const one = live();
          for (let step = 0; step < 4; step++) await one.onAlarm().catch(dead);
        }
        const last = live();
        expect([last.due, last.survivor]).toEqual([undefined, anna]);
      });
      expect(points.passed.length).toBeGreaterThanOrEqual(POINTS.length);
      expect(await principalOf(env, anna).spending("member")).toMatchObject({ today: 300, month: 300, reserved: 40 });
      expect(await principalOf(env, anna).notices()).toHaveLength(1);
      expect((await budget().spent()).people).toMatchObject([{ principalId: anna, today: 300, month: 300 }]);
      expect(await db.$count(peopleAudit, eq(peopleAudit.action, "merge"))).toBe(1);
      expect(await db.select().from(formerIds)).toMatchObject([{ former: bert, finishedAt: expect.any(Number) }]);
      const members = await owner.rpc.members(owner.caller);
      expect(members.ok && members.value.members.map(({ principalId }) => principalId)).toContain(anna);
      expect(members.ok && members.value.members).toHaveLength(2);
    },
  );
});

describe("taking over", () => {
  it("[J-71] what could not be stored whole is not there in memory either, and is taken over once when it can", async () => {
    const { others } = await Talk.room(new Stage(), ["Anna", "Bert"]);
    const [anna, bert] = others.map(({ caller }) => caller.principalId);
    if (anna === undefined || bert === undefined) throw new Error("nobody came");
    const estate = await estateOf(bert);
    const survivor = principalOf(env, anna);
    await survivor.spending("member");
    await runInDurableObject(env.PRINCIPAL.getByName(anna), (person, { storage }) => {
      if (!(person instanceof PrincipalObject)) throw new Error("PRINCIPAL holds objects of people");
      storage.sql.exec("CREATE TRIGGER full BEFORE INSERT ON absorbed BEGIN SELECT RAISE(ABORT, 'no room'); END");
      expect(() => person.home.absorb(bert, estate)).toThrow("no room");
      storage.sql.exec("DROP TRIGGER full");
    });
    expect(await survivor.spending("member")).toMatchObject({ today: 0, reserved: 0 });
    await survivor.absorb(bert, estate);
    await survivor.absorb(bert, estate);
    expect(await survivor.spending("member")).toMatchObject({ today: 300, reserved: 40 });
    expect(await survivor.notices()).toHaveLength(1);
  });
});
