import * as z from "zod";
import { decisionsBody, extendBody, handOverBody } from "../../protocol/frames.ts";
import { json, noContent, unwrap } from "../answers.ts";
import { conversationRoute } from "../route.ts";
import { nothing, outcomesShape, strictDecide } from "../shapes.ts";

export const decide = conversationRoute({
  method: "POST",
  path: "/api/v1/conversations/:id/decide",
  summary: "Approves or declines a card, naming the digest that was shown.",
  body: strictDecide,
  answers: { 204: "empty" },
  async handle({ conversation, caller, body }) {
    await unwrap(conversation.decide(caller, body));
    return noContent();
  },
});

export const decideMany = conversationRoute({
  method: "POST",
  path: "/api/v1/conversations/:id/decisions",
  summary: "The same decision about each card of a list, each in its own right, with an outcome of its own.",
  body: decisionsBody,
  answers: { 200: outcomesShape },
  async handle({ conversation, caller, body }) {
    return json(await unwrap(conversation.decideMany(caller, body)));
  },
});

export const askAgain = conversationRoute({
  method: "POST",
  path: "/api/v1/conversations/:id/holds/:hold/ask-again",
  summary: "Makes the call of a card that expired or changed anew: a fresh card comes of it.",
  body: nothing,
  answers: { 204: "empty" },
  async handle({ conversation, caller, param }) {
    await unwrap(conversation.actOnCard(caller, param("hold"), { kind: "ask_again" }));
    return noContent();
  },
});

export const extendCard = conversationRoute({
  method: "POST",
  path: "/api/v1/conversations/:id/holds/:hold/extend",
  summary: "Gives a card more time, at most 7 days after it was asked.",
  body: extendBody,
  answers: { 204: "empty" },
  async handle({ conversation, caller, param, body }) {
    await unwrap(conversation.actOnCard(caller, param("hold"), { kind: "extend", ...body }));
    return noContent();
  },
});

export const handOverCard = conversationRoute({
  method: "POST",
  path: "/api/v1/conversations/:id/holds/:hold/hand-over",
  summary: "Hands the question of a card to an owner. Who may answer stays the same.",
  body: handOverBody,
  answers: { 204: "empty" },
  async handle({ conversation, caller, param, body }) {
    await unwrap(conversation.actOnCard(caller, param("hold"), { kind: "hand_over", ...body }));
    return noContent();
  },
});

export const holdArgument = conversationRoute({
  method: "GET",
  path: "/api/v1/conversations/:id/holds/:hold/args/:name",
  summary: "The full text of one argument of a card.",
  answers: { 200: z.object({ value: z.string() }) },
  async handle({ conversation, caller, param }) {
    return json(await unwrap(conversation.holdArgument(caller, param("hold"), param("name"))));
  },
});
