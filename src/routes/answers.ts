import type { Result } from "../lib/result.ts";
import type { Refusal } from "../objects/rpc.ts";
import { Refuse } from "./refusal.ts";

/**
 * What the object answered.
 * @throws Refuse with the object's own refusal.
 */
export async function unwrap<T>(answer: Promise<Result<T, Refusal>>): Promise<T> {
  const result = await answer;
  if (!result.ok) throw new Refuse(result.error);
  return result.value;
}

/** A JSON answer. What a signed-in person reads is for no cache. */
export function json(value: unknown, status = 200): Response {
  return Response.json(value, { status, headers: { "cache-control": "no-store" } });
}

export function noContent(headers?: HeadersInit): Response {
  return new Response(null, { status: 204, ...(headers === undefined ? {} : { headers }) });
}
