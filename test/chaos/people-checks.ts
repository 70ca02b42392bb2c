import { isDeepStrictEqual } from "node:util";
import { verifyChain } from "../../src/holds/audit/verify-chain.ts";
import type { AuditLine, ChainPage } from "../../src/protocol/audit.ts";
import type { ChatView, ToolResultData, View, ViewEntry } from "../../src/protocol/view.ts";
import type { AppServer } from "../kit/app-server/app-server.ts";
import { ChatClient } from "../kit/chat-client.ts";
import type { EffectReceiver } from "../kit/effect-receiver.ts";
import { checkDecisions } from "./check-decisions.ts";
import type { Person } from "./person.ts";
import type { Seat } from "./seat.ts";

/** One conversation of a chaos run and who sits in it. The first of them opened it. */
export interface Place {
  readonly id: string;
  readonly visibility: "private" | "shared";
  readonly seats: readonly Seat[];
}

interface Deployment {
  readonly server: AppServer;
  readonly owner: Person;
  readonly receiver: EffectReceiver;
}

/** The list in D1 is told at most twice a second, and again after a failure. */
const MIRROR_MS = 20_000;

/** What a person holds at the end: every message has one outcome, and what they folded is what is there. */
export async function checkSeat(seat: Seat): Promise<readonly string[]> {
  const { client, label, person, conversation } = seat;
  const violations = client.violations.map((violation) => `${label}: ${violation}`);
  for (const [id, message] of seat.said) {
    const status = await seat.receiptOf(id, message);
    if (status !== "done" && status !== "unanswered") violations.push(`${label}: ${id} ended as ${status}`);
  }
  const fresh = new ChatClient(person.url, conversation, person.cookie);
  await fresh.connect();
  await client.until(() => client.rev === fresh.rev, 2_000);
  if (!isDeepStrictEqual(fresh.view, client.view))
    violations.push(`${label}: the folded view differs from a fresh one`);
  fresh.close();
  return violations;
}

/** No call had its effect twice, and none came without its key. */
export function checkEffects({ arrived, keyless }: EffectReceiver): readonly string[] {
  const twice = [...arrived].filter(([, count]) => count > 1);
  const violations = twice.map(([key, count]) => `${key} had its effect ${count} times`);
  return keyless > 0 ? [...violations, `${keyless} effects without a key`] : violations;
}

/** What a conversation says of itself, its audit, the directory's copies, and what really arrived agree. */
export async function checkConversation(
  place: Place,
  { server, owner, receiver }: Deployment,
): Promise<{ readonly violations: readonly string[]; readonly approved: number }> {
  const key = `web:${place.id}`;
  const [first] = place.seats;
  const view = first?.client.view;
  if (!first || !view) return { violations: [`${key} was never seen`], approved: 0 };
  const page = await readChain(first.person, place.id);
  const mayDecide = (line: AuditLine) =>
    place.visibility === "private"
      ? line.by === first.person.principalId
      : line.by === line.speaker || line.by === owner.principalId;
  const { approved, violations: unjust } = checkDecisions(page.lines, mayDecide);
  const entries = await readEntries(first.person, place.id);
  const mine = [...receiver.arrived.keys()].filter((name) => name.startsWith(`${key}/`));
  const ran = page.lines.filter(({ event }) => event === "spent" || event === "allowed").length;
  const violations = unjust.map((violation) => `${key}: ${violation}`);
  if (mine.length > ran) violations.push(`${key}: ${mine.length} effects of ${ran} approved calls`);
  for (const task of doneWebhooks(entries)) {
    if (!receiver.arrived.has(`${key}/${task}`))
      violations.push(`${key}: call ${task} is told as done and did nothing`);
  }
  const fault = verifyChain(key, page.lines, page.head);
  if (fault) violations.push(`${key}: its audit is ${fault.kind} at ${fault.seq}: ${fault.detail}`);
  violations.push(...(await checkMirror(place, server, { view, lines: page.lines })));
  return { violations, approved };
}

/** What the list, the cards, the members and the audit in D1 say is what the conversation says. */
async function checkMirror(
  { id, visibility, seats }: Place,
  server: AppServer,
  { view, lines }: { readonly view: View; readonly lines: readonly AuditLine[] },
): Promise<readonly string[]> {
  const key = `web:${id}`;
  const last = view.entries.at(-1)?.data as { readonly display?: { readonly reason: string } } | undefined;
  const expected = {
    state: last?.display?.reason === "failed" ? "failed" : "idle",
    title: (view.plugins["chat"] as unknown as ChatView).title,
    usage: view.usage,
    visibility,
    members: visibility === "shared" ? seats.map(({ person }) => person.principalId).toSorted() : [],
    cards: 0,
    lines: lines.map((line) => JSON.stringify(line)),
  };
  const read = async () => {
    const [row] = await server.sql("SELECT * FROM conversations WHERE key = ?", key);
    const members = await server.sql(
      "SELECT principal_id AS id FROM conversation_members WHERE key = ? ORDER BY 1",
      key,
    );
    const cards = await server.sql("SELECT hold FROM open_cards WHERE conversation = ?", key);
    const copies = await server.sql("SELECT line FROM approval_audit WHERE conversation = ? ORDER BY seq", key);
    return {
      state: row?.["state"],
      title: row?.["title"],
      usage: usageOf(row?.["usage"]),
      visibility: row?.["visibility"],
      members: members.map((member) => member["id"]),
      cards: cards.length,
      lines: copies.map((copy) => JSON.stringify(JSON.parse(String(copy["line"])))),
    };
  };
  const deadline = Date.now() + MIRROR_MS;
  let told = await read();
  while (!isDeepStrictEqual(told, expected)) {
    if (Date.now() > deadline) return [`${key}: D1 says ${JSON.stringify(told)}, it is ${JSON.stringify(expected)}`];
    await new Promise((resolve) => setTimeout(resolve, 250));
    told = await read();
  }
  return [];
}

function usageOf(stored: unknown): unknown {
  return typeof stored === "string" ? JSON.parse(stored) : stored;
}

/** Tasks of webhook calls whose result says that they ran. */
function doneWebhooks(entries: readonly ViewEntry[]): readonly number[] {
  return entries.flatMap(({ kind, message, task, data }) => {
    const isWebhook = kind === "core.tool_result" && message?.role === "tool" && message.name === "send_webhook";
    const { outcome } = (data ?? {}) as Partial<ToolResultData>;
    return isWebhook && outcome === "ok" && task !== undefined ? [task] : [];
  });
}

async function readEntries(person: Person, id: string): Promise<readonly ViewEntry[]> {
  const body = await person.read(`/conversations/${id}/export?format=json`);
  return (JSON.parse(body) as { readonly entries: readonly ViewEntry[] }).entries;
}

async function readChain(person: Person, id: string): Promise<ChainPage> {
  const lines: AuditLine[] = [];
  for (let after = 0; ; ) {
    const page = JSON.parse(await person.read(`/conversations/${id}/audit?after=${after}&limit=100`)) as ChainPage;
    lines.push(...page.lines);
    if (page.next === undefined) return { ...page, lines };
    after = page.next;
  }
}
