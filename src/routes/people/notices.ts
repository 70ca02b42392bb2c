import { principalOf } from "../../objects/principal/principal-rpc.ts";
import { readNoticesBody } from "../../protocol/notices.ts";
import { json, noContent } from "../answers.ts";
import { signedInRoute } from "../route.ts";
import { noticesShape } from "../shapes.ts";

export const ownNotices = signedInRoute({
  method: "GET",
  path: "/api/v1/me/notices",
  summary: "One's own notices, newest first.",
  answers: { 200: noticesShape },
  async handle({ env, person }) {
    const notices = await principalOf(env, person.principalId).notices();
    return json({ notices, unread: notices.filter(({ read }) => !read).length });
  },
});

export const markNoticesRead = signedInRoute({
  method: "POST",
  path: "/api/v1/me/notices/read",
  summary: "Marks notices as read; ids that name none are passed over.",
  body: readNoticesBody,
  answers: { 204: "empty" },
  async handle({ env, person, body }) {
    await principalOf(env, person.principalId).markRead(body.ids);
    return noContent();
  },
});
