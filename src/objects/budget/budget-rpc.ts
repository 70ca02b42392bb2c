import type { Result } from "../../lib/result.ts";
import type { BudgetRefusal } from "../../people/wallet/budget.ts";
import type { Amounts, LeaseAsk } from "../../people/wallet/lease.ts";

/** What one person was last known to have spent. */
export interface SpentBy {
  readonly principalId: string;
  readonly today: number;
  readonly month: number;
}

/** What the deployment's one budget object answers to. */
export interface BudgetRpc {
  /** How much of the deployment's caps a person's object may hold from now on. */
  hold(principalId: string, ask: LeaseAsk): Promise<Result<Amounts, BudgetRefusal>>;
  /**
   * What one person holds and spent counts as another's from now on. Again it changes nothing.
   * @param seq of the other's asks: one above has counted it already.
   */
  move(former: string, survivor: string, seq: number): Promise<void>;
  /** Everybody who spent something this month, most first. */
  spent(): Promise<{ readonly day: string; readonly people: readonly SpentBy[] }>;
}

const NAME = "deployment";

/** The deployment's budget. A fresh stub each time: one that failed once stays broken. */
export function budgetOf(env: { readonly BUDGET: { getByName(name: string): unknown } }): BudgetRpc {
  return env.BUDGET.getByName(NAME) as BudgetRpc;
}
