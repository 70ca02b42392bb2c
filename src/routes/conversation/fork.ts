import * as z from "zod";
import { isSame } from "../../people/other-ids.ts";
import { forkBody } from "../../protocol/rest.ts";
import { readConversation } from "../../store/conversations.ts";
import { json, unwrap } from "../answers.ts";
import { conversationRoute } from "../route.ts";
import { conversationAt } from "./conversation-at.ts";
import { usedUp } from "./conversations.ts";

export const fork = conversationRoute({
  method: "POST",
  path: "/api/v1/conversations/:id/fork",
  summary: "A new conversation, under the client's own UUID, that begins with everything up to an entry.",
  body: forkBody,
  answers: { 201: z.object({ id: z.uuid() }) },
  async handle({ env, db, caller, person, key: from, body }) {
    const { id, key, conversation } = conversationAt(env, body.id);
    const row = await readConversation(db, key);
    if (row !== undefined && row.deletedAt !== null) throw usedUp(isSame(person, row.owner));
    await unwrap(conversation.fork(caller, key, { key: from, at: body.at }));
    return json({ id }, 201);
  },
});
