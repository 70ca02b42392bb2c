import { DurableObject } from "cloudflare:workers";
import type { Result } from "../../lib/result.ts";
import type { Tier } from "../../people/facts.ts";
import type { Refused } from "../../people/may-act.ts";
import type { Ask } from "../../people/wallet/wallet.ts";
import type { Config } from "../../protocol/config.ts";
import type { Notice, NoticeDraft } from "../../protocol/notices.ts";
import type { Spending } from "../../protocol/spending.ts";
import type { ErasureOrder, PersonalStore } from "../erasure/erasure-rpc.ts";
import type { Estate, MergeOrder } from "./merge-rpc.ts";
import { PrincipalHome } from "./principal-home.ts";
import { type PrincipalRpc, principalOf, type SpendAsk } from "./principal-rpc.ts";

/**
 * A Principal object: one per person, named by the principal's id. Keeps their money, turns, notices and how far they read.
 * Wires the platform's events and decides nothing.
 */
export class PrincipalObject extends DurableObject<Env> implements PrincipalRpc {
  readonly home: PrincipalHome;

  constructor(ctx: DurableObjectState, env: Env, options: { readonly config: Config }) {
    super(ctx, env);
    this.home = new PrincipalHome(ctx, env, options.config);
  }

  reserve(ask: SpendAsk): Promise<Result<null, string>> {
    return this.#ask((person) => person.reserve(ask));
  }

  settle(debts: readonly Ask[]): Promise<void> {
    return this.#ask((person) => person.settle(debts));
  }

  spending(tier: Tier): Promise<Spending> {
    return this.#ask((person) => person.spending(tier));
  }

  notify(notice: NoticeDraft): Promise<void> {
    return this.#ask((person) => person.notify(notice));
  }

  notices(): Promise<readonly Notice[]> {
    return this.#ask((person) => person.notices());
  }

  markRead(ids: readonly string[]): Promise<void> {
    return this.#ask((person) => person.markRead(ids));
  }

  see(conversation: string, rev: number): Promise<void> {
    return this.#ask((person) => person.see(conversation, rev));
  }

  seen(): Promise<Readonly<Record<string, number>>> {
    return this.#ask((person) => person.seen());
  }

  absorb(former: string, estate: Estate): Promise<number> {
    return this.#ask((person) => person.absorb(former, estate));
  }

  merge(order: MergeOrder): Promise<Result<null, Refused>> {
    return this.home.merging.merge(order);
  }

  erase(order: ErasureOrder): Promise<Result<null, Refused>> {
    return this.home.erasure.erase(order);
  }

  async holdings(): Promise<Readonly<Record<PersonalStore, number>>> {
    return this.home.holdings();
  }

  /** Whoever became somebody else is answered for by that one's object, once it has everything. */
  async #ask<T>(act: (person: PrincipalHome | PrincipalRpc) => T | Promise<T>): Promise<T> {
    const { survivor } = this.home.merging;
    if (survivor === undefined) return await act(this.home);
    await this.home.merging.moved();
    return await act(principalOf(this.env, survivor));
  }

  override async alarm(): Promise<void> {
    await this.home.onAlarm();
  }
}
