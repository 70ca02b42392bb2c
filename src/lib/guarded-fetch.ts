import { abortable } from "./abortable.ts";
import { checkPublicUrl } from "./guarded-url.ts";
import { isPublicAddress } from "./public-address.ts";
import { letGo, readLimited } from "./read-limited.ts";
import { err, ok, type Result } from "./result.ts";

/** Redirects that one read follows. */
export const MAX_REDIRECTS = 5;

/** Sends one GET. The runtime's `fetch` fits. */
export type PageFetch = (
  url: string,
  init: {
    readonly method: "GET";
    readonly headers: Record<string, string>;
    readonly redirect: "manual";
    readonly signal: AbortSignal;
  },
) => Promise<Response>;

/** The addresses of a host name, or why they are not known. May reject: that counts as not known. */
export type Lookup = (host: string, signal: AbortSignal) => Promise<Result<readonly string[], string>>;

export interface GuardedFetchPorts {
  readonly fetch: PageFetch;
  readonly lookup: Lookup;
  /** A signal that aborts after so many milliseconds; `AbortSignal.timeout` fits. */
  readonly timer: (ms: number) => AbortSignal;
}

export interface GuardedRequest {
  readonly url: string;
  readonly maxBytes: number;
  readonly timeoutMs: number;
  /** Decides by the media type (lower case, without parameters) whether the body is read; `acceptedWords` names them. */
  readonly accepts: (mediaType: string) => boolean;
  readonly acceptedWords: string;
  /** The value of the `Accept` header. */
  readonly accept: string;
  readonly signal: AbortSignal;
}

export interface GuardedResponse {
  /** Where the redirects ended. */
  readonly url: URL;
  /** The header as sent, parameters included. */
  readonly contentType: string;
  readonly bytes: Uint8Array;
  readonly cut: boolean;
  readonly redirects: number;
}

export type FetchFaultCode =
  | "refused_address"
  | "lookup_failed"
  | "too_many_redirects"
  | "http_error"
  | "unsupported_type"
  | "network"
  | "timeout"
  | "stopped";

/** `text` names hosts only: paths and user parts may hold secrets. */
export interface FetchFault {
  readonly code: FetchFaultCode;
  readonly text: string;
}

type Outcome<T> = Promise<Result<T, FetchFault>>;

/**
 * Reads one page of the public web by GET. Every hop's address is parsed and checked, its name looked up and every
 * answer checked; redirects are followed by hand; two constant headers are all that is sent. Never rejects.
 *
 * The runtime resolves the name again when it connects, so the look-up is a filter, not a pin: nothing that trusts a
 * plain request from this machine may be reachable from it.
 */
export async function guardedFetch(ports: GuardedFetchPorts, request: GuardedRequest): Outcome<GuardedResponse> {
  const deadline = ports.timer(request.timeoutMs);
  const signal = AbortSignal.any([request.signal, deadline]);
  try {
    return await follow(ports, { ...request, signal });
  } catch {
    // Whatever the runtime threw may name addresses; the person needs only which of the three it was.
    if (request.signal.aborted) return fault("stopped", "Reading the page was stopped.");
    if (deadline.aborted) return fault("timeout", `The page was not read within ${request.timeoutMs / 1_000} s.`);
    return fault("network", `${hostOf(request.url)} could not be reached, or the connection broke.`);
  }
}

async function follow(ports: GuardedFetchPorts, request: GuardedRequest): Outcome<GuardedResponse> {
  let target = checkPublicUrl(request.url);
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    if (!target.ok) return fault("refused_address", target.error);
    const url = target.value;
    const refused = await findAddressFault(ports.lookup, url.hostname, request.signal);
    if (refused !== undefined) return err(refused);
    const response = await abortable(send(ports.fetch, url, request), request.signal);
    const location = response.headers.get("location");
    if (!isRedirect(response.status) || location === null) return receive(response, { url, redirects }, request);
    letGo(response.body);
    target = checkPublicUrl(location, url);
  }
  return fault("too_many_redirects", `${hostOf(request.url)} redirects more than ${MAX_REDIRECTS} times.`);
}

function send(fetch: PageFetch, url: URL, request: GuardedRequest): Promise<Response> {
  const headers = { accept: request.accept, "user-agent": "Althing" };
  return fetch(url.href, { method: "GET", headers, redirect: "manual", signal: request.signal });
}

async function findAddressFault(lookup: Lookup, host: string, signal: AbortSignal): Promise<FetchFault | undefined> {
  const found = await abortable(lookup(host, signal), signal);
  if (!found.ok) return { code: "lookup_failed", text: `The host ${host} could not be looked up: ${found.error}.` };
  if (found.value.length === 0) return { code: "lookup_failed", text: `The host ${host} does not exist.` };
  const isPublic = found.value.every(isPublicAddress);
  return isPublic ? undefined : { code: "refused_address", text: `The host ${host} leads into a private network.` };
}

async function receive(
  response: Response,
  reached: { readonly url: URL; readonly redirects: number },
  request: GuardedRequest,
): Outcome<GuardedResponse> {
  const host = reached.url.hostname;
  const contentType = response.headers.get("content-type") ?? "";
  const mediaType = mediaTypeOf(contentType);
  if (!response.ok) {
    letGo(response.body);
    return fault("http_error", `${host} answered with status ${response.status}.`);
  }
  if (!request.accepts(mediaType)) {
    letGo(response.body);
    const named = mediaType === "" ? "no type" : `the type ${mediaType.slice(0, 100)}`;
    return fault("unsupported_type", `${host} sent ${named}; only ${request.acceptedWords} are read.`);
  }
  const { bytes, cut } = await readLimited(response, request.maxBytes, request.signal);
  return ok({ ...reached, contentType, bytes, cut });
}

/** The media type of a `Content-Type` header in lower case, without parameters. */
export function mediaTypeOf(contentType: string): string {
  return (contentType.split(";")[0] ?? "").trim().toLowerCase();
}

function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : "The page";
}

function fault(code: FetchFaultCode, text: string): Result<never, FetchFault> {
  return err({ code, text });
}
