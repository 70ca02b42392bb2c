import type { AlarmPort, ReportPort, StoragePort } from "../../kernel/index.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import type { Tier } from "../../people/facts.ts";
import type { FullCap } from "../../people/wallet/budget.ts";
import { dayOf } from "../../people/wallet/calendar.ts";
import { capsOf, deploymentCaps } from "../../people/wallet/caps.ts";
import { askFor, covers, giveBack, joinLeases, type LeaseAsk } from "../../people/wallet/lease.ts";
import { beginTurn, endTurn, joinTurns } from "../../people/wallet/turns.ts";
import { type Ask, asOf, committed, joinWallets, reserve, settle } from "../../people/wallet/wallet.ts";
import { budgetWords, turnWords, walletWords } from "../../people/wallet/words.ts";
import type { Config } from "../../protocol/config.ts";
import type { Spending } from "../../protocol/spending.ts";
import type { BudgetRpc } from "../budget/budget-rpc.ts";
import { type Purse, readPurse, writePurse } from "./principal-purse.ts";
import type { SpendAsk } from "./principal-rpc.ts";

/** What is held of the deployment's caps and not needed goes back after this long without a request. Milliseconds. */
const IDLE_MS = 10 * 60_000;

/** What the money of one person is kept with. */
export interface MoneyParts {
  readonly principalId: string;
  readonly storage: StoragePort;
  readonly alarm: AlarmPort;
  readonly clock: { now(): number };
  readonly config: Config;
  readonly budget: () => BudgetRpc;
  readonly report: ReportPort;
  /** Asks for one {@link PrincipalMoney.flush} a moment later. */
  readonly flushLater: () => void;
}

/**
 * One person's money and turns. Each change is one synchronous stretch that ends with its row; where the deployment's
 * budget has to be asked in between, everything is looked at anew afterwards. Turns alone are written a moment later: they
 * bound how much is begun, and no first word waits for the disk on their account.
 */
export class PrincipalMoney {
  readonly #parts: MoneyParts;
  #purse: Purse;
  /** As the row stands. */
  #stored: Purse;
  #usedAt = 0;
  #leasing: Promise<unknown> | undefined;
  #isClosed = false;

  constructor(parts: MoneyParts) {
    this.#parts = parts;
    this.#purse = readPurse(parts.storage);
    this.#stored = this.#purse;
  }

  /** @throws when the deployment's budget cannot be asked. */
  async reserve({ ask, begins, debts }: SpendAsk): Promise<Result<null, string>> {
    const { config, principalId } = this.#parts;
    const zone = config.timeZone;
    for (;;) {
      const now = this.#begin();
      const paid = this.#paid(debts);
      const begun = begins === null ? ok(paid.turns) : beginTurn(paid.turns, begins, config.turns, now);
      if (!begun.ok) return this.#refuse(paid, turnWords(begun.error));
      if (ask === null) return this.#accept({ ...paid, turns: begun.value });
      const caps = capsOf(config.spending, principalId, ask.tier);
      const reserved = reserve(paid.wallet, ask, caps, now);
      if (!reserved.ok) return this.#refuse(paid, walletWords(reserved.error, ask.micros, zone));
      if (covers(paid.lease, paid.wallet, ask.key, ask.micros)) {
        return this.#accept({ ...paid, wallet: reserved.value, turns: begun.value });
      }
      this.#save(paid);
      const refusal = await this.#lease(ask);
      if (refusal !== undefined) return err(budgetWords(refusal, zone));
    }
  }

  settle(debts: readonly Ask[]): void {
    this.#begin();
    this.#save(this.#paid(debts));
  }

