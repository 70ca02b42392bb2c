import { err, ok, type Result } from "../../lib/result.ts";
import type { Store } from "../commit/store.ts";
import type { Tx } from "../commit/tx.ts";
import type { Debt, MeterPort, Reservation } from "../ports/meter.ts";
import type { KernelPorts } from "../ports/ports.ts";
import type { Run } from "../registry/task-kind.ts";
import { withLimit } from "../run/with-limit.ts";
import { taskOf } from "../state/control.ts";
import { waitsOnPeopleOnly } from "../state/work-time.ts";

/** Debts kept while they cannot be told. Above, the oldest go: what was reserved for them counts in full. */
export const MAX_OWED = 100;

interface TillParts {
  readonly ports: Pick<KernelPorts, "clock" | "report">;
  readonly store: Store;
  readonly calls: { count: number };
}

/**
 * Asks the meter before requests leave and tells it what they came to. What is owed stands in the control row, written by
 * commits that are made anyway, and goes along with the next question, or alone once the turn rests. It is told at least
 * once; one that a death kept from being told goes with the next thing that happens here.
 */
export class Till {
  readonly #meter: MeterPort;
  readonly #parts: TillParts;
  /** Keys that the meter has, and that still stand in the control row. */
  readonly #told = new Set<string>();
  /** The turn that the meter takes to be running. */
  #running: { readonly key: string; readonly actor: string } | undefined;
  /** Ends of turns that are still to be told. */
  #ended: Debt[] = [];
  #isTelling = false;

  constructor(meter: MeterPort, parts: TillParts) {
    this.#meter = meter;
    this.#parts = parts;
    // Whether an earlier life told its beginning is unknown: its end can be told in any case.
    const { turn } = parts.store.control;
    if (turn) this.#running = { key: turnKey(turn.task), actor: turn.actor };
    parts.store.onCommit(() => this.#look());
  }

  get meter(): Pick<MeterPort, "isFree" | "price"> {
    return this.#meter;
  }

  /** @throws when the meter cannot be asked; at once when the signal aborts. */
  async ask(ask: Reservation, { id, signal }: Pick<Run, "id" | "signal">): Promise<Result<void, string>> {
    if (this.#meter.isFree(ask.model) && ask.begins === undefined) return ok(undefined);
    const { clock } = this.#parts.ports;
    const debts = this.#untold().filter(({ actor }) => actor === ask.actor);
    this.#parts.calls.count++;
    const asked = this.#meter.reserve(ask, debts);
    // Whatever becomes of the question, it may have been heard.
    if (ask.begins !== undefined) this.#running = { key: ask.begins, actor: ask.actor };
    asked.then(
      () => this.#takeBack(ask, id),
      () => undefined,
    );
    const answer = await withLimit(clock, asked, signal);
    this.#note(debts);
    if (answer.ok) return ok(undefined);
    if (this.#running?.key === ask.begins) this.#running = undefined;
    return err(answer.error);
  }

  /** What was granted to a task that had been stopped meanwhile is given back; what its end told may have come too early. */
  #takeBack({ key, actor, begins }: Reservation, id: number): void {
    const task = taskOf(this.#parts.store.control, id);
    if (task && !task.aborting) return;
    this.#ended.push(
      ...[key, ...(begins === undefined ? [] : [begins])].map((each) => ({ key: each, actor, micros: 0 })),
    );
    this.#look();
  }

  /** Notes inside a commit what something reserved came to. */
  owe(tx: Tx, debt: Debt): void {
    const { owed = [] } = tx.control;
    const standing = owed.filter(({ key }) => key !== debt.key && !this.#told.has(key));
    const room = standing.slice(Math.max(0, standing.length + 1 - MAX_OWED));
    if (room.length < standing.length) tx.fault("meter.forgotten", { key: standing[0]?.key ?? "" });
    tx.control.owed = [...room, debt];
  }

  /** Between two requests the next question takes along what is owed; a conversation that rests has none. */
  #look(): void {
    const { control } = this.#parts.store;
    const standing = new Set(control.owed?.map(({ key }) => key));
    for (const key of this.#told) if (!standing.has(key)) this.#told.delete(key);
    const atWork = control.turn && !waitsOnPeopleOnly(control) ? turnKey(control.turn.task) : undefined;
    if (this.#running && this.#running.key !== atWork) {
      // The end of a turn stands in the row; that it waits for people does not.
      if (!standing.has(this.#running.key)) this.#ended.push({ ...this.#running, micros: 0 });
      this.#running = undefined;
    }
    if (atWork === undefined && !this.#isTelling && this.#untold().length > 0) void this.#tell();
  }

  async #tell(): Promise<void> {
    this.#isTelling = true;
    try {
      for (let debts = this.#untold(); debts.length > 0; debts = this.#untold()) {
        const [first] = debts;
        if (!first) return;
        const own = debts.filter(({ actor }) => actor === first.actor);
        this.#parts.calls.count++;
        await this.#meter.settle(first.actor, own);
        this.#note(own);
      }
    } catch (error) {
      this.#parts.ports.report.report("meter.settle_failed", { error: String(error) });
    } finally {
      this.#isTelling = false;
    }
  }

  #untold(): readonly Debt[] {
    const owed = this.#parts.store.control.owed ?? [];
    return [...owed.filter(({ key }) => !this.#told.has(key)), ...this.#ended];
  }

  #note(debts: readonly Debt[]): void {
    const standing = new Set(this.#parts.store.control.owed?.map(({ key }) => key));
    for (const { key } of debts) if (standing.has(key)) this.#told.add(key);
    this.#ended = this.#ended.filter(({ key }) => !debts.some((debt) => debt.key === key));
  }
}

/** Names a turn to the meter. */
export function turnKey(task: number): string {
  return `turn/${task}`;
}
