import { CALLER_HEADER, KEY_HEADER } from "../../objects/rpc.ts";
import { encodeCaller } from "../../people/caller-header.ts";
import { CHAT_PROTOCOL } from "../../protocol/close.ts";
import { Refuse } from "../refusal.ts";
import { signedInRoute } from "../route.ts";
import { conversationAt } from "./conversation-at.ts";

export const socket = signedInRoute({
  method: "GET",
  path: "/chat/ws",
  summary: `Opens the chat socket of a conversation (\`?conversation=<uuid>\`, subprotocol ${CHAT_PROTOCOL}).`,
  answers: { 101: "empty" },
  async handle({ request, url, env, caller }) {
    if (request.headers.get("upgrade")?.toLowerCase() !== "websocket")
      throw badHandshake("it asks for no upgrade to websocket");
    if (!offersProtocol(request.headers)) throw badHandshake(`it does not offer the subprotocol ${CHAT_PROTOCOL}`);
    const wanted = url.searchParams.get("conversation");
    if (wanted === null) throw badHandshake("it names no conversation");
    const { key, conversation } = conversationAt(env, wanted);
    // Built from nothing: no header of the client's reaches the object.
    return await conversation.fetch(
      new Request("https://conversation/socket", {
        headers: {
          upgrade: "websocket",
          "sec-websocket-protocol": CHAT_PROTOCOL,
          [CALLER_HEADER]: encodeCaller(caller),
          [KEY_HEADER]: key,
        },
      }),
    );
  },
});

function offersProtocol(headers: Headers): boolean {
  const offered = (headers.get("sec-websocket-protocol") ?? "").split(",").map((name) => name.trim());
  return offered.includes(CHAT_PROTOCOL);
}

function badHandshake(why: string): Refuse {
  return new Refuse({ code: "bad_request", message: `This is no handshake of the chat socket: ${why}.` });
}
