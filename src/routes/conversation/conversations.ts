import { isSame } from "../../people/other-ids.ts";
import { createBody, settingsBody } from "../../protocol/rest.ts";
import { buryConversation, readConversation } from "../../store/conversations.ts";
import { forgetCards } from "../../store/open-cards.ts";
import { json, noContent, unwrap } from "../answers.ts";
import { deleteFiles } from "../files/file-store.ts";
import { Refuse } from "../refusal.ts";
import { type ConversationCall, conversationRoute, signedInRoute } from "../route.ts";
import { createdShape, nothing, snapshotShape } from "../shapes.ts";
import { conversationAt } from "./conversation-at.ts";

export const create = signedInRoute({
  method: "POST",
  path: "/api/v1/conversations",
  summary:
    "Creates a conversation under the client's own UUID, private or (for owners) shared. Repeating it creates nothing more.",
  body: createBody,
  answers: { 200: createdShape, 201: createdShape },
  async handle({ env, db, caller, person, body }) {
    const { id, key, conversation } = conversationAt(env, body.id);
    const row = await readConversation(db, key);
    if (row !== undefined && row.deletedAt !== null) throw usedUp(isSame(person, row.owner));
    const { created } = await unwrap(conversation.create(caller, key, body.visibility));
    return json({ id, created }, created ? 201 : 200);
  },
});

export const snapshot = conversationRoute({
  method: "GET",
  path: "/api/v1/conversations/:id",
  summary: "The conversation as it stands: revision, view, and text that is streaming now.",
  answers: { 200: snapshotShape },
  async handle({ conversation, caller }) {
    return json(await unwrap(conversation.snapshot(caller)));
  },
});

export const change = conversationRoute({
  method: "PATCH",
  path: "/api/v1/conversations/:id",
  summary: "Changes title, model or thinking level, and switches tools on or off.",
  body: settingsBody,
  answers: { 204: "empty" },
  async handle({ conversation, caller, body }) {
    await unwrap(conversation.settings(caller, body));
    return noContent();
  },
});

export const remove = conversationRoute({
  method: "DELETE",
  path: "/api/v1/conversations/:id",
  summary: "Deletes the conversation for good, files included.",
  body: nothing,
  answers: { 204: "empty" },
  async handle(call) {
    await destroy(call);
    await deleteFiles(call.env.FILES, call.id);
    await buryConversation(call.db, { key: call.key, id: call.id, owner: call.caller.principalId }, call.now);
    await forgetCards(call.db, call.key);
    return noContent();
  },
});

/**
 * Empties the object, which alone decides who may. If it is empty already, an earlier request may have died before the
 * files and the list were done: whose it was then stands in the list.
 */
async function destroy({ conversation, caller, person, db, key }: ConversationCall<unknown, unknown>): Promise<void> {
  const destroyed = await conversation.destroy(caller);
  if (destroyed.ok) return;
  const row = destroyed.error.code === "not_found" ? await readConversation(db, key) : undefined;
  const isTheirs = row?.visibility === "shared" ? person.tier === "owner" : isSame(person, row?.owner);
  const isUnfinished = row?.deletedAt === null && isTheirs;
  if (!isUnfinished) throw new Refuse(destroyed.error);
}

/** The refusal of an id whose conversation was deleted. */
export function usedUp(isOwn: boolean): Refuse {
  return isOwn
    ? new Refuse({ code: "conflict", message: "This conversation was deleted; its id is not used again." })
    : new Refuse({ code: "not_found", message: "There is no such conversation." });
}
