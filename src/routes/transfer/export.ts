import * as z from "zod";
import { attachmentNamed } from "../../lib/file-name.ts";
import type { JsonObject } from "../../lib/json.ts";
import { unwrap } from "../answers.ts";
import { type ConversationCall, conversationRoute } from "../route.ts";
import { streamOf } from "../stream-of.ts";
import { writeBundle } from "./export-bundle.ts";
import { renderEntry } from "./export-markdown.ts";

const query = z.strictObject({ format: z.enum(["json", "markdown", "ndjson"]).default("json") });

type Entries = readonly JsonObject[];

export const exportConversation = conversationRoute({
  method: "GET",
  path: "/api/v1/conversations/:id/export",
  summary:
    "The whole transcript as a download, `format=json` or `markdown`; `ndjson` is a bundle with files that can be imported.",
  query,
  answers: { 200: { media: "application/json" } },
  async handle(call) {
    if (call.query.format === "ndjson") return await exportBundle(call);
    // The first page is asked for before anything is answered, so that a refusal has a status.
    const first = await unwrap(call.conversation.exportPage(call.caller, 0));
    const pages = readPages(call, first);
    const asMarkdown = call.query.format === "markdown";
    const text = asMarkdown ? writeMarkdown(pages) : writeJson(pages, call.id, call.now);
    return new Response(streamOf(text), {
      headers: {
        "content-type": asMarkdown ? "text/markdown; charset=utf-8" : "application/json",
        "content-disposition": attachmentNamed(`conversation-${call.id}.${asMarkdown ? "md" : "json"}`),
        "cache-control": "no-store",
      },
    });
  },
});

async function exportBundle(call: ConversationCall<unknown, unknown>): Promise<Response> {
  const place = await unwrap(call.conversation.exportPlace(call.caller));
  return new Response(streamOf(writeBundle(call, place)), {
    headers: {
      "content-type": "application/x-ndjson",
      "content-disposition": attachmentNamed(`conversation-${call.id}.ndjson`),
      "cache-control": "no-store",
    },
  });
}

async function* readPages(
  { conversation, caller }: ConversationCall<unknown, unknown>,
  first: { readonly entries: Entries; readonly next?: number },
): AsyncGenerator<Entries> {
  let page = first;
  yield page.entries;
  while (page.next !== undefined) {
    page = await unwrap(conversation.exportPage(caller, page.next));
    yield page.entries;
  }
}

async function* writeJson(pages: AsyncIterable<Entries>, id: string, now: number): AsyncGenerator<string> {
  yield `{"conversation":${JSON.stringify(id)},"exportedAt":${JSON.stringify(new Date(now).toISOString())},"entries":[`;
  let separator = "\n";
  for await (const entries of pages) {
    for (const entry of entries) {
      yield separator + JSON.stringify(entry);
      separator = ",\n";
    }
  }
  yield "\n]}\n";
}

async function* writeMarkdown(pages: AsyncIterable<Entries>): AsyncGenerator<string> {
  yield "# Conversation\n\n";
  for await (const entries of pages) yield entries.map(renderEntry).join("");
}
