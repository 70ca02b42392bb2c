import { readLimited } from "../../lib/read-limited.ts";
import type { Deps, Target } from "../port.ts";
import { asObject } from "../wire-json.ts";
import { OFFICIAL } from "./official.ts";

/** What is read of a refusal, in bytes. Every vendor's own is far below. */
export const MAX_REFUSAL_BYTES = 64 * 1024;

/** An answer that is no success, in the shape that `failureOfThrown` reads. */
class Refusal extends Error {
  readonly status: number;
  readonly headers: Headers;
  readonly error: unknown;

  constructor({ status, headers }: Response, body: unknown) {
    super(`status ${status}`);
    this.status = status;
    this.headers = headers;
    this.error = asObject(body).error;
  }
}

/**
 * Posts a streaming request. Not by the vendor's SDK: its client comes only with every resource of the vendor, a fifth
 * of the whole Worker, and this one request is all that it would do here.
 * @throws a refusal with its status, headers and error, or what `fetch` throws.
 */
export async function post(
  { config, key }: Target,
  { fetch }: Deps,
  path: string,
  body: object,
  signal: AbortSignal,
): Promise<Response> {
  const response = await fetch((config.baseUrl ?? OFFICIAL).replace(/\/+$/, "") + path, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "text/event-stream",
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify(body),
    redirect: "manual",
    signal,
  });
  if (response.ok) return response;
  throw new Refusal(response, await readRefusal(response, signal));
}

/** The status says enough where the rest is too long, cut off or no JSON. */
async function readRefusal(response: Response, signal: AbortSignal): Promise<unknown> {
  try {
    const { bytes, cut } = await readLimited(response, MAX_REFUSAL_BYTES, signal);
    return cut ? undefined : JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}
