import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { principals } from "./principals.ts";

/** Ids of people who became one with somebody else. Chains are resolved when they are written: a survivor is no former. */
export const formerIds = sqliteTable(
  "former_ids",
  {
    former: text("former").primaryKey(),
    survivor: text("survivor").notNull(),
    /** The former's when they became one, or the lowest on the way. */
    tier: text("tier", { enum: ["guest", "member", "admin", "owner"] }).notNull(),
    mergedAt: integer("merged_at").notNull(),
    /** Principal. */
    orderedBy: text("ordered_by").notNull(),
    /** Null: something of the former's own is still to be moved. */
    finishedAt: integer("finished_at"),
  },
  (table) => [index("former_ids_by_survivor").on(table.survivor)],
);

type FormerId = Pick<typeof formerIds.$inferSelect, "tier"> & { readonly id: string };

/** In a query of principals: the former ids of each. */
export const formerIdsOf = sql<readonly FormerId[]>`(select json_group_array(json_object('id', former, 'tier', tier))
  from former_ids where survivor = ${principals.id})`.mapWith(
  (list: string) => JSON.parse(list) as readonly FormerId[],
);

/** The id of whoever an id stands for now. */
export function survivorOf(id: string | SQLWrapper): SQL<string> {
  return sql<string>`coalesce((select survivor from former_ids where former = ${id}), ${id})`;
}

/** Whether a column names this person, by whichever of their ids. */
export function isTheirs(column: SQLWrapper, person: string): SQL {
  return sql`${column} in (select ${person} union all select former from former_ids where survivor = ${person})`;
}

/** Neither a former id themselves, nor is anything of somebody who became one with them still to be moved. */
export function isAtRest(person: string): SQL {
  return sql`not exists (select 1 from former_ids where former = ${person} or (survivor = ${person} and finished_at is null))`;
}
