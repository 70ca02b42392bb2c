import { Gate } from "./gate.ts";

type Rule = (sql: string) => boolean;

interface Barrier {
  readonly matches: Rule;
  /** Queries that match and pass before the one that waits. */
  skip: number;
  readonly gate: Gate;
}

const EXECUTED = new Set<PropertyKey>(["all", "run", "raw", "first"]);

/** A database that counts its queries, fails where it is told to, and lets them wait. */
export class WatchedDatabase {
  /** SQL of each query that was asked. */
  readonly queries: string[] = [];
  fails: Rule = () => false;
  readonly d1: D1Database;
  #barriers: Barrier[] = [];
  readonly #known = new WeakMap<D1PreparedStatement, { readonly sql: string; readonly real: D1PreparedStatement }>();

  constructor(d1: D1Database) {
    this.d1 = watch(d1, {
      prepare: (sql: string) => this.#statement(sql, d1.prepare(sql)),
      batch: (statements: D1PreparedStatement[]) => this.#batch(d1, statements),
    });
  }

  /** The next query that matches waits until the gate is opened, after so many others that pass. */
  hold(matches: Rule, skip = 0): Gate {
    const gate = new Gate();
    this.#barriers.push({ matches, skip, gate });
    return gate;
  }

  #statement(sql: string, real: D1PreparedStatement): D1PreparedStatement {
    const overrides: { [name: string]: unknown } = {
      bind: (...values: unknown[]) => this.#statement(sql, real.bind(...values)),
    };
    for (const name of EXECUTED) {
      overrides[String(name)] = async (...args: unknown[]) => {
        await this.#pass(sql);
        return (Reflect.get(real, name) as (...args: unknown[]) => unknown).apply(real, args);
      };
    }
    const watched = watch(real, overrides);
    this.#known.set(watched, { sql, real });
    return watched;
  }

  async #batch(d1: D1Database, statements: D1PreparedStatement[]): Promise<unknown> {
    for (const statement of statements) await this.#pass(this.#known.get(statement)?.sql ?? "");
    return await d1.batch(statements.map((statement) => this.#known.get(statement)?.real ?? statement));
  }

  async #pass(sql: string): Promise<void> {
    this.queries.push(sql);
    if (this.fails(sql)) throw new Error("D1_ERROR: the database is away");
    const barrier = this.#barriers.find(({ matches }) => matches(sql));
    if (!barrier || barrier.skip-- > 0) return;
    this.#barriers = this.#barriers.filter((other) => other !== barrier);
    await barrier.gate.pass();
  }
}

/** The object with some of its members replaced; the others run on the real one. */
function watch<T extends object>(real: T, overrides: { readonly [name: string]: unknown }): T {
  return new Proxy(real, {
    get(target, name) {
      if (typeof name === "string" && Object.hasOwn(overrides, name)) return overrides[name];
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? (value as () => unknown).bind(target) : value;
    },
  });
}
