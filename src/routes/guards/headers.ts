const CONTENT_POLICY = [
  "default-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "object-src 'none'",
  "form-action 'self'",
].join("; ");

/** Headers of every answer. A handler that sets one of them itself keeps its own. */
const ALWAYS: Readonly<Record<string, string>> = {
  "content-security-policy": CONTENT_POLICY,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "permissions-policy":
    "accelerometer=(), camera=(), geolocation=(), gyroscope=(), magnetometer=(), microphone=(), payment=(), usb=()",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};

/** The same answer with the security headers on it. A socket's handshake has no document and passes as it is. */
export function secureResponse(response: Response, url: URL): Response {
  if (response.status === 101) return response;
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(ALWAYS)) {
    if (!headers.has(name)) headers.set(name, value);
  }
  if (url.protocol === "https:") headers.set("strict-transport-security", "max-age=31536000");
  return new Response(response.body, { status: response.status, headers });
}
