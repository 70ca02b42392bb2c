import { escapeText } from "../../holds/card/escape.ts";
import { cutText } from "../../lib/cut.ts";
import type { Tier } from "../../people/facts.ts";
import type { Config } from "../../protocol/config.ts";
import type { Notice, NoticeDraft } from "../../protocol/notices.ts";
import type { Spending } from "../../protocol/spending.ts";
import { openDatabase } from "../../store/database.ts";
import { budgetOf } from "../budget/budget-rpc.ts";
import type { PersonalStore } from "../erasure/erasure-rpc.ts";
import { reportFor } from "../log.ts";
import { peerOf } from "../peer.ts";
import { objectAlarm, systemClock } from "../platform.ts";
import { createJobs } from "./durable-job.ts";
import type { Estate } from "./merge-rpc.ts";
import { createAbsorbed, insertAbsorbed, readAbsorbed } from "./principal-absorbed.ts";
import { PrincipalErasure } from "./principal-erasure.ts";
import { PrincipalMerge } from "./principal-merge.ts";
import { PrincipalMoney } from "./principal-money.ts";
import { createNotices, insertNotice, markNotices, noticeRows, readNotices, takeNotices } from "./principal-notices.ts";
import { createPurse } from "./principal-purse.ts";
import { principalOf, type SpendAsk } from "./principal-rpc.ts";
import { createSeen, readSeen, seenRows, writeSeen } from "./principal-seen.ts";

/** Turns are written this much later, so that a short one costs one row at most. Milliseconds. */
const FLUSH_MS = 1_000;

/** UTF-16 units of a notice. */
const MAX_NOTICE_UNITS = 500;

/** One person at home in their Durable Object. */
export class PrincipalHome {
  readonly erasure: PrincipalErasure;
  readonly merging: PrincipalMerge;
  readonly #storage: DurableObjectStorage;
  readonly #newMoney: () => PrincipalMoney;
  #money: PrincipalMoney;
  #isFlushing = false;

  constructor(ctx: DurableObjectState, env: Env, config: Config) {
    const { storage } = ctx;
    this.#storage = storage;
    createStores(storage);
    const principalId = ctx.id.name ?? "";
    const report = reportFor(principalId);
    const alarm = objectAlarm(storage);
    this.#newMoney = () =>
      new PrincipalMoney({
        principalId,
        storage,
        // There is one alarm: while somebody is erased or becomes somebody else it is that one's.
        alarm: { ...alarm, set: (at) => alarm.set(this.erasure.due ?? this.merging.due ?? at) },
        clock: systemClock,
        config,
        budget: () => budgetOf(env),
        report,
        flushLater: () => this.#flushLater(),
      });
    this.#money = this.#newMoney();
    const peer = (key: string) => peerOf(env, key);
    const ports = { storage, alarm, clock: systemClock, report, db: openDatabase(env.DB), peer };
    this.merging = new PrincipalMerge({
      ...ports,
      principal: (id) => principalOf(env, id),
      budget: () => budgetOf(env),
      estate: () => this.#estate(),
      empty: () => this.#empty(),
    });
    this.erasure = new PrincipalErasure({
      ...ports,
      holdings: () => this.holdings(),
      wipe: () => this.#wipe(),
      over: () => this.#forgetAll(),
    });
  }

  async onAlarm(): Promise<void> {
    if (this.erasure.due !== undefined) await this.erasure.onAlarm();
    else if (this.merging.survivor !== undefined || this.merging.due !== undefined) await this.merging.onAlarm();
    else await this.#money.onAlarm();
  }

  reserve(ask: SpendAsk): ReturnType<PrincipalMoney["reserve"]> {
    return this.#money.reserve(ask);
  }

  settle(debts: SpendAsk["debts"]): void {
    this.#money.settle(debts);
  }

  spending(tier: Tier): Spending {
    return this.#money.spending(tier);
  }

  /** Writes what is written a moment later otherwise. */
  flush(): void {
    this.#money.flush();
  }

  /** Takes over, once, what somebody had who became one with this person. */
  absorb(former: string, { purse, notices, seen }: Estate): number {
    try {
      return this.#storage.transactionSync(() => {
        const known = readAbsorbed(this.#storage, former);
        if (known !== undefined) return known;
        const seq = this.#money.absorb(purse);
        takeNotices(this.#storage, notices);
        for (const { conversation, rev, at } of seen) writeSeen(this.#storage, conversation, rev, at);
        insertAbsorbed(this.#storage, former, seq);
        return seq;
      });
    } catch (error) {
      // What was rolled back must not be remembered either.
      this.#money = this.#newMoney();
      throw error;
    }
  }

  /** Rows of each store of this object. */
  holdings(): Readonly<Record<PersonalStore, number>> {
    const count = (table: string) =>
      this.#storage.sql.exec<{ n: number }>(`SELECT count(*) AS n FROM ${table}`).one().n;
    return { wallet: count("purse"), notices: count("notices"), seen: count("seen") };
  }

  /** Words of others may stand in it: what could deceive is spelled out. */
  notify({ text, ...notice }: NoticeDraft): void {
    // Nobody reads it any more.
    if (this.erasure.due !== undefined) return;
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

  /** Of whatever is the money then: it may have been wiped meanwhile. */
  #flushLater(): void {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    setTimeout(() => {
      this.#isFlushing = false;
      this.#money.flush();
    }, FLUSH_MS);
  }

  async #estate(): Promise<Estate> {
    const purse = await this.#money.close();
    return { purse, notices: noticeRows(this.#storage), seen: seenRows(this.#storage) };
  }

  #empty(): void {
    for (const table of ["purse", "notices", "seen"]) this.#storage.sql.exec(`DELETE FROM ${table}`);
  }

  /** Empties the stores, once what is held of the deployment's cap is given back. */
  async #wipe(): Promise<void> {
    await this.#money.onAlarm();
    this.#empty();
    this.#money = this.#newMoney();
  }

  async #forgetAll(): Promise<void> {
    await Promise.all([this.#storage.deleteAlarm(), this.#storage.deleteAll()]);
    createStores(this.#storage);
    this.#money = this.#newMoney();
  }
}

function createStores(storage: DurableObjectStorage): void {
  createPurse(storage);
  createNotices(storage);
  createSeen(storage);
  createAbsorbed(storage);
  createJobs(storage);
}
