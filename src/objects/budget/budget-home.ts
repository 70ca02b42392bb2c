import type { AlarmPort, ReportPort, StoragePort } from "../../kernel/index.ts";
import { err, type Result } from "../../lib/result.ts";
import { type BudgetRefusal, decideLease, type FullCap, shareReached } from "../../people/wallet/budget.ts";
import { dayOf, monthOf } from "../../people/wallet/calendar.ts";
import { deploymentCaps } from "../../people/wallet/caps.ts";
import { type Amounts, joinLeases, type LeaseAsk } from "../../people/wallet/lease.ts";
import { dollars } from "../../people/wallet/words.ts";
import type { Config } from "../../protocol/config.ts";
import type { PrincipalRpc } from "../principal/principal-rpc.ts";
import { type Alert, createAlerts, insertAlert, markTold, untoldAlerts } from "./budget-alerts.ts";
import { createHolders, forgetHolders, type Holder, readHolder, readHolders, writeHolder } from "./budget-holders.ts";
import type { SpentBy } from "./budget-rpc.ts";

/** When owners could not be told. Milliseconds. */
const RETRY_MS = 60_000;

export interface BudgetParts {
  readonly storage: StoragePort;
  readonly alarm: AlarmPort;
  readonly clock: { now(): number };
  readonly config: Config;
  readonly owners: () => Promise<readonly string[]>;
  readonly principal: (id: string) => Pick<PrincipalRpc, "notify">;
  readonly report: ReportPort;
}

/** The deployment's money at home in its Durable Object. */
export class BudgetHome {
  readonly #parts: BudgetParts;

  constructor(parts: BudgetParts) {
    this.#parts = parts;
    createHolders(parts.storage);
    createAlerts(parts.storage);
  }

  /** An ask that was overtaken changes nothing. */
  hold(principal: string, ask: LeaseAsk): Result<Amounts, BudgetRefusal> {
    const { storage, config } = this.#parts;
    const before = readHolder(storage, principal);
    if (before && before.seq > ask.seq) return err("overtaken");
    if (before?.day !== ask.day) forgetHolders(storage, ask.day);
    const everybody = readHolders(storage, ask.day);
    const others = everybody.filter((holder) => holder.principal !== principal);
    const answer = decideLease(heldBy(others, ask.day), ask, deploymentCaps(config.spending));
    const held = answer.ok ? answer.value : standing(before, ask);
    writeHolder(storage, { principal, seq: ask.seq, day: ask.day, held, used: ask.used });
    this.#watch(ask.day, answer.ok ? undefined : answer.error);
    return answer;
  }

  /** See {@link BudgetRpc.move}. */
  move(former: string, survivor: string, seq: number): void {
    const { storage } = this.#parts;
    const gone = readHolder(storage, former);
    if (!gone || gone.seq === GONE) return;
    const known = readHolder(storage, survivor);
    storage.transactionSync(() => {
      if (!known || known.seq <= seq) writeHolder(storage, together(gone, known, { principal: survivor, seq }));
      writeHolder(storage, { principal: former, seq: GONE, day: gone.day, held: NOTHING, used: NOTHING });
    });
  }

  spent(): { readonly day: string; readonly people: readonly SpentBy[] } {
    const { storage, clock, config } = this.#parts;
    const day = dayOf(clock.now(), config.timeZone);
    const there = readHolders(storage, day).filter(({ seq }) => seq !== GONE);
    const people = there.map((holder) => ({
      principalId: holder.principal,
      today: holder.day === day ? holder.used.perDay : 0,
      month: holder.used.perMonth,
    }));
    return { day, people: people.toSorted((a, b) => b.month - a.month) };
  }

  /** Tells owners what they were not told yet. */
  async onAlarm(): Promise<void> {
    const { storage, clock, alarm, owners, principal, report } = this.#parts;
    try {
      for (const alert of untoldAlerts(storage)) {
        const notice = {
          id: `spending:${alert.period}:${alert.share}`,
          at: alert.at,
          text: this.#words(alert),
          link: null,
        };
        for (const owner of await owners()) await principal(owner).notify(notice);
        markTold(storage, alert, clock.now());
      }
    } catch (error) {
      report.report("alert.failed", { error: String(error) });
      alarm.set(clock.now() + RETRY_MS);
    }
  }

  /** Notes which share of a cap is reached, once. */
  #watch(day: string, refused: FullCap | undefined): void {
    const { storage, alarm, clock, config } = this.#parts;
    const caps = deploymentCaps(config.spending);
    const used = usedBy(readHolders(storage, day), day);
    const shares = [
      { period: day, share: shareReached(used.perDay, caps.perDay, refused === "day") },
      { period: monthOf(day), share: shareReached(used.perMonth, caps.perMonth, refused === "month") },
    ];
    for (const { period, share } of shares) {
      if (share !== undefined && insertAlert(storage, { period, share, at: clock.now() })) alarm.set(clock.now());
    }
  }

  #words({ period, share }: Alert): string {
    const { spending } = this.#parts.config;
    const isMonth = period === monthOf(period);
    const cap = (isMonth ? spending.deployment.perMonth : spending.deployment.perDay) ?? 0;
    const what = `the deployment's ${dollars(cap * 1_000_000)} for ${period}`;
    return share === 100
      ? `No money is left of ${what}: requests to models are refused until it begins anew, or "spending.deployment" in althing.config.ts is raised.`
      : `${share} % of ${what} is spent.`;
  }
}

/** In place of a number of asks: whoever it was is somebody else, so that every ask of theirs is overtaken. */
const GONE = Number.MAX_SAFE_INTEGER;
const NOTHING: Amounts = { perDay: 0, perMonth: 0 };

function together(
  one: Holder,
  other: Holder | undefined,
  { principal, seq }: Pick<Holder, "principal" | "seq">,
): Holder {
  if (!other) return { ...one, principal, seq };
  const join = (of: (holder: Holder) => Amounts) =>
    joinLeases({ day: one.day, ...of(one) }, { day: other.day, ...of(other) });
  const { day, ...held } = join((holder) => holder.held);
  const { day: _same, ...used } = join((holder) => holder.used);
  return { principal, seq, day, held, used };
}

/** What is held in a day, and in its month by whoever told something in it. */
function heldBy(holders: readonly Holder[], day: string): Amounts {
  return sum(holders, day, ({ held }) => held);
}

function usedBy(holders: readonly Holder[], day: string): Amounts {
  return sum(holders, day, ({ used }) => used);
}

function sum(holders: readonly Holder[], day: string, amounts: (holder: Holder) => Amounts): Amounts {
  return holders.reduce(
    (total, holder) => ({
      perDay: total.perDay + (holder.day === day ? amounts(holder).perDay : 0),
      perMonth: total.perMonth + amounts(holder).perMonth,
    }),
    { perDay: 0, perMonth: 0 },
  );
}

/** What a refused person's object goes on to hold. */
function standing(before: Holder | undefined, { day, used }: LeaseAsk): Amounts {
  const held = before && monthOf(before.day) === monthOf(day) ? before.held : { perDay: 0, perMonth: 0 };
  const perDay = before?.day === day ? held.perDay : 0;
  return { perDay: Math.max(perDay, used.perDay), perMonth: Math.max(held.perMonth, used.perMonth) };
}
