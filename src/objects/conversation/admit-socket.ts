import type { Directory } from "../../people/directory.ts";
import type { Caller, ConversationNow } from "../../people/facts.ts";
import { MAX_SOCKETS_PER_PERSON } from "../../protocol/limits.ts";
import { STATUS_OF } from "../../protocol/rest.ts";
import type { SocketRoom } from "../../surfaces/webchat/socket-room.ts";
import type { Refusal } from "../answer.ts";
import { systemClock } from "../platform.ts";

/** What a socket is taken in with. */
export interface SocketParts {
  readonly directory: Directory;
  readonly room: SocketRoom;
  /** The conversation as it is now; undefined: there is none. */
  readonly now: () => ConversationNow | undefined;
  readonly accept: (socket: WebSocket) => void;
}

/** Takes a socket of a person in, or says with which status it is refused. */
export async function admitSocket(
  { directory, room, now, accept }: SocketParts,
  caller: Caller,
  socket: WebSocket,
): Promise<Response | undefined> {
  const person = await directory.read(caller);
  if (!person.ok) return refusal(person.error);
  // Last: whoever is taken out while the directory is asked has no socket yet that could be closed.
  const verdict = await directory.may(caller, "read", now);
  if (!verdict.ok) return refusal(verdict.error);
  if (room.countOf(caller.principalId) >= MAX_SOCKETS_PER_PERSON) {
    const message = `You have ${MAX_SOCKETS_PER_PERSON} connections here already, the limit: close one.`;
    return refusal({ code: "rate_limited", message });
  }
  accept(socket);
  const frames = { startedAt: systemClock.now(), count: 0 };
  const expiresAt = person.value?.sessionExpiresAt ?? 0;
  room.set(socket, { ...caller, expiresAt, following: false, lastAck: 0, frames });
  return undefined;
}

function refusal(error: Refusal): Response {
  return Response.json({ error }, { status: STATUS_OF[error.code] });
}