  spending(tier: Tier): Spending {
    this.#begin();
    const { wallet } = this.#purse;
    const { day, today, month } = wallet;
    const caps = capsOf(this.#parts.config.spending, this.#parts.principalId, tier);
    return { day, today, month, reserved: committed(wallet, "day") - today, caps };
  }

  /** Takes over what somebody had. @returns the number above which asks for a lease count it. */
  absorb(other: Purse): number {
    const now = this.#begin();
    const { wallet, turns, lease, seq } = this.#purse;
    const before = seq + 1;
    this.#save({
      wallet: joinWallets(wallet, asOf(other.wallet, now, wallet.day)),
      turns: joinTurns(turns, other.turns, now),
      lease: joinLeases(lease, other.lease),
      seq: before,
    });
    this.#arm();
    return before;
  }

  /** From now on nothing is set aside or counted here. @returns how it stays. */
  async close(): Promise<Purse> {
    this.#isClosed = true;
    await this.#leasing?.catch(() => undefined);
    return this.#purse;
  }

  /** Gives back what is held and not needed, unless something happened lately. */
  async onAlarm(): Promise<void> {
    const { clock, budget, principalId, report } = this.#parts;
    const now = this.#begin();
    if (now - this.#usedAt < IDLE_MS || Object.keys(this.#purse.wallet.open).length > 0) return this.#arm();
    const ask = giveBack(this.#purse.wallet, this.#purse.seq + 1);
    // First here, then there: nothing is spent that somebody else may hold meanwhile.
    this.#save({ ...this.#purse, lease: { day: ask.day, ...ask.need }, seq: ask.seq });
    try {
      await budget().hold(principalId, ask);
    } catch (error) {
      report.report("budget.failed", { error: String(error), at: clock.now() });
      this.#arm();
    }
  }

  /** Brings everything up to now. */
  #begin(): number {
    if (this.#isClosed) throw new Error("this person is somebody else by now; ask again");
    const { clock, config } = this.#parts;
    const now = clock.now();
    this.#purse = { ...this.#purse, wallet: asOf(this.#purse.wallet, now, dayOf(now, config.timeZone)) };
    return now;
  }

  #paid(debts: readonly Ask[]): Purse {
    return debts.reduce<Purse>(
      (purse, debt) => ({
        ...purse,
        wallet: settle(purse.wallet, debt),
        turns: endTurn(purse.turns, debt.key),
      }),
      this.#purse,
    );
  }

  #accept(purse: Purse): Result<null, string> {
    this.#usedAt = this.#parts.clock.now();
    this.#save(purse);
    return ok(null);
  }

  #refuse(purse: Purse, words: string): Result<null, string> {
    this.#save(purse);
    return err(words);
  }

  /** Writes what is not written yet. */
  flush(): void {
    if (this.#isClosed || (isWrittenButTurns(this.#purse, this.#stored) && this.#purse.turns === this.#stored.turns))
      return;
    writePurse(this.#parts.storage, this.#purse);
    this.#stored = this.#purse;
  }

  #save(purse: Purse): void {
    this.#purse = purse;
    if (!isWrittenButTurns(purse, this.#stored)) this.flush();
    else if (purse.turns !== this.#stored.turns) this.#parts.flushLater();
  }

  /** Asks the deployment for room; one ask at a time. Returns which cap has none. */
  async #lease(ask: Ask): Promise<FullCap | undefined> {
    if (this.#leasing) {
      await this.#leasing.catch(() => undefined);
      return undefined;
    }
    const { wallet, seq } = this.#purse;
    const wanted = askFor(wallet, ask.key, ask.micros, deploymentCaps(this.#parts.config.spending), seq + 1);
    const asking = this.#hold(wanted);
    this.#leasing = asking;
    try {
      return await asking;
    } finally {
      this.#leasing = undefined;
    }
  }

  async #hold(ask: LeaseAsk): Promise<FullCap | undefined> {
    this.#purse = { ...this.#purse, seq: ask.seq };
    const answer = await this.#parts.budget().hold(this.#parts.principalId, ask);
    if (!answer.ok) {
      if (answer.error === "overtaken") throw new Error(`ask ${ask.seq} for a lease was overtaken`);
      return answer.error;
    }
    this.#save({ ...this.#purse, lease: { day: ask.day, ...answer.value } });
    this.#arm();
    return undefined;
  }

  #arm(): void {
    this.#parts.alarm.set(this.#parts.clock.now() + IDLE_MS);
  }
}

/** Whether a row says of a purse all but its turns. What did not change is the same object still. */
function isWrittenButTurns(purse: Purse, row: Purse): boolean {
  return purse.wallet === row.wallet && purse.lease === row.lease && purse.seq === row.seq;
}
