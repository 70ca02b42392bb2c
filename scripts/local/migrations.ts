import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { unstable_splitSqlQuery as splitSql } from "wrangler";

/** A file of `migrations/`. */
export interface Migration {
  readonly name: string;
  readonly sql: string;
}

/** Wrangler's own ledger, so that `wrangler d1 migrations` sees the same. */
const LEDGER = `create table if not exists d1_migrations (
  id integer primary key autoincrement, name text unique, applied_at timestamp default current_timestamp not null)`;

export function readMigrations(root: string): Migration[] {
  const folder = join(root, "migrations");
  const names = readdirSync(folder).filter((name) => name.endsWith(".sql"));
  return names.toSorted().map((name) => ({ name, sql: readFileSync(join(folder, name), "utf8") }));
}

/**
 * Applies what is new, each file in one transaction together with its line in the ledger. A database that is ahead of
 * the files (an older version was started) is left as it is.
 * @returns the names of what was applied.
 * @throws when the database holds other migrations than the files before the new ones.
 */
export async function applyMigrations(d1: D1Database, migrations: readonly Migration[]): Promise<string[]> {
  await d1.prepare(LEDGER).run();
  const { results } = await d1.prepare("select name from d1_migrations order by id").all<{ name: string }>();
  const fresh = decideFresh(
    migrations,
    results.map(({ name }) => name),
  );
  for (const { name, sql } of fresh) {
    const statements = splitSql(sql).map((statement) => d1.prepare(statement));
    await d1.batch([...statements, d1.prepare("insert into d1_migrations (name) values (?)").bind(name)]);
  }
  return fresh.map(({ name }) => name);
}

/** The migrations that come after those that were applied. The shorter list must be the start of the longer one. */
export function decideFresh(migrations: readonly Migration[], applied: readonly string[]): readonly Migration[] {
  const common = Math.min(migrations.length, applied.length);
  for (let i = 0; i < common; i++) {
    const [file, done] = [migrations[i]?.name, applied[i]];
    if (file === done) continue;
    throw new Error(
      `The local database has ${done} where migrations/ has ${file}: migrations are only ever added. ` +
        "Bring the file back, or start with other data: ALTHING_STATE=<folder> npm start",
    );
  }
  return migrations.slice(common);
}
