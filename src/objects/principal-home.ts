import { escapeText } from "../holds/escape.ts";
import { cutText } from "../lib/cut.ts";
import type { Config } from "../protocol/config.ts";
import type { Notice } from "../protocol/notices.ts";
import { budgetOf } from "./budget-rpc.ts";
import { reportFor } from "./log.ts";
import { objectAlarm, systemClock } from "./platform.ts";
import { PrincipalMoney } from "./principal-money.ts";
import { createNotices, insertNotice, markNotices, readNotices } from "./principal-notices.ts";
import { createPurse } from "./principal-purse.ts";
import type { NoticeDraft } from "./principal-rpc.ts";
import { createSeen, readSeen, writeSeen } from "./principal-seen.ts";

/** UTF-16 units of a notice. */
const MAX_NOTICE_UNITS = 500;

/** One person at home in their Durable Object. */
export class PrincipalHome {
  readonly money: PrincipalMoney;
  readonly #storage: DurableObjectStorage;

  constructor(ctx: DurableObjectState, env: Env, config: Config) {
    const { storage } = ctx;
    this.#storage = storage;
    createPurse(storage);
    createNotices(storage);
    createSeen(storage);
    const principalId = ctx.id.name ?? "";
    this.money = new PrincipalMoney({
      principalId,
      storage,
      alarm: objectAlarm(storage),
      clock: systemClock,
      config,
      budget: () => budgetOf(env),
      report: reportFor(principalId),
    });
  }

  /** Words of others may stand in it: what could deceive is spelled out. */
  notify({ text, ...notice }: NoticeDraft): void {
    insertNotice(this.#storage, { ...notice, text: cutText(escapeText(text), MAX_NOTICE_UNITS) });
  }

  notices(): readonly Notice[] {
    return readNotices(this.#storage);
  }

  markRead(ids: readonly string[]): void {
    markNotices(this.#storage, ids, systemClock.now());
  }

  see(conversation: string, rev: number): void {
    writeSeen(this.#storage, conversation, rev, systemClock.now());
  }

  seen(): Readonly<Record<string, number>> {
    return readSeen(this.#storage);
  }
}
