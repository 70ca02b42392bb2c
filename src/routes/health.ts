import { openRoute } from "./route.ts";

export const health = openRoute({
  method: "GET",
  path: "/healthz",
  summary: "Answers when the Worker runs. Tells nothing else.",
  answers: { 200: { media: "text/plain" } },
  async handle() {
    return new Response("ok", { headers: { "cache-control": "no-store" } });
  },
});
