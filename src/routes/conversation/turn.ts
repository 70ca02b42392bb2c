import * as z from "zod";
import { json, noContent, unwrap } from "../answers.ts";
import { conversationRoute } from "../route.ts";
import { nothing, receiptShape, strictAnswer, strictSend, strictWithdraw } from "../shapes.ts";

export const send = conversationRoute({
  method: "POST",
  path: "/api/v1/conversations/:id/messages",
  summary: "Says something. `id` is the client's own: a repeat returns the first receipt.",
  body: strictSend,
  answers: { 200: receiptShape },
  async handle({ conversation, caller, body }) {
    return json(await unwrap(conversation.submit(caller, body)));
  },
});

export const stop = conversationRoute({
  method: "POST",
  path: "/api/v1/conversations/:id/stop",
  summary: "Stops the running turn.",
  body: nothing,
  answers: { 200: z.object({ stopped: z.boolean() }) },
  async handle({ conversation, caller }) {
    return json(await unwrap(conversation.stop(caller)));
  },
});

export const withdraw = conversationRoute({
  method: "POST",
  path: "/api/v1/conversations/:id/withdraw",
  summary: "Takes a queued message back.",
  body: strictWithdraw,
  answers: { 204: "empty" },
  async handle({ conversation, caller, body }) {
    await unwrap(conversation.withdraw(caller, body.input));
    return noContent();
  },
});

export const answer = conversationRoute({
  method: "POST",
  path: "/api/v1/conversations/:id/answers",
  summary: "Answers the questions of a card, in its order: offered labels, own words, or null for no answer.",
  body: strictAnswer,
  answers: { 204: "empty" },
  async handle({ conversation, caller, body }) {
    await unwrap(conversation.answer(caller, body));
    return noContent();
  },
});

export const resume = conversationRoute({
  method: "POST",
  path: "/api/v1/conversations/:id/continue",
  summary: "Starts a turn for messages that stayed queued after a failed one.",
  body: nothing,
  answers: { 200: z.object({ started: z.boolean() }) },
  async handle({ conversation, caller }) {
    return json(await unwrap(conversation.resumeQueue(caller)));
  },
});
