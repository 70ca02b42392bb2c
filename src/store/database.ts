import { type DrizzleD1Database, drizzle } from "drizzle-orm/d1";

/** The directory's database. Its queries are the functions beside the tables of this folder. */
export type Database = DrizzleD1Database;

export function openDatabase(d1: D1Database): Database {
  return drizzle(d1);
}
