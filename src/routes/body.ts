import type * as z from "zod";
import { validate } from "../protocol/validate.ts";
import { Refuse } from "./refusal.ts";

/** Bytes of a JSON body. */
export const MAX_BODY_BYTES = 64 * 1024;

/**
 * The JSON body of a request, of the wanted shape. No body counts as `{}`.
 * @throws Refuse when it is too large, no JSON, or of another shape.
 */
export async function readBody<S extends z.ZodType>(request: Request, schema: S): Promise<z.output<S>> {
  const bytes = await readBytes(request.body, MAX_BODY_BYTES, "A JSON body");
  const checked = validate(schema, bytes.length === 0 ? {} : parseJson(bytes));
  if (!checked.ok) throw badRequest(checked.error);
  return checked.value;
}

/** A body as text, whatever it holds. @throws Refuse when it is too large. */
export async function readText(request: Request, limit: number): Promise<string> {
  return new TextDecoder().decode(await readBytes(request.body, limit, "A body"));
}

/**
 * The query parameters of a request, of the wanted shape. A parameter given twice counts as its last value.
 * @throws Refuse for unknown names and impossible values.
 */
export function readQuery<S extends z.ZodType>(url: URL, schema: S): z.output<S> {
  const checked = validate(schema, Object.fromEntries(url.searchParams));
  if (!checked.ok) throw badRequest(checked.error);
  return checked.value;
}

function badRequest(faults: readonly string[]): Refuse {
  return new Refuse({ code: "bad_request", message: faults.slice(0, 5).join("; ") });
}

/** What the client declared is not believed: bytes are counted as they come, and reading stops at the limit. */
async function readBytes(body: ReadableStream<Uint8Array> | null, limit: number, what: string): Promise<Uint8Array> {
  if (body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.byteLength;
    if (length > limit) {
      throw new Refuse({ code: "too_large", message: `${what} may have ${limit} bytes; this one has more.` });
    }
    chunks.push(chunk);
  }
  return concat(chunks, length);
}

function concat(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.byteLength;
  }
  return whole;
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes));
  } catch {
    throw new Refuse({ code: "bad_request", message: "The body is not JSON in UTF-8." });
  }
}
