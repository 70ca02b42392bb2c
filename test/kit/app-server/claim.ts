/** Signs the owner in by a one-time code, as the page does. Returns the Cookie header of their browser. */
export async function claimCookie(url: string, code: string): Promise<string> {
  const response = await fetch(`${url}/auth/claim`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: url },
    body: JSON.stringify({ code }),
  });
  const cookie = response.headers.get("set-cookie")?.split(";")[0];
  if (!response.ok || !cookie) throw new Error(`sign-in failed: ${response.status} ${await response.text()}`);
  return cookie;
}
