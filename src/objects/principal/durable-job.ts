import type { AlarmPort, ReportPort, StoragePort } from "../../kernel/index.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import { CHANGED } from "../../people/change-person.ts";
import type { Refused } from "../../people/may-act.ts";
import { isStoreFailure, nameFailure } from "../../store/failure.ts";

/** What every job knows beside how far it has come. */
export interface JobState {
  /** Steps that failed in a row. */
  readonly failures: number;
  /** When the next step is due, ms. */
  readonly due: number;
}

/** What a job of a person's object is kept and woken with. */
export interface JobPorts {
  readonly storage: StoragePort;
  readonly alarm: AlarmPort;
  readonly clock: { now(): number };
  readonly report: ReportPort;
}

type Kind = "erasure" | "merge";

/** Conversations that one step asks: an event may reach 50 others on the smallest plan. */
export const ROOMS_A_STEP = 8;

const KEPT: Refused = {
  code: "unavailable",
  message: "The directory cannot be reached now. The order is kept and carried out when it can.",
};

const RETRY_BASE_MS = 2_000;
const RETRY_CAP_MS = 10 * 60_000;

/** Work that is done step by step: where it stands is stored before the next begins, so each may be done again. */
export class DurableJob<State extends JobState> {
  readonly #ports: JobPorts;
  readonly #kind: Kind;
  readonly #advance: (state: State) => Promise<void>;
  #state: State | undefined;
  #stepping: Promise<void> | undefined;

  constructor(ports: JobPorts, kind: Kind, advance: (state: State) => Promise<void>) {
    this.#ports = ports;
    this.#kind = kind;
    this.#advance = advance;
    const [row] = ports.storage.sql.exec<{ body: string }>(`SELECT body FROM ${kind}`).toArray();
    this.#state = row && (JSON.parse(row.body) as State);
  }

  /** Where it stands; undefined: there is nothing to do. */
  get state(): State | undefined {
    return this.#state;
  }

  /** Takes the step that writes the directory for whoever ordered it. A refusal: it cannot now, or what was seen has changed. */
  async writeAtOnce(write: () => Promise<void>): Promise<Result<null, Refused>> {
    try {
      await write();
    } catch (error) {
      if (!isStoreFailure(error)) throw error;
      this.fail(error);
      return err(KEPT);
    }
    return this.#state ? ok(null) : err(CHANGED);
  }

  /** One step, and the alarm for the next. Never throws: what failed is due again later. */
  async onAlarm(): Promise<void> {
    this.#stepping ??= this.#step().finally(() => {
      this.#stepping = undefined;
    });
    await this.#stepping;
  }

  async #step(): Promise<void> {
    const state = this.#state;
    if (!state) return;
    if (this.#ports.clock.now() < state.due) return this.#ports.alarm.set(state.due);
    try {
      await this.#advance(state);
    } catch (error) {
      this.fail(error);
    }
  }

  /** A step is done. */
  next(state: State, due = this.#ports.clock.now()): void {
    this.save({ ...state, failures: 0, due });
  }

  fail(error: unknown): void {
    const { clock, report } = this.#ports;
    report.report(`${this.#kind}.failed`, { error: nameFailure(error) });
    if (this.#state) this.save(afterFailure(this.#state, clock.now()));
  }

  save(state: State): void {
    const body = JSON.stringify(state);
    this.#ports.storage.sql.exec(
      `INSERT INTO ${this.#kind} (id, body) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET body = excluded.body`,
      body,
    );
    this.#state = state;
    this.#ports.alarm.set(state.due);
  }

  /** Nothing is left to do. */
  end(): void {
    this.#ports.storage.sql.exec(`DELETE FROM ${this.#kind}`);
    this.#state = undefined;
  }
}

/** After a step that failed: the same again, later each time. */
export function afterFailure<State extends JobState>(state: State, now: number): State {
  const failures = state.failures + 1;
  return { ...state, failures, due: now + Math.min(RETRY_CAP_MS, RETRY_BASE_MS * 2 ** Math.min(failures - 1, 20)) };
}

export function createJobs({ sql }: StoragePort): void {
  for (const kind of ["erasure", "merge"] satisfies Kind[]) {
    sql.exec(`CREATE TABLE IF NOT EXISTS ${kind} (id INTEGER PRIMARY KEY CHECK (id = 1), body TEXT NOT NULL) STRICT`);
  }
}
