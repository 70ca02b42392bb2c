import * as z from "zod";

/** Prices in US dollars per million tokens. */
export const priceSchema = z.strictObject({
  input: z.number().nonnegative(),
  output: z.number().nonnegative(),
  cachedRead: z.number().nonnegative().optional(),
  cachedWrite: z.number().nonnegative().optional(),
});

const dollars = z.number().nonnegative().max(1_000_000);

/** The most that may be spent, in US dollars, by the operator's calendar. What is absent is not capped. */
const capsSchema = z.strictObject({ perDay: dollars.optional(), perMonth: dollars.optional() });

/** Caps on what models cost. */
export const spendingSchema = z.strictObject({
  /** Of each person, by tier. */
  tiers: z
    .strictObject({
      guest: capsSchema.default({ perDay: 0.5 }),
      member: capsSchema.default({ perDay: 5 }),
      admin: capsSchema.default({ perDay: 20 }),
      owner: capsSchema.default({}),
    })
    .prefault({}),
  /** Of single people, by principal id, in place of their tier's. */
  people: z.record(z.string().regex(/^p_[0-9A-Za-z]{1,64}$/), capsSchema).default({}),
  /** Of everybody together. */
  deployment: capsSchema.default({ perDay: 50 }),
  /** What models without a price of their own are taken to cost; absent: nothing. */
  unpriced: priceSchema.optional(),
});

const count = z.number().int().positive().max(10_000);

/** How many turns one person may begin and have at once. What waits for people and what the system begins is not counted. */
export const turnLimitsSchema = z.strictObject({
  running: count.default(2),
  perMinute: count.default(20),
  perHour: count.default(200),
});

export type Price = z.output<typeof priceSchema>;
export type CapsConfig = z.output<typeof capsSchema>;
export type SpendingConfig = z.output<typeof spendingSchema>;
export type TurnLimits = z.output<typeof turnLimitsSchema>;

/** `GET /api/v1/me/spending` and each person of `GET /api/v1/spending`; millionths of a US dollar. */
export interface Spending {
  /** The operator's calendar day, `2026-11-30`. */
  readonly day: string;
  readonly today: number;
  readonly month: number;
  /** Set aside for requests under way, beside what is spent. */
  readonly reserved: number;
  readonly caps: { readonly perDay: number | null; readonly perMonth: number | null };
}
