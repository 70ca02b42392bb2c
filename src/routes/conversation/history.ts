import * as z from "zod";
import { pinBody, rewindBody } from "../../protocol/rest.ts";
import { json, noContent, unwrap } from "../answers.ts";
import { idParam } from "../id-param.ts";
import { conversationRoute } from "../route.ts";
import { leftShape, nothing } from "../shapes.ts";

export const reset = conversationRoute({
  method: "POST",
  path: "/api/v1/conversations/:id/reset",
  summary: "Begins the transcript anew: models see nothing from before. Queued while a turn runs.",
  body: nothing,
  answers: { 200: z.object({ status: z.enum(["placed", "queued"]) }) },
  async handle({ conversation, caller }) {
    return json(await unwrap(conversation.reset(caller)));
  },
});

export const rewind = conversationRoute({
  method: "POST",
  path: "/api/v1/conversations/:id/rewind",
  summary: "Goes back to an entry, 0: to the start. What is left behind stays readable.",
  body: rewindBody,
  answers: { 204: "empty" },
  async handle({ conversation, caller, body }) {
    await unwrap(conversation.rewind(caller, body.to));
    return noContent();
  },
});

export const pin = conversationRoute({
  method: "POST",
  path: "/api/v1/conversations/:id/pin",
  summary: "Pins an entry, so that every request carries it, or takes the pin away.",
  body: pinBody,
  answers: { 204: "empty" },
  async handle({ conversation, caller, body }) {
    await unwrap(conversation.pin(caller, body));
    return noContent();
  },
});

export const left = conversationRoute({
  method: "GET",
  path: "/api/v1/conversations/:id/left/:entry",
  summary: "What a rewind left behind, by the id of its entry: the first 200 entries.",
  answers: { 200: leftShape },
  async handle({ conversation, caller, param }) {
    return json(await unwrap(conversation.left(caller, idParam(param("entry")))));
  },
});

export const compact = conversationRoute({
  method: "POST",
  path: "/api/v1/conversations/:id/compact",
  summary: "Begins a summary of older messages, which models see instead of them.",
  body: nothing,
  answers: { 202: z.object({ started: z.boolean() }) },
  async handle({ conversation, caller }) {
    return json(await unwrap(conversation.compact(caller)), 202);
  },
});

export const stopTask = conversationRoute({
  method: "POST",
  path: "/api/v1/conversations/:id/tasks/:task/stop",
  summary: "Stops a task that belongs to no turn.",
  body: nothing,
  answers: { 200: z.object({ stopped: z.boolean() }) },
  async handle({ conversation, caller, param }) {
    return json(await unwrap(conversation.stopTask(caller, idParam(param("task")))));
  },
});
