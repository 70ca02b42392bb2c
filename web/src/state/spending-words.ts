import type { Spending } from "../../../src/protocol/spending.ts";

/** What somebody spent, for people: `You: $0.12 of $5.00 today, $1.40 this month`. */
export function spendingWords(who: string, { today, month, caps }: Pick<Spending, "today" | "month" | "caps">): string {
  return `${who}: ${amount(today, caps.perDay)} today, ${amount(month, caps.perMonth)} this month`;
}

function amount(micros: number, cap: number | null): string {
  return cap === null ? dollars(micros) : `${dollars(micros)} of ${dollars(cap)}`;
}

function dollars(micros: number): string {
  const digits = micros > 0 && micros < 10_000 ? 4 : 2;
  return `$${(micros / 1_000_000).toFixed(digits)}`;
}
