import type { Walk } from "../../kernel/index.ts";
import type { Result } from "../../lib/result.ts";
import type { Refused } from "../../people/may-act.ts";
import { buryConversation } from "../../store/conversations.ts";
import type { Database } from "../../store/database.ts";
import {
  countOfPerson,
  finishErasure,
  forgetInLists,
  listPrivate,
  listShared,
  type ReceiptLine,
  shutOut,
} from "../../store/erasures.ts";
import { forgetCards } from "../../store/open-cards.ts";
import {
  afterRoom,
  beginJob,
  type ErasureJob,
  LAST_LOOK_MS,
  lookAgain,
  nextRoom,
  restAfter,
} from "../erasure/erasure-job.ts";
import type { ErasureOrder, ForgetRpc, Forgotten, PersonalStore } from "../erasure/erasure-rpc.ts";
import { DurableJob, type JobPorts, ROOMS_A_STEP } from "./durable-job.ts";

/** What erasing a person takes. */
export interface ErasureParts extends JobPorts {
  readonly db: Database;
  readonly peer: (key: string) => ForgetRpc;
  /** Rows of each of this object's own stores. */
  readonly holdings: () => Readonly<Record<PersonalStore, number>>;
  /** Empties this object's own stores, after giving back what it holds of the deployment's. */
  readonly wipe: () => Promise<void>;
  /** Nothing is left to do, and nothing to remember: the receipt stands in the directory. */
  readonly over: () => Promise<void>;
}

/**
 * Erases the person whose object this is, step by step: each is stored before the next begins, and may be done again. The
 * object itself is emptied last.
 */
export class PrincipalErasure {
  readonly #parts: ErasureParts;
  readonly #job: DurableJob<ErasureJob>;

  constructor(parts: ErasureParts) {
    this.#parts = parts;
    this.#job = new DurableJob(parts, "erasure", (job) => this.#advance(job));
  }

  /** When the next step is due; undefined: nobody is being erased. */
  get due(): number | undefined {
    return this.#job.state?.due;
  }

  async erase(order: ErasureOrder): Promise<Result<null, Refused>> {
    const job = this.#job;
    if (!job.state) job.save(beginJob(order, this.#parts.clock.now()));
    return await job.writeAtOnce(async () => {
      if (job.state?.phase === "shut") await this.#shut(job.state);
    });
  }

  /** One step, and the alarm for the next. Never throws: what failed is due again later. */
  onAlarm(): Promise<void> {
    return this.#job.onAlarm();
  }

  #advance(job: ErasureJob): Promise<void> {
    switch (job.phase) {
      case "shut":
        return this.#shut(job);
      case "private":
        return this.#forgetPrivate(job);
      case "shared":
        return this.#forgetShared(job);
      case "last":
        return this.#endOrLookAgain(job);
    }
  }

  async #shut(job: ErasureJob): Promise<void> {
    const { id, person, by, found } = job.order;
    const at = this.#parts.clock.now();
    const audit = { id, at, actor: by, action: "erase", target: person, detail: {} };
    const isShut = await shutOut(this.#parts.db, { audit, receipt: found, isOwn: by === person });
    if (isShut) return this.#job.next({ ...job, phase: "private" });
    this.#job.end();
  }

  async #forgetPrivate(job: ErasureJob): Promise<void> {
    const { db, clock } = this.#parts;
    const { person } = job.order;
    const listed = await listPrivate(db, person, ROOMS_A_STEP);
    for (const { key, id } of listed) {
      await this.#forget(job, key, null);
      await buryConversation(db, { key, id, owner: person }, clock.now());
      await forgetCards(db, key);
    }
    this.#job.next(listed.length < ROOMS_A_STEP ? { ...job, phase: "shared", after: "" } : job);
  }

  async #forgetShared(begun: ErasureJob): Promise<void> {
    const { db, clock } = this.#parts;
    let job = begun;
    for (let asked = 0; asked < ROOMS_A_STEP; asked++) {
      const key = nextRoom(job, await listShared(db, job.after, 1));
      if (key === undefined) {
        return this.#job.next({ ...job, phase: "last" }, clock.now() + (job.round === 1 ? LAST_LOOK_MS : 0));
      }
      const isAgain = job.waiting.some((one) => one.key === key);
      const answer = await this.#forget(job, key, job.at?.walk ?? null);
      job = afterRoom(job, key, answer);
      // Others do not wait for one that has to: only once all had their turn.
      const rest = isAgain ? restAfter(answer) : 0;
      this.#job.next(job, clock.now() + rest);
      if (rest > 0) return;
    }
  }

  async #endOrLookAgain(job: ErasureJob): Promise<void> {
    const { db, clock, wipe, over, holdings } = this.#parts;
    const { person, found } = job.order;
    if (job.round === 1) return this.#job.next(lookAgain(job));
    await forgetInLists(db, person);
    const left = await countOfPerson(db, person);
    if (left.private_conversations > 0) return this.#job.next(lookAgain(job));
    await wipe();
    const stores = { ...left, ...holdings() };
    const receipt: readonly ReceiptLine[] = [
      ...found.map(({ store, found: n }) => ({ store, found: n, left: stores[store as keyof typeof stores] ?? null })),
      { store: "shared_conversations", found: job.rooms, left: 0 },
      { store: "entries", found: job.entries, left: 0 },
      { store: "files_in_shared", found: job.files, left: 0 },
    ];
    await finishErasure(db, person, { receipt, at: clock.now() });
    this.#job.end();
    await over();
  }

  /** @throws when the conversation cannot do it now. */
  async #forget({ order }: ErasureJob, key: string, walk: Walk | null): Promise<Forgotten> {
    const { person, by, tier } = order;
    const answer = await this.#parts.peer(key).forget({ person, by, tier }, walk);
    if (!answer.ok) throw new Error(`${key}: ${answer.error.code}`);
    return answer.value;
  }
}
