import { constraintBody } from "../../protocol/rest.ts";
import { noContent, unwrap } from "../answers.ts";
import { conversationRoute } from "../route.ts";
import { nothing } from "../shapes.ts";

export const constrain = conversationRoute({
  method: "POST",
  path: "/api/v1/conversations/:id/constraints",
  summary: "Sets a standing constraint: calls of these tools wait for a person, or never run.",
  body: constraintBody,
  answers: { 204: "empty" },
  async handle({ conversation, caller, body }) {
    await unwrap(conversation.constrain(caller, body));
    return noContent();
  },
});

export const unconstrain = conversationRoute({
  method: "POST",
  path: "/api/v1/conversations/:id/constraints/:constraint/remove",
  summary: "Takes a standing constraint away.",
  body: nothing,
  answers: { 204: "empty" },
  async handle({ conversation, caller, param }) {
    await unwrap(conversation.unconstrain(caller, param("constraint")));
    return noContent();
  },
});

export const revoke = conversationRoute({
  method: "POST",
  path: "/api/v1/conversations/:id/allow-rules/:rule/revoke",
  summary: "Takes back what was allowed in advance: such calls are asked about again.",
  body: nothing,
  answers: { 204: "empty" },
  async handle({ conversation, caller, param }) {
    await unwrap(conversation.revoke(caller, param("rule")));
    return noContent();
  },
});
