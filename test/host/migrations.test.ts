import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deployPluginMigrations } from "../../scripts/deploy/plugin-migrations.ts";
import { applyMigrations, readMigrations } from "../../scripts/local/migrations.ts";
import { applyPluginMigrations } from "../../scripts/local/plugin-migrations.ts";
import { type LocalDatabase, openLocalDatabase } from "../../scripts/local/state.ts";
import { ledgerFault, migrationsOf, type OwnedMigration, planMigrations } from "../../src/host/index.ts";
import { migrationHash } from "../../src/host/migrations/plugin-migration.ts";
import { stopOf } from "../kit/stop-of.ts";
import { hostOf, pluginWith } from "./plugin-with.ts";

const once = (plugin: string, id: string, sql: string): OwnedMigration => ({ plugin, id, when: "once", sql });
const rowOf = (one: OwnedMigration) => ({ plugin: one.plugin, id: one.id, hash: migrationHash(one) });

describe("migrations of plugins", () => {
  it.each<[string, object, string, string]>([
    ["a bad id", { id: "A 1" }, "bad_migration", "must have an id"],
    ["an id of 65", { id: "a".repeat(65) }, "bad_migration", "must have an id"],
    ["no SQL", { sql: " " }, "bad_migration", "has no SQL"],
    ["an unknown when", { when: "daily" }, "bad_migration", "once or every-deploy"],
  ])("[X-40] with %s stop the start", (_what, changes, code, sentence) => {
    const one = { id: "0001_scores", when: "once", sql: "SELECT 1", ...changes } as const;
    const stop = stopOf(() => hostOf(pluginWith("dice", {}, { migrations: [one] })));
    expect([stop.code, stop.message]).toEqual([code, expect.stringContaining(sentence)]);
  });

  it("[X-40] an id twice in a plugin stops the start, in two plugins it does not; off, a plugin has none", () => {
    const one = { id: "one", when: "once", sql: "SELECT 1" } as const;
    const dice = pluginWith("dice", {}, { migrations: [one] });
    const cards = pluginWith("cards", {}, { migrations: [one] });
    const twice = pluginWith("dice", {}, { migrations: [one, one] });
    expect(stopOf(() => hostOf(twice)).message).toContain("two parts for the migration of dice one");
    expect(hostOf(dice, cards).migrations.map(({ plugin }) => plugin)).toEqual(["dice", "cards"]);
    expect(migrationsOf([dice, cards], { dice: false }).map(({ plugin }) => plugin)).toEqual(["cards"]);
  });

  it("[X-43] text that changed since it was applied is refused; every-deploy may change", () => {
    const [old, now] = [once("dice", "one", "SELECT 1"), once("dice", "one", "SELECT 2")];
    expect(planMigrations([now], [rowOf(old)])).toMatchObject({ error: expect.stringContaining("add a new one") });
    expect(planMigrations([old], [rowOf(old)])).toEqual({ ok: true, value: [] });
    const again = { ...now, when: "every-deploy" } as const;
    expect(planMigrations([again], [rowOf(old)])).toEqual({ ok: true, value: [again] });
  });

  it("[X-44] a ledger that lacks one, or holds another version, is a fault that names the command", () => {
    const one = once("dice", "one", "SELECT 1");
    expect(ledgerFault([one], [rowOf(one), { plugin: "gone", id: "x", hash: "y" }])).toBeUndefined();
    expect(ledgerFault([one], [])).toContain("lacks the migration one of plugin dice: run npm run migrate");
    expect(ledgerFault([one], [{ ...rowOf(one), hash: "other" }])).toContain("holds another version");
  });
});

// A real D1 of this machine is opened in a process of its own.
describe("applying them", { timeout: 60_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), "althing-ledger-"));
  let database: LocalDatabase;
  beforeAll(async () => {
    database = await openLocalDatabase(".", folder);
    await applyMigrations(database.d1, readMigrations("."));
  }, 60_000);
  afterAll(async () => {
    await database.close();
    rmSync(folder, { recursive: true });
  });

  const apply = (...migrations: readonly OwnedMigration[]) => applyPluginMigrations(database.d1, migrations, 1);
  const count = async (table: string) =>
    (await database.d1.prepare(`SELECT count(*) AS n FROM ${table}`).first<{ n: number }>())?.n;
  const ledger = async () => {
    const { results } = await database.d1.prepare("SELECT plugin, id FROM plugin_migrations ORDER BY plugin, id").all();
    return results.map((row) => Object.values(row).join("/"));
  };

  it("[X-41] once is applied once, every-deploy at each start, each with its line", async () => {
    const table = once("a", "0001", "CREATE TABLE a_seen (n INTEGER); INSERT INTO a_seen VALUES (1);");
    const each = { plugin: "a", id: "0002", when: "every-deploy", sql: "INSERT INTO a_seen VALUES (2)" } as const;
    expect(await apply(table, each)).toEqual(["a/0001", "a/0002"]);
    expect(await apply(table, each)).toEqual(["a/0002"]);
    expect([await count("a_seen"), await ledger()]).toEqual([3, ["a/0001", "a/0002"]]);
  });

  it("[X-41] [trap 109] one that fails leaves neither rows nor line, and those after it are not tried", async () => {
    const good = once("b", "0001", "CREATE TABLE b_seen (n INTEGER NOT NULL)");
    const bad = once("b", "0002", "INSERT INTO b_seen VALUES (1); INSERT INTO b_seen VALUES (NULL);");
    const after = once("b", "0003", "INSERT INTO b_seen VALUES (3)");
    await expect(apply(good, bad, after)).rejects.toThrow(
      "The migration 0002 of plugin b failed; nothing of it stands",
    );
    expect(await count("b_seen")).toBe(0);
    expect((await ledger()).filter((line) => line.startsWith("b/"))).toEqual(["b/0001"]);
  });

  it("[X-42] [trap 109] of two that start together one applies", async () => {
    const table = once("c", "0001", "CREATE TABLE IF NOT EXISTS c_seen (n INTEGER)");
    const row = once("c", "0002", "INSERT INTO c_seen VALUES (1)");
    const applied = await Promise.all([apply(table, row), apply(table, row), apply(table, row)]);
    expect(applied.flat().toSorted()).toEqual(["c/0001", "c/0002"]);
    expect(await count("c_seen")).toBe(1);
  });

  it("[X-41] a deploy sends each as one batch, its line last", () => {
    const sent: string[] = [];
    const remote = (sql: string) => (sent.push(sql), []);
    const one = once("d", "0001", "CREATE TABLE d_seen (n INTEGER);\nINSERT INTO d_seen VALUES (1);");
    expect(deployPluginMigrations([], remote, 1)).toEqual([]);
    expect(deployPluginMigrations([one], remote, 1)).toEqual(["d/0001"]);
    expect(sent.map((sql) => sql.split(";\n").map((line) => line.split(" ").slice(0, 3).join(" ")))).toEqual([
      ["SELECT plugin, id,"],
      ["CREATE TABLE d_seen", "INSERT INTO d_seen", "INSERT INTO plugin_migrations"],
    ]);
  });
});
