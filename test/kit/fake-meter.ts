import type { Debt, MeterPort, Reservation, TokenEstimate } from "../../src/kernel/index.ts";
import { err, ok, type Result } from "../../src/lib/result.ts";

/** What one reservation came to. `settled`: how often, and with what last. */
interface Account {
  readonly ask: Reservation;
  micros: number | null;
  times: number;
}

/** A meter that remembers what it was asked and told. It outlives every crash, as the real one does. Prices: 2 in, 10 out. */
export class FakeMeter implements MeterPort {
  readonly accounts = new Map<string, Account>();
  /** Keys asked for and told, in order, as they came. */
  readonly calls: string[] = [];
  /** Debts that nothing was reserved for. */
  readonly unknown: Debt[] = [];
  refusal: string | undefined;
  /** How many questions fail from now on. */
  failures = 0;
  isFreeOfCharge = false;

  isFree(): boolean {
    return this.isFreeOfCharge;
  }

  price(_model: string, { input, output }: TokenEstimate): number {
    return input * 2 + output * 10;
  }

  async reserve(ask: Reservation, debts: readonly Debt[]): Promise<Result<void, string>> {
    await Promise.resolve();
    this.#fail();
    this.#tell(debts);
    this.calls.push(`reserve ${ask.key}`);
    if (this.refusal !== undefined) return err(this.refusal);
    if (!this.isFreeOfCharge && !this.accounts.has(ask.key))
      this.accounts.set(ask.key, { ask, micros: null, times: 0 });
    if (ask.begins !== undefined) this.accounts.set(ask.begins, { ask, micros: null, times: 0 });
    return ok(undefined);
  }

  async settle(_actor: string, debts: readonly Debt[]): Promise<void> {
    await Promise.resolve();
    this.#fail();
    this.#tell(debts);
    this.calls.push(`settle ${debts.map(({ key }) => key).join(" ")}`);
  }

  /** Keys that are set aside still. */
  get open(): readonly string[] {
    return [...this.accounts].filter(([, { micros }]) => micros === null).map(([key]) => key);
  }

  /** What was settled, by key; turns apart. */
  get spent(): Readonly<Record<string, number | null>> {
    const requests = [...this.accounts].filter(([key]) => !key.startsWith("turn/"));
    return Object.fromEntries(requests.map(([key, { micros }]) => [key, micros]));
  }

  #fail(): void {
    if (this.failures === 0) return;
    this.failures--;
    throw new Error("the meter is away");
  }

  #tell(debts: readonly Debt[]): void {
    for (const debt of debts) {
      const account = this.accounts.get(debt.key);
      if (!account) this.unknown.push(debt);
      else if (account.micros === null) {
        account.micros = debt.micros;
        account.times++;
      }
    }
  }
}
