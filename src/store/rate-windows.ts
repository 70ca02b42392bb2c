import { eq, lte, sql } from "drizzle-orm";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Database } from "./database.ts";

/** Counters of tries that outlive an isolate. One row per name, for ever reused. */
export const rateWindows = sqliteTable("rate_windows", {
  name: text("name").primaryKey(),
  startedAt: integer("started_at").notNull(),
  tries: integer("tries").notNull(),
});

export interface RateRule {
  readonly name: string;
  readonly limit: number;
  readonly windowMs: number;
}

/**
 * Counts one try and says whether it is within the limit. A try beyond the limit writes nothing. The window starts
 * with the first try after the previous one ran out. One statement, so tries at one instant cannot share a place.
 */
export async function takeTry(db: Database, rule: RateRule, now: number): Promise<boolean> {
  const over = lte(rateWindows.startedAt, now - rule.windowMs);
  const counted = await db
    .insert(rateWindows)
    .values({ name: rule.name, startedAt: now, tries: 1 })
    .onConflictDoUpdate({
      target: rateWindows.name,
      set: {
        tries: sql`case when ${over} then 1 else ${rateWindows.tries} + 1 end`,
        startedAt: sql`case when ${over} then ${now} else ${rateWindows.startedAt} end`,
      },
      setWhere: sql`${over} or ${rateWindows.tries} < ${rule.limit}`,
    })
    .returning({ tries: rateWindows.tries });
  return counted.length === 1;
}

/** The counter of a person's tries at link codes. */
export const isWindowOf = (person: string) => eq(rateWindows.name, `link-code ${person}`);
