import { env } from "cloudflare:test";
import { getTableConfig, type SQLiteTable } from "drizzle-orm/sqlite-core";
import { describe, expect, it } from "vitest";
import { approvalAudit, approvalAuditHeads } from "../../src/store/approval-audit.ts";
import { conversationMembers } from "../../src/store/conversation-members.ts";
import { conversations } from "../../src/store/conversations.ts";
import { openDatabase } from "../../src/store/database.ts";
import { erasures } from "../../src/store/erasures.ts";
import { formerIds } from "../../src/store/former-ids.ts";
import { identities } from "../../src/store/identities.ts";
import { invitations } from "../../src/store/invitations.ts";
import { linkCodes } from "../../src/store/link-codes.ts";
import { openCards } from "../../src/store/open-cards.ts";
import { ownerCodes } from "../../src/store/owner-codes.ts";
import { peopleAudit } from "../../src/store/people-audit.ts";
import { pluginMigrations } from "../../src/store/plugin-ledger.ts";
import { principals } from "../../src/store/principals.ts";
import { rateWindows } from "../../src/store/rate-windows.ts";
import { sessions } from "../../src/store/sessions.ts";

const tables: readonly SQLiteTable[] = [
  approvalAudit,
  approvalAuditHeads,
  openCards,
  principals,
  erasures,
  formerIds,
  identities,
  sessions,
  ownerCodes,
  rateWindows,
  conversations,
  conversationMembers,
  linkCodes,
  peopleAudit,
  invitations,
  pluginMigrations,
];

interface Column {
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
  readonly pk: number;
  readonly hidden: number;
}

/** What SQLite says of a column that is worked out when it is read. */
const VIRTUAL = 2;

describe("the schema", () => {
  it("[U-1] migrations are numbered without gaps", () => {
    const numbers = env.TEST_MIGRATIONS.map(({ name }) => name.slice(0, 4));
    expect(numbers).toEqual(numbers.map((_, i) => String(i + 1).padStart(4, "0")));
  });

  it.each(tables.map((table) => [getTableConfig(table).name, table] as const))(
    "[U-1] the columns of %s are those that the code declares",
    async (name, table) => {
      const { results } = await env.DB.prepare(`select name, type, "notnull", pk, hidden from pragma_table_xinfo(?)`)
        .bind(name)
        .all<Column>();
      const { columns, primaryKeys } = getTableConfig(table);
      const together = primaryKeys.flatMap((key) => key.columns.map((column) => column.name));
      const declared = columns.map((column) => ({
        name: column.name,
        type: column.getSQLType().toUpperCase(),
        notnull: column.notNull || column.primary ? 1 : 0,
        pk: column.primary ? 1 : together.indexOf(column.name) + 1,
        hidden: column.generated ? VIRTUAL : 0,
      }));
      expect(results).toEqual(declared);
    },
  );

  it("[U-1] there is no table that the code does not know", async () => {
    const { results } = await env.DB.prepare(
      "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' and name not like '_cf_%' and name <> 'd1_migrations'",
    ).all<{ name: string }>();
    expect(results.map(({ name }) => name).sort()).toEqual(tables.map((table) => getTableConfig(table).name).sort());
  });

  it("[U-2] a tier that does not exist is refused", async () => {
    const row = { id: "p_x", name: "X", tier: "root" as "owner", createdAt: 0 };
    await expect(openDatabase(env.DB).insert(principals).values(row)).rejects.toThrow('insert into "principals"');
  });
});
