import { err, type Result } from "../../lib/result.ts";
import { CHANGED } from "../../people/change-person.ts";
import { MAX_IDENTITIES } from "../../people/max-identities.ts";
import type { Refused } from "../../people/may-act.ts";
import { MAX_FORMER_IDS } from "../../people/other-ids.ts";
import type { Database } from "../../store/database.ts";
import { listShared } from "../../store/erasures.ts";
import { finishMerge, mergePrincipals } from "../../store/merges.ts";
import type { BudgetRpc } from "../budget/budget-rpc.ts";
import type { RoomMergeRpc } from "../room/room-rpc.ts";
import { DurableJob, type JobPorts, type JobState, ROOMS_A_STEP } from "./durable-job.ts";
import type { Estate, MergeOrder, MergeRpc } from "./merge-rpc.ts";

/** Whoever ordered it writes the directory at once; after this long the alarm does, when that died. Milliseconds. */
const WRITE_RETRY_MS = 5_000;

/**
 * How far two becoming one has come. `write`: the directory is to say so. `move`: what this object keeps goes to the
 * survivor's. `rooms`: shared conversations make one line of the two, in the order of their keys. `done`: whoever asks this
 * object is answered by the survivor's, for ever.
 */
type MergeJob = JobState & {
  readonly order: MergeOrder;
  readonly phase: "write" | "move" | "rooms" | "done";
  /** Shared conversations up to this key had their turn. */
  readonly after: string;
};

export interface MergeParts extends JobPorts {
  readonly db: Database;
  readonly peer: (key: string) => RoomMergeRpc;
  readonly principal: (id: string) => Pick<MergeRpc, "absorb">;
  readonly budget: () => Pick<BudgetRpc, "move">;
  /** What this object keeps, once nothing adds to it any more. */
  readonly estate: () => Promise<Estate>;
  /** Empties this object's own stores. */
  readonly empty: () => void;
}

/** Makes the person whose object this is one with somebody else, step by step: each may be done again. */
export class PrincipalMerge {
  readonly #parts: MergeParts;
  readonly #job: DurableJob<MergeJob>;
  #moving: Promise<void> | undefined;

  constructor(parts: MergeParts) {
    this.#parts = parts;
    this.#job = new DurableJob(parts, "merge", (job) => this.#advance(job));
  }

  /** When the next step is due; undefined: there is none. */
  get due(): number | undefined {
    const { state } = this.#job;
    return state && state.phase !== "done" ? state.due : undefined;
  }

  /** Who this person is by now: they answer in this object's place. Undefined: nobody else. */
  get survivor(): string | undefined {
    const { state } = this.#job;
    return state && state.phase !== "write" ? state.order.into : undefined;
  }

  async merge(order: MergeOrder): Promise<Result<null, Refused>> {
    const job = this.#job;
    const due = this.#parts.clock.now() + WRITE_RETRY_MS;
    if (!job.state) job.save({ order, phase: "write", after: "", failures: 0, due });
    if (job.state?.order.into !== order.into) return err(CHANGED);
    return await job.writeAtOnce(async () => {
      if (job.state?.phase === "write") await this.#write(job.state);
    });
  }

  onAlarm(): Promise<void> {
    return this.#job.onAlarm();
  }

  /** Once the survivor has all that this object kept. @throws when that cannot be now. */
  async moved(): Promise<void> {
    const { state } = this.#job;
    if (state?.phase !== "move") return;
    this.#moving ??= this.#move(state).finally(() => {
      this.#moving = undefined;
    });
    await this.#moving;
  }

  #advance(job: MergeJob): Promise<void> {
    switch (job.phase) {
      case "write":
        return this.#write(job);
      case "move":
        return this.moved();
      case "rooms":
        return this.#joinRooms(job);
      case "done":
        return Promise.resolve();
    }
  }

  async #write(job: MergeJob): Promise<void> {
    const { id, person, into, by, seen } = job.order;
    const audit = { id, at: this.#parts.clock.now(), actor: by, action: "merge", target: person, detail: { into } };
    const limits = { identities: MAX_IDENTITIES, formerIds: MAX_FORMER_IDS };
    const isWritten = await mergePrincipals(this.#parts.db, { audit, survivor: into, seen, limits });
    if (isWritten) this.#job.next({ ...job, phase: "move" });
    else this.#job.end();
  }

  async #move(job: MergeJob): Promise<void> {
    const { person, into } = job.order;
    const { estate, principal, budget, empty } = this.#parts;
    const seq = await principal(into).absorb(person, await estate());
    await budget().move(person, into, seq);
    empty();
    this.#job.next({ ...job, phase: "rooms" });
  }

  async #joinRooms(job: MergeJob): Promise<void> {
    const { db, clock, peer } = this.#parts;
    const { person } = job.order;
    const keys = await listShared(db, job.after, ROOMS_A_STEP);
    for (const key of keys) {
      const answer = await peer(key).mergeMember(person);
      if (!answer.ok) throw new Error(`${key}: ${answer.error.code}`);
    }
    const last = keys.at(-1);
    if (keys.length === ROOMS_A_STEP && last !== undefined) return this.#job.next({ ...job, after: last });
    await finishMerge(db, person, clock.now());
    this.#job.next({ ...job, phase: "done" });
  }
}
