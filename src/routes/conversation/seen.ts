import { principalOf } from "../../objects/principal/principal-rpc.ts";
import { seenBody } from "../../protocol/notices.ts";
import { noContent } from "../answers.ts";
import { conversationRoute } from "../route.ts";

/** The mark is the person's own: whether there is such a conversation is neither asked nor told. */
export const markSeen = conversationRoute({
  method: "POST",
  path: "/api/v1/conversations/:id/seen",
  summary: "Notes up to which revision one has seen a conversation; an older one changes nothing.",
  body: seenBody,
  answers: { 204: "empty" },
  async handle({ env, person, key, body }) {
    await principalOf(env, person.principalId).see(key, body.rev);
    return noContent();
  },
});
