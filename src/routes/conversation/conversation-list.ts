import * as z from "zod";
import { principalOf } from "../../objects/principal/principal-rpc.ts";
import { idsOf } from "../../people/other-ids.ts";
import type { ConversationSummary } from "../../protocol/rest.ts";
import { type ListPlace, listConversations, type RegistryRow } from "../../store/conversations.ts";
import { json } from "../answers.ts";
import { Refuse } from "../refusal.ts";
import { type AppDeps, signedInRoute } from "../route.ts";
import { listShape, pageLimit, usageShape } from "../shapes.ts";

export const list = signedInRoute({
  method: "GET",
  path: "/api/v1/conversations",
  summary:
    "One's own conversations and the shared ones that one is in, newest activity first. `next` is the `before` of the page that follows.",
  query: z.strictObject({ before: z.string().max(200).optional(), limit: pageLimit }),
  answers: { 200: listShape },
  async handle({ db, deps, env, person, query }) {
    const after = query.before === undefined ? undefined : readCursor(query.before);
    const rows = await listConversations(db, idsOf(person), { surface: "web", after, limit: query.limit + 1 });
    const shown = rows.slice(0, query.limit);
    const last = shown.at(-1);
    const more = rows.length > shown.length && last !== undefined;
    const seen = shown.length === 0 ? {} : await readSeen(() => principalOf(env, person.principalId).seen(), deps.log);
    return json({
      conversations: shown.map((row) => summarise(row, seen)),
      ...(more ? { next: writeCursor(last) } : {}),
    });
  },
});

/** What one has seen, by channel key. The list is worth having without it. */
async function readSeen(seen: () => Promise<Seen>, log: AppDeps["log"]): Promise<Seen> {
  try {
    return await seen();
  } catch (error) {
    log("error", { event: "seen.failed", error: String(error) });
    return {};
  }
}

type Seen = Readonly<Record<string, number>>;

function summarise(row: RegistryRow, seen: Seen): ConversationSummary {
  const { id, visibility, title, createdAt, updatedAt, state } = row;
  return {
    id,
    visibility,
    title,
    createdAt,
    updatedAt,
    state,
    usage: usageShape.parse(row.usage),
    unread: row.rev > (seen[row.key] ?? row.rev),
  };
}

function writeCursor(place: ListPlace): string {
  return `${place.updatedAt}~${place.key}`;
}

function readCursor(cursor: string): ListPlace {
  const [, updatedAt, key] = /^(\d{1,15})~(.+)$/.exec(cursor) ?? [];
  if (updatedAt === undefined || key === undefined) {
    throw new Refuse({ code: "bad_request", message: "before: not a cursor; take it from `next` of the page before." });
  }
  return { updatedAt: Number(updatedAt), key };
}
