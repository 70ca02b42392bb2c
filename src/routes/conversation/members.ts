import { memberBody } from "../../protocol/rest.ts";
import { listOwnerIds, readNames } from "../../store/people.ts";
import { json, noContent, unwrap } from "../answers.ts";
import { conversationRoute } from "../route.ts";
import { membersShape, nothing, ownersShape } from "../shapes.ts";

/** What somebody is called whom the directory does not know any more. */
const GONE = "Somebody who is gone";

export const members = conversationRoute({
  method: "GET",
  path: "/api/v1/conversations/:id/members",
  summary: "Who is in a shared conversation.",
  answers: { 200: membersShape },
  async handle({ conversation, caller, db }) {
    const { members } = await unwrap(conversation.members(caller));
    const names = await readNames(
      db,
      members.map(({ principalId }) => principalId),
    );
    return json({
      members: members.map(({ principalId: id, ...how }) => ({ id, name: names.get(id) ?? GONE, ...how })),
    });
  },
});

/** Owners that are listed. */
const MAX_OWNERS = 100;

export const roomOwners = conversationRoute({
  method: "GET",
  path: "/api/v1/conversations/:id/owners",
  summary: "Whom a card of a shared conversation may be handed to: the owners, by name.",
  answers: { 200: ownersShape },
  async handle({ conversation, caller, db }) {
    await unwrap(conversation.members(caller));
    const names = await readNames(db, (await listOwnerIds(db)).slice(0, MAX_OWNERS));
    return json({ owners: [...names].map(([id, name]) => ({ id, name })) });
  },
});

export const addMember = conversationRoute({
  method: "POST",
  path: "/api/v1/conversations/:id/members",
  summary: "Takes a person into a shared conversation; for owners.",
  body: memberBody,
  answers: { 204: "empty" },
  async handle({ conversation, caller, body }) {
    await unwrap(conversation.addMember(caller, body.person));
    return noContent();
  },
});

export const removeMember = conversationRoute({
  method: "POST",
  path: "/api/v1/conversations/:id/members/:person/remove",
  summary: "Takes a person out of a shared conversation: for owners, and for everybody about themselves.",
  body: nothing,
  answers: { 204: "empty" },
  async handle({ conversation, caller, param }) {
    await unwrap(conversation.removeMember(caller, param("person")));
    return noContent();
  },
});
