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

/** Why a provider's sign-in came to nothing, as the fragment says that it leaves behind. */
const SIGN_IN_NEWS: ReadonlyMap<string, string> = new Map([
  ["cancelled", "The sign-in was cancelled. Nothing has changed."],
  ["failed", "The provider could not confirm who you are. Try again, or use another way."],
  ["start-again", "This sign-in took too long or was begun in another browser. Start it again here."],
  ["not-admitted", "You are known, but not admitted here. Ask an owner of this server for an invitation."],
]);

/** What a fragment says about a sign-in that came to nothing; undefined when it says nothing of the kind. */
export function signInNews(hash: string): string | undefined {
  const [name, reason = ""] = decodeFragment(hash).split("=");
  return name === "sign-in" ? (SIGN_IN_NEWS.get(reason) ?? "The sign-in did not work. Try again.") : undefined;
}

/** What a fragment asks the chat for: to confirm a link, or to follow an invitation. */
export type Asked = { readonly kind: "link" } | { readonly kind: "invitation"; readonly code: string };

export function readAsked(hash: string): Asked | undefined {
  const text = decodeFragment(hash);
  if (text === "link") return { kind: "link" };
  const [, code] = /^invite=(.*)$/.exec(text) ?? [];
  return code === undefined ? undefined : { kind: "invitation", code: code.trim() };
}

/** The address under which an invitation is followed. The code is in the fragment: neither sent nor logged. */
export function invitationLink(origin: string, code: string): string {
  return `${origin}/chat#invite=${code}`;
}

/** What the fragment may open over the chat. */
export type Panel = "audit";

export function panelOf(hash: string): Panel | undefined {
  return hash === "#audit" ? "audit" : undefined;
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
