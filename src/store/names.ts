import { sql } from "drizzle-orm";
import type { Database } from "./database.ts";
import { principals } from "./principals.ts";

/** The names of some people, by principal. Whoever is not there has none. */
export async function readNames(db: Database, ids: readonly string[]): Promise<Readonly<Record<string, string>>> {
  if (ids.length === 0) return {};
  const rows = await db
    .select({ id: principals.id, name: principals.name })
    .from(principals)
    .where(sql`${principals.id} in (select value from json_each(${JSON.stringify(ids)}))`);
  return Object.fromEntries(rows.map(({ id, name }) => [id, name]));
}
