import { AuditReader, type AuditReport } from "../../src/holds/audit/verify-export.ts";
import { listChains, listHeads, type StoredLine } from "../../src/store/approval-audit.ts";
import { openDatabase } from "../../src/store/database.ts";

const PAGE = 500;

/** Checks every chain that a database has a copy of. */
export async function verifyDatabase(d1: D1Database): Promise<AuditReport> {
  const db = openDatabase(d1);
  const reader = new AuditReader();
  for (let after: string | undefined; ; ) {
    const heads = await listHeads(db, undefined, { limit: PAGE, after });
    for (const head of heads) reader.head(head.conversation, head);
    after = heads.at(-1)?.conversation;
    if (heads.length < PAGE) break;
  }
  for (let after: StoredLine | undefined; ; ) {
    const lines = await listChains(db, undefined, { limit: PAGE, after });
    for (const { line } of lines) reader.line(JSON.parse(line));
    after = lines.at(-1);
    if (lines.length < PAGE) break;
  }
  return reader.report();
}
