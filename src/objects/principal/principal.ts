import { DurableObject } from "cloudflare:workers";
import type { Result } from "../../lib/result.ts";
import type { Tier } from "../../people/facts.ts";
import type { Refused } from "../../people/may-act.ts";
import type { Ask } from "../../people/wallet/wallet.ts";
import type { Config } from "../../protocol/config.ts";
import type { Notice, NoticeDraft } from "../../protocol/notices.ts";
import type { Spending } from "../../protocol/spending.ts";
import type { ErasureOrder, PersonalStore } from "../erasure/erasure-rpc.ts";
import { PrincipalHome } from "./principal-home.ts";
import type { PrincipalRpc, SpendAsk } from "./principal-rpc.ts";

/**
 * A Principal object: one per person, named by the principal's id. Keeps their money, turns, notices and how far they read.
 * Wires the platform's events and decides nothing.
 */
export class PrincipalObject extends DurableObject<Env> implements PrincipalRpc {
  readonly #home: PrincipalHome;

  constructor(ctx: DurableObjectState, env: Env, options: { readonly config: Config }) {
    super(ctx, env);
    this.#home = new PrincipalHome(ctx, env, options.config);
  }

  reserve(ask: SpendAsk): Promise<Result<null, string>> {
    return this.#home.money.reserve(ask);
  }

  async settle(debts: readonly Ask[]): Promise<void> {
    this.#home.money.settle(debts);
  }

  async spending(tier: Tier): Promise<Spending> {
    return this.#home.money.spending(tier);
  }

  async notify(notice: NoticeDraft): Promise<void> {
    this.#home.notify(notice);
  }

  async notices(): Promise<readonly Notice[]> {
    return this.#home.notices();
  }

  async markRead(ids: readonly string[]): Promise<void> {
    this.#home.markRead(ids);
  }

  async see(conversation: string, rev: number): Promise<void> {
    this.#home.see(conversation, rev);
  }

  async seen(): Promise<Readonly<Record<string, number>>> {
    return this.#home.seen();
  }

  erase(order: ErasureOrder): Promise<Result<null, Refused>> {
    return this.#home.erasure.erase(order);
  }

  async holdings(): Promise<Readonly<Record<PersonalStore, number>>> {
    return this.#home.holdings();
  }

  override async alarm(): Promise<void> {
    await this.#home.onAlarm();
  }
}
