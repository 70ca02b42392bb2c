import { attachmentNamed } from "../../lib/file-name.ts";
import { mayAudit } from "../../people/may-audit.ts";
import {
  type AuditLine,
  auditExportQuery,
  auditLineShape,
  auditPageShape,
  auditQuery,
  type ChainPage,
  chainAnswerShape,
  chainQuery,
} from "../../protocol/audit.ts";
import { type AuditPlace, listChains, listHeads, listLines, type StoredLine } from "../../store/approval-audit.ts";
import type { Database } from "../../store/database.ts";
import { readNames } from "../../store/names.ts";
import { json, unwrap } from "../answers.ts";
import { Refuse } from "../refusal.ts";
import { type ConversationCall, conversationRoute, type SignedInCall, signedInRoute } from "../route.ts";
import { streamOf } from "../stream-of.ts";

/** Lines and heads that one query of an export reads. */
const EXPORT_PAGE = 500;
/** Lines that one question to a conversation reads. */
const CHAIN_PAGE = 100;

export const conversationAudit = conversationRoute({
  method: "GET",
  path: "/api/v1/conversations/:id/audit",
  summary:
    "What was decided about the calls of a conversation, oldest first; with `format=ndjson` all of it, as a download.",
  query: chainQuery,
  answers: { 200: chainAnswerShape },
  async handle(call) {
    const { conversation, caller, query, db } = call;
    if (query.format === "ndjson") return await exportChain(call);
    const page = await unwrap(conversation.audit(caller, { after: query.after, limit: query.limit }));
    return json({ ...page, names: await namesIn(db, page.lines, page.counting) });
  },
});

export const auditLines = signedInRoute({
  method: "GET",
  path: "/api/v1/audit",
  summary: "What was decided about calls in all conversations, newest first, for owners.",
  query: auditQuery,
  answers: { 200: auditPageShape },
  async handle(call) {
    requireAuditor(call);
    const { limit, before, ...filter } = call.query;
    const after = before === undefined ? undefined : placeOf(before);
    const found = await listLines(call.db, filter, { limit: limit + 1, after });
    const lines = found.slice(0, limit).map(({ line }) => auditLineShape.parse(JSON.parse(line)));
    const last = found.length > limit ? lines.at(-1) : undefined;
    const names = await namesIn(call.db, lines);
    return json({ lines, names, ...(last && { next: `${last.at}~${last.seq}~${last.conversation}` }) });
  },
});

export const exportAudit = signedInRoute({
  method: "GET",
  path: "/api/v1/audit/export",
  summary: "All lines as a download, a JSON value a line, for owners: `npm run audit:verify <file>` checks it.",
  query: auditExportQuery,
  answers: { 200: { media: "application/x-ndjson" } },
  async handle(call) {
    requireAuditor(call);
    return download(writeAll(call.db, call.query.conversation), "audit");
  },
});

function requireAuditor({ person, now }: SignedInCall<unknown, unknown>): void {
  const verdict = mayAudit(person, now);
  if (!verdict.ok) throw new Refuse(verdict.error);
}

/** The heads first: a line that is written meanwhile only makes a chain longer than its head. */
async function* writeAll(db: Database, only: string | undefined): AsyncGenerator<string> {
  for (let after: string | undefined; ; ) {
    const heads = await listHeads(db, only, { limit: EXPORT_PAGE, after });
    yield heads.map((head) => `${JSON.stringify({ head })}\n`).join("");
    after = heads.at(-1)?.conversation;
    if (heads.length < EXPORT_PAGE) break;
  }
  let lines = 0;
  for (let after: StoredLine | undefined; ; ) {
    const page = await listChains(db, only, { limit: EXPORT_PAGE, after });
    yield page.map(({ line }) => `${line}\n`).join("");
    lines += page.length;
    after = page.at(-1);
    if (page.length < EXPORT_PAGE) break;
  }
  yield `${JSON.stringify({ end: { lines } })}\n`;
}

/** The first page is asked for before anything is answered, so that a refusal has a status. */
async function exportChain(call: ConversationCall<unknown, unknown>): Promise<Response> {
  const first = await unwrap(call.conversation.audit(call.caller, { after: 0, limit: CHAIN_PAGE }));
  return download(writeChain(call, first), `audit-${call.id}`);
}

async function* writeChain(
  { conversation, caller, key }: ConversationCall<unknown, unknown>,
  first: ChainPage,
): AsyncGenerator<string> {
  if (first.head) yield `${JSON.stringify({ head: { conversation: key, ...first.head } })}\n`;
  let lines = 0;
  for (let page = first; ; ) {
    yield page.lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    lines += page.lines.length;
    if (page.next === undefined) break;
    page = await unwrap(conversation.audit(caller, { after: page.next, limit: CHAIN_PAGE }));
  }
  yield `${JSON.stringify({ end: { lines } })}\n`;
}

function download(text: AsyncGenerator<string>, name: string): Response {
  return new Response(streamOf(text), {
    headers: {
      "content-type": "application/x-ndjson",
      "content-disposition": attachmentNamed(`${name}.ndjson`),
      "cache-control": "no-store",
    },
  });
}

function namesIn(
  db: Database,
  lines: readonly AuditLine[],
  counting: ChainPage["counting"] = [],
): Promise<Readonly<Record<string, string>>> {
  const ids = [...lines.flatMap(({ by, speaker }) => [by, speaker]), ...counting.map(({ by }) => by)];
  return readNames(db, [...new Set(ids.filter((id) => id !== null))]);
}

/** A place in the list, as `next` wrote it. */
function placeOf(cursor: string): AuditPlace {
  const [, at, seq, conversation] = /^(\d{1,15})~(\d{1,15})~(.+)$/.exec(cursor) ?? [];
  if (at === undefined || seq === undefined || conversation === undefined) {
    throw new Refuse({ code: "bad_request", message: "before: not a cursor; take it from `next` of the page before." });
  }
  return { at: Number(at), seq: Number(seq), conversation };
}
