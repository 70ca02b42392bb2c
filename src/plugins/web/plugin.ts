import * as z from "zod";
import { definePlugin, type Plugin } from "../../host/index.ts";
import { defineTool, type Tool, type ToolResult } from "../../kernel/index.ts";
import { type GuardedFetchPorts, guardedFetch, type Lookup, type PageFetch } from "../../lib/guarded-fetch.ts";
import { MAX_URL_UNITS } from "../../lib/guarded-url.ts";
import { createLookup } from "./lookup.ts";
import { renderPage } from "./render-page.ts";

/** Bytes of a page that are read. */
export const MAX_PAGE_BYTES = 2 * 1024 * 1024;
/** Time for one page, redirects and look-ups included. */
const PAGE_TIMEOUT_MS = 15_000;
/** The kernel's own limit comes later than the tool's, so that the tool says what happened. */
const TOOL_TIMEOUT_MS = PAGE_TIMEOUT_MS + 5_000;

/** What stands in for the outside; absent parts are the host's and the platform's. */
export interface WebOptions {
  readonly fetch?: PageFetch;
  /** Default: DNS over HTTPS by the same `fetch`. */
  readonly lookup?: Lookup;
  /** Default: `AbortSignal.timeout`. */
  readonly timer?: (ms: number) => AbortSignal;
}

/** Reading pages of the public web. */
export function createWebPlugin(options: WebOptions = {}): Plugin {
  return definePlugin({
    name: "web",
    setup({ fetch: hostFetch }) {
      const { fetch = hostFetch, timer = (ms) => AbortSignal.timeout(ms) } = options;
      const ports = { fetch, lookup: options.lookup ?? createLookup(fetch), timer };
      return { tools: [{ tool: fetchPage(ports), tier: "member" }] };
    },
  });
}

function fetchPage(ports: GuardedFetchPorts): Tool {
  return defineTool({
    name: "fetch_page",
    description: "Reads a page of the public web (HTML, plain text, JSON or XML) and gives its text as Markdown.",
    input: z.strictObject({ url: z.string().min(1).max(MAX_URL_UNITS).describe("An http or https address.") }),
    replay: "safe",
    timeoutMs: TOOL_TIMEOUT_MS,
    async execute({ url }, context): Promise<ToolResult> {
      const result = await guardedFetch(ports, {
        url,
        maxBytes: MAX_PAGE_BYTES,
        timeoutMs: PAGE_TIMEOUT_MS,
        accepts: isReadable,
        acceptedWords: "HTML, plain text, JSON and XML",
        accept: "text/html, application/xhtml+xml, text/plain, application/json, application/xml;q=0.9",
        signal: context.signal,
      });
      if (!result.ok) return { text: result.error.text, isError: true, code: result.error.code };
      return { text: renderPage(result.value) };
    },
  });
}

const READABLE = /^(?:text\/(?:html|plain|xml)|application\/(?:json|xml|[\w.+-]+\+(?:json|xml)))$/;

function isReadable(mediaType: string): boolean {
  return READABLE.test(mediaType);
}
