import type { ToolResult } from "../../kernel/index.ts";
import { abortable } from "../../lib/abortable.ts";
import { cutText } from "../../lib/cut.ts";
import { readLimited } from "../../lib/read-limited.ts";
import { visibleText } from "../../lib/visible-text.ts";
import type { WebhookTarget } from "./targets.ts";

/** Time for one post, the reply included. */
export const POST_TIMEOUT_MS = 30_000;
/** UTF-16 units of a reply that are given. */
export const MAX_REPLY_UNITS = 2_000;
/** Enough for that many units in UTF-8. */
const MAX_REPLY_BYTES = MAX_REPLY_UNITS * 4;

/** Sends one POST. The runtime's `fetch` fits. */
export type PostFetch = (
  url: string,
  init: {
    readonly method: "POST";
    readonly headers: Record<string, string>;
    readonly body: string;
    readonly redirect: "manual";
    readonly signal: AbortSignal;
  },
) => Promise<Response>;

export interface PostPorts {
  readonly fetch: PostFetch;
  /** A signal that aborts after so many milliseconds; `AbortSignal.timeout` fits. */
  readonly timer: (ms: number) => AbortSignal;
}

export interface Post {
  readonly target: WebhookTarget;
  readonly body: string;
  readonly idempotencyKey: string;
  /** Aborts on stop. */
  readonly signal: AbortSignal;
}

/** Posts once and says truthfully what is known of it. Never rejects. */
export async function post(ports: PostPorts, request: Post): Promise<ToolResult> {
  const { target, signal: stop } = request;
  if (stop.aborted) return { text: "Stopped before anything was sent.", isError: true, code: "stopped" };
  const deadline = ports.timer(POST_TIMEOUT_MS);
  const signal = AbortSignal.any([stop, deadline]);
  let response: Response;
  try {
    response = await abortable(send(ports.fetch, request, signal), signal);
  } catch {
    // The runtime's own words may hold the address; whether the request left, they do not tell.
    return unknown(target, deadline.aborted ? `no answer came within ${POST_TIMEOUT_MS / 1_000} s` : whyFailed(stop));
  }
  return describe(target, response, await readReply(response, signal));
}

function send(fetch: PostFetch, { target, body, idempotencyKey }: Post, signal: AbortSignal): Promise<Response> {
  const headers = { "content-type": "application/json", "idempotency-key": idempotencyKey, "user-agent": "Althing" };
  return fetch(target.url, { method: "POST", headers, body, redirect: "manual", signal });
}

function whyFailed(stop: AbortSignal): string {
  return stop.aborted ? "the call was stopped before an answer came" : "the connection failed before an answer came";
}

function unknown(target: WebhookTarget, why: string): ToolResult {
  const text = `Outcome unknown: ${why}, so ${target.label} may or may not have received the request. Check there before sending it again.`;
  return { text, isError: true, code: "unknown_outcome" };
}

/** Undefined when the connection broke inside the reply: the status is known all the same. */
async function readReply(response: Response, signal: AbortSignal): Promise<string | undefined> {
  try {
    const { bytes, cut } = await readLimited(response, MAX_REPLY_BYTES, signal);
    const text = visibleText(new TextDecoder().decode(bytes, { stream: cut })).trim();
    return cutText(text, MAX_REPLY_UNITS);
  } catch {
    return undefined;
  }
}

function describe(target: WebhookTarget, response: Response, reply: string | undefined): ToolResult {
  const { status } = response;
  const isRedirect = status >= 300 && status < 400;
  const said = isRedirect ? `${status}, a redirect, which is never followed` : `${status}`;
  const text = `${target.label} answered with status ${said}.\n${describeReply(reply)}`;
  if (response.ok) return { text };
  return { text, isError: true, code: isRedirect ? "redirect_refused" : "http_error" };
}

function describeReply(reply: string | undefined): string {
  if (reply === undefined) return "Its reply could not be read to the end.";
  return reply === "" ? "Its reply is empty." : `Its reply, untrusted text:\n${reply}`;
}
