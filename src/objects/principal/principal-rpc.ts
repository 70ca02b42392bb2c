import type { Result } from "../../lib/result.ts";
import type { Tier } from "../../people/facts.ts";
import type { Ask } from "../../people/wallet/wallet.ts";
import type { Notice, NoticeDraft } from "../../protocol/notices.ts";
import type { Spending } from "../../protocol/spending.ts";
import type { ErasureRpc } from "../erasure/erasure-rpc.ts";
import type { MergeRpc } from "./merge-rpc.ts";

/** What a conversation asks of its speaker's object before a request leaves. Keys are unique over all conversations. */
export interface SpendAsk {
  /** To be set aside, by the caps of the speaker's tier; null: the request costs nothing. */
  readonly ask: (Ask & { readonly tier: Tier }) | null;
  /** Key of the turn that begins with it; null: none does, or it is not counted. */
  readonly begins: string | null;
  /** What earlier ones came to, and turns that ended. */
  readonly debts: readonly Ask[];
}

/**
 * What a person's object answers to. Only objects and the Worker reach it, each for the person that the directory named:
 * it checks nobody.
 */
export interface PrincipalRpc extends ErasureRpc, MergeRpc {
  /** A refusal is a sentence for the person. @throws when the deployment's budget cannot be asked. */
  reserve(ask: SpendAsk): Promise<Result<null, string>>;
  settle(debts: readonly Ask[]): Promise<void>;
  spending(tier: Tier): Promise<Spending>;
  /** Idempotent by the notice's id. */
  notify(notice: NoticeDraft): Promise<void>;
  notices(): Promise<readonly Notice[]>;
  markRead(ids: readonly string[]): Promise<void>;
  /** Notes up to which revision a conversation was seen. */
  see(conversation: string, rev: number): Promise<void>;
  /** Revisions seen, by channel key. */
  seen(): Promise<Readonly<Record<string, number>>>;
}

/** A person's object. A fresh stub each time: one that failed once stays broken. */
export function principalOf(
  env: { readonly PRINCIPAL: { getByName(name: string): unknown } },
  id: string,
): PrincipalRpc {
  return env.PRINCIPAL.getByName(id) as PrincipalRpc;
}
