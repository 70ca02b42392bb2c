import * as z from "zod";
import { notFound } from "./refusal.ts";
import { type Call, openRoute } from "./route.ts";

const HASHED = /^\/assets\/.+-[\w-]{8,}\.\w+$/;

export const home = openRoute({
  method: "GET",
  path: "/",
  summary: "Leads to the page.",
  answers: { 302: "empty" },
  async handle() {
    return new Response(null, { status: 302, headers: { location: "/chat", "cache-control": "no-store" } });
  },
});

export const chat = openRoute({
  method: "GET",
  path: "/chat",
  summary: "The page.",
  answers: { 200: { media: "text/html" } },
  handle: servePage,
});

export const chatConversation = openRoute({
  method: "GET",
  path: "/chat/:id",
  summary: "The page, open at a conversation.",
  answers: { 200: { media: "text/html" } },
  async handle(call) {
    if (!z.uuid().safeParse(call.param("id")).success) throw notFound();
    return await servePage(call);
  },
});

export const claimPage = openRoute({
  method: "GET",
  path: "/claim",
  summary: "The page, which claims the code in the address's fragment.",
  answers: { 200: { media: "text/html" } },
  handle: servePage,
});

/** Everything else that the page is made of. */
export const asset = openRoute({
  method: "GET",
  path: "/*",
  summary: "Files of the page.",
  answers: { 200: { media: "*/*" } },
  async handle({ env, url }) {
    const file = await env.ASSETS.fetch(new Request(url.origin + url.pathname));
    const isPage = file.headers.get("content-type")?.startsWith("text/html") === true;
    // A page is served under its own routes only, and a redirect would name paths that are none.
    if (file.status !== 200 || isPage) throw notFound();
    return withCache(file, HASHED.test(url.pathname) ? "public, max-age=31536000, immutable" : "no-cache");
  },
});

async function servePage({ env, url }: Call<unknown, unknown>): Promise<Response> {
  const page = await env.ASSETS.fetch(new Request(`${url.origin}/`));
  if (page.status !== 200) throw new Error("dist/web holds no index.html; npm run build makes it");
  return withCache(page, "no-store");
}

function withCache(file: Response, rule: string): Response {
  const headers = new Headers(file.headers);
  headers.set("cache-control", rule);
  if (rule === "no-store") headers.delete("etag");
  return new Response(file.body, { status: file.status, headers });
}
