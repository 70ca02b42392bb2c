/** What the address asks for. `code` is a one-time code that stood in the fragment. */
export type Route =
  | { readonly page: "claim"; readonly code: string | undefined }
  | { readonly page: "chat"; readonly conversation: string | undefined };

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Reads an address. Anything that is neither a claim nor a conversation is a new chat. */
export function readRoute(location: { readonly pathname: string; readonly hash: string }): Route {
  if (location.pathname === "/claim") {
    const code = decodeFragment(location.hash).trim();
    return { page: "claim", code: code === "" ? undefined : code };
  }
  const [, , id] = location.pathname.split("/");
  return { page: "chat", conversation: id !== undefined && UUID.test(id) ? id.toLowerCase() : undefined };
}

export function chatPath(conversation: string | undefined): string {
  return conversation === undefined ? "/chat" : `/chat/${conversation}`;
}

function decodeFragment(hash: string): string {
  try {
    return decodeURIComponent(hash.replace(/^#/, ""));
  } catch {
    return "";
  }
}
