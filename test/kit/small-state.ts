import { createHash, createHmac } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";

const ALARMS =
  "CREATE TABLE _cf_ALARM (actor_id TEXT PRIMARY KEY, scheduled_time INTEGER, actor_name TEXT) WITHOUT ROWID";

/** The files of a local deployment as its server leaves them, made without one. */
export class SmallState {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** A migrated directory and no object. */
  static make(folder: string): SmallState {
    const state = new SmallState(folder);
    state.directory((database) => {
      database.exec("CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE)");
      for (const name of migrationNames()) {
        database.exec(readFileSync(join("migrations", name), "utf8"));
        database.prepare("INSERT INTO d1_migrations (name) VALUES (?)").run(name);
      }
    });
    for (const name of ["Principal", "Budget", "Conversation"]) {
      state.#open(`v3/do/althing-${name}/metadata.sqlite`, (database) => database.exec(ALARMS));
    }
    return state;
  }

  directory<T>(work: (database: DatabaseSync) => T): T {
    return this.#open("v3/d1/miniflare-D1DatabaseObject/0a.sqlite", work);
  }

  person(id: string, tier = "member"): void {
    this.directory((database) => {
      const insert = "INSERT INTO principals (id, name, tier, created_at) VALUES (?, ?, ?, 1)";
      database.prepare(insert).run(id, `name of ${id}`, tier);
      database.prepare("INSERT INTO identities (id, principal_id, linked_at) VALUES (?, ?, 1)").run(`test:${id}`, id);
    });
  }

  /** A conversation, listed or not. */
  conversation(key: string, { isListed = true, owner = "p_ada" } = {}): void {
    this.object("Conversation", key, (database) => {
      database.exec("CREATE TABLE control (id INTEGER PRIMARY KEY, body TEXT NOT NULL)");
      const body = { facts: { key, owner, visibility: "private" }, alarmAt: 7 };
      database.prepare("INSERT INTO control (id, body) VALUES (1, ?)").run(JSON.stringify(body));
    });
    if (isListed) this.list(key, owner);
  }

  list(key: string, owner = "p_ada"): void {
    this.directory((database) => {
      const insert = `INSERT INTO conversations (key, id, owner, title, created_at, updated_at, state, usage, rev)
        VALUES (?, ?, ?, 'a title', 1, 1, 'running', '{}', 1)`;
      database.prepare(insert).run(key, key.slice(4), owner);
    });
  }

  /** The database of a named object, made when there is none. */
  object<T>(className: string, name: string, work: (database: DatabaseSync) => T): T {
    return this.#open(`v3/do/althing-${className}/${objectId(`althing-${className}`, name)}.sqlite`, (database) => {
      database.exec("CREATE TABLE IF NOT EXISTS __miniflare_do_name (id INTEGER PRIMARY KEY, name TEXT)");
      database.prepare("INSERT OR IGNORE INTO __miniflare_do_name VALUES (1, ?)").run(name);
      return work(database);
    });
  }

  /** When the platform will wake objects of a class, by name; ms. */
  alarms(className: string): ReadonlyMap<string, number> {
    return this.#open(`v3/do/althing-${className}/metadata.sqlite`, (database) => {
      const rows = database.prepare("SELECT actor_name AS name, scheduled_time / 1000000 AS at FROM _cf_ALARM").all();
      return new Map(rows.map(({ name, at }) => [String(name), Number(at)]));
    });
  }

  #open<T>(path: string, work: (database: DatabaseSync) => T): T {
    const full = join(this.folder, path);
    mkdirSync(dirname(full), { recursive: true });
    const database = new DatabaseSync(full);
    try {
      return work(database);
    } finally {
      database.close();
    }
  }
}

export function migrationNames(): string[] {
  return readdirSync("migrations")
    .filter((name) => name.endsWith(".sql"))
    .toSorted();
}

function objectId(classKey: string, name: string): string {
  const secret = createHash("sha256").update(classKey).digest();
  const half = (of: string | Buffer) => createHmac("sha256", secret).update(of).digest().subarray(0, 16);
  return Buffer.concat([half(name), half(half(name))]).toString("hex");
}
