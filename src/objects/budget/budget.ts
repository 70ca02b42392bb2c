import { DurableObject } from "cloudflare:workers";
import type { Result } from "../../lib/result.ts";
import type { BudgetRefusal } from "../../people/wallet/budget.ts";
import type { Amounts, LeaseAsk } from "../../people/wallet/lease.ts";
import type { Config } from "../../protocol/config.ts";
import { openDatabase } from "../../store/database.ts";
import { listOwnerIds } from "../../store/people.ts";
import { reportFor } from "../log.ts";
import { objectAlarm, systemClock } from "../platform.ts";
import { principalOf } from "../principal/principal-rpc.ts";
import { BudgetHome } from "./budget-home.ts";
import type { BudgetRpc, SpentBy } from "./budget-rpc.ts";

/**
 * The Budget object: one per deployment. Keeps how much of the deployment's caps each person's object holds, and tells
 * owners when they run out. Wires the platform's events and decides nothing.
 */
export class BudgetObject extends DurableObject<Env> implements BudgetRpc {
  readonly #home: BudgetHome;

  constructor(ctx: DurableObjectState, env: Env, options: { readonly config: Config }) {
    super(ctx, env);
    this.#home = new BudgetHome({
      storage: ctx.storage,
      alarm: objectAlarm(ctx.storage),
      clock: systemClock,
      config: options.config,
      owners: () => listOwnerIds(openDatabase(env.DB)),
      principal: (id) => principalOf(env, id),
      report: reportFor("budget"),
    });
  }

  async hold(principalId: string, ask: LeaseAsk): Promise<Result<Amounts, BudgetRefusal>> {
    return this.#home.hold(principalId, ask);
  }

  async move(former: string, survivor: string, seq: number): Promise<void> {
    this.#home.move(former, survivor, seq);
  }

  async spent(): Promise<{ readonly day: string; readonly people: readonly SpentBy[] }> {
    return this.#home.spent();
  }

  override async alarm(): Promise<void> {
    await this.#home.onAlarm();
  }
}
