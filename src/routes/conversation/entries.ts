import { json, unwrap } from "../answers.ts";
import { idParam } from "../id-param.ts";
import { conversationRoute } from "../route.ts";
import { entriesQuery, entriesShape, entryShape } from "../shapes.ts";

export const entries = conversationRoute({
  method: "GET",
  path: "/api/v1/conversations/:id/entries",
  summary: "Entries before an id (absent: the newest), oldest first.",
  query: entriesQuery,
  answers: { 200: entriesShape },
  async handle({ conversation, caller, query: { before, limit } }) {
    const page = before === undefined ? { limit } : { before, limit };
    return json(await unwrap(conversation.entries(caller, page)));
  },
});

export const entry = conversationRoute({
  method: "GET",
  path: "/api/v1/conversations/:id/entries/:entry",
  summary: "One entry, whole.",
  answers: { 200: entryShape },
  async handle({ conversation, caller, param }) {
    return json(await unwrap(conversation.entry(caller, idParam(param("entry")))));
  },
});
