import { replayBody } from "../../protocol/rest.ts";
import { json, unwrap } from "../answers.ts";
import { idParam } from "../id-param.ts";
import { conversationRoute } from "../route.ts";
import { replayShape, sentRequestShape } from "../shapes.ts";

export const sentRequest = conversationRoute({
  method: "GET",
  path: "/api/v1/conversations/:id/entries/:entry/request",
  summary: "Exactly what was sent for this answer, without the vendors' own blocks.",
  answers: { 200: sentRequestShape },
  async handle({ conversation, caller, param }) {
    return json(await unwrap(conversation.sentRequest(caller, idParam(param("entry")))));
  },
});

export const replay = conversationRoute({
  method: "POST",
  path: "/api/v1/conversations/:id/entries/:entry/replay",
  summary: "Sends the same request to a model of the deployment. Nothing of the answer is stored.",
  body: replayBody,
  answers: { 200: replayShape },
  async handle({ conversation, caller, param, body }) {
    return json(await unwrap(conversation.replay(caller, idParam(param("entry")), body.model)));
  },
});
