import type { ErrorCode } from "../protocol/frames.ts";
import { type ErrorBody, STATUS_OF } from "../protocol/rest.ts";

/** Ends a request with a refusal that its sender may read. Thrown by guards and handlers, answered in one place. */
export class Refuse extends Error {
  readonly code: ErrorCode;
  readonly ref: string | undefined;
  /** Where the status of the code is not precise enough. */
  readonly status: number;
  /** Seconds after which the same may be tried again; undefined: waiting changes nothing, or nobody knows. */
  readonly retryAfterS: number | undefined;

  constructor(refusal: {
    readonly code: ErrorCode;
    readonly message: string;
    readonly ref?: string;
    readonly status?: number;
    readonly retryAfterS?: number;
  }) {
    super(refusal.message);
    this.name = "Refuse";
    this.code = refusal.code;
    this.ref = refusal.ref;
    this.status = refusal.status ?? STATUS_OF[refusal.code];
    this.retryAfterS = refusal.retryAfterS;
  }
}

export function notFound(): Refuse {
  return new Refuse({ code: "not_found", message: "There is nothing here." });
}

export function notSignedIn(): Refuse {
  return new Refuse({ code: "unauthenticated", message: "Sign in to go on." });
}

/** The answer that carries a refusal. */
export function renderRefusal({ code, message, ref, status, retryAfterS }: Refuse): Response {
  const body: ErrorBody = { error: { code, message, ...(ref === undefined ? {} : { ref }) } };
  const headers = {
    "cache-control": "no-store",
    ...(code === "unauthenticated" && { "www-authenticate": "Bearer" }),
    ...(retryAfterS !== undefined && { "retry-after": String(retryAfterS) }),
  };
  return Response.json(body, { status, headers });
}
