import { toBase64Url } from "../lib/base64url.ts";

/** Bytes of a subject, as OpenID Connect limits them. */
const MAX_SUBJECT = 255;

/**
 * The identity of an issuer's subject: `oidc:<base64url of the issuer>:<subject>`, so that another issuer under the same
 * name is somebody else. Undefined when the subject is none.
 */
export function oidcIdentity(issuer: string, subject: unknown): string | undefined {
  if (typeof subject !== "string" || subject === "" || subject.length > MAX_SUBJECT) return undefined;
  return `oidc:${toBase64Url(new TextEncoder().encode(issuer))}:${subject}`;
}
