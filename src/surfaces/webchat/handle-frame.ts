import { unreachable } from "../../lib/assert.ts";
import { CLOSE } from "../../protocol/close.ts";
import type { ClientFrame, ServerFrame } from "../../protocol/frames.ts";
import { MAX_FRAMES_PER_MINUTE } from "../../protocol/limits.ts";
import type { ChatPerson, ChatPort, ChatRefusal } from "./chat-port.ts";
import { countFrame } from "./frame-rate.ts";
import { parseFrame } from "./parse-frame.ts";
import type { ChatSocket, SocketRoom } from "./socket-room.ts";

/** Handles one message of a socket: rate, form, authority, effect, answer. Never throws for what a client did. */
export async function handleMessage(
  room: SocketRoom,
  port: ChatPort,
  socket: ChatSocket,
  raw: string | ArrayBuffer,
  now: number,
): Promise<void> {
  const attachment = room.attachmentOf(socket);
  if (!attachment) return;
  const frames = countFrame(attachment.frames, now);
  if (!frames) return room.close(socket, CLOSE.rate, `More than ${MAX_FRAMES_PER_MINUTE} frames in a minute.`);
  room.count(socket, frames);
  const frame = parseFrame(raw);
  if (!frame.ok || frame.value.type !== "auth") room.remind(socket, now);
  if (!frame.ok) return room.send(socket, { type: "error", ...frame.error });
  const answer = await answerTo(room, port, socket, personOf(attachment), frame.value);
  if (answer) room.send(socket, answer);
}

/** Carries a frame out. Undefined: nothing more is said about it. */
async function answerTo(
  room: SocketRoom,
  port: ChatPort,
  socket: ChatSocket,
  person: ChatPerson,
  frame: ClientFrame,
): Promise<ServerFrame | undefined> {
  switch (frame.type) {
    case "hello":
      return answerHello(room, port, socket, person, frame.lastRev);
    case "send": {
      const { type: _send, ...body } = frame;
      const receipt = await port.submit(person, body);
      if (!receipt.ok) return refuse(room, socket, receipt.error, frame.id);
      return { type: "receipt", ...receipt.value };
    }
    case "stop": {
      const stopped = await port.stop(person);
      return stopped.ok ? undefined : refuse(room, socket, stopped.error);
    }
    case "continue": {
      const started = await port.resumeQueue(person);
      return started.ok ? undefined : refuse(room, socket, started.error);
    }
    case "withdraw": {
      const withdrawn = await port.withdraw(person, frame.input);
      return withdrawn.ok ? undefined : refuse(room, socket, withdrawn.error, frame.input);
    }
    case "decide": {
      const { type: _decide, ...body } = frame;
      const decided = await port.cards.decide(person, body);
      return decided.ok ? undefined : refuse(room, socket, decided.error, frame.hold);
    }
    case "decideMany": {
      const { type: _decideMany, id, ...body } = frame;
      const decided = await port.cards.decideMany(person, body);
      return decided.ok ? { type: "decided", id, ...decided.value } : refuse(room, socket, decided.error, id);
    }
    case "answer": {
      const { type: _answer, ...body } = frame;
      const answered = await port.answer(person, body);
      return answered.ok ? undefined : refuse(room, socket, answered.error, frame.prompt);
    }
    case "more": {
      const page = await port.entries(person, { before: frame.before, limit: PAGE });
      if (!page.ok) return refuse(room, socket, page.error);
      return { type: "page", before: frame.before, ...page.value };
    }
    case "auth":
      return answerAuth(room, port, socket, person, frame.token);
    case "ack":
      room.update(socket, { lastAck: frame.rev });
      return undefined;
    default:
      return unreachable(frame);
  }
}

const PAGE = 50;

async function answerHello(
  room: SocketRoom,
  port: ChatPort,
  socket: ChatSocket,
  person: ChatPerson,
  lastRev: number | undefined,
): Promise<ServerFrame | undefined> {
  // In one go: no commit can fall between the snapshot, the subscription and the frame.
  const followed = await port.follow(person, ({ rev, view, live }) => {
    const streaming = live.length > 0 ? { live } : {};
    room.follow(
      socket,
      lastRev === rev ? { type: "ready", rev, ...streaming } : { type: "snapshot", rev, view, ...streaming },
    );
  });
  return followed.ok ? undefined : refuse(room, socket, followed.error);
}

/** From here on the socket goes by the newer token. */
async function answerAuth(
  room: SocketRoom,
  port: ChatPort,
  socket: ChatSocket,
  person: ChatPerson,
  token: string,
): Promise<ServerFrame | undefined> {
  const renewed = await port.renew(person, token);
  if (!renewed.ok) return refuse(room, socket, renewed.error);
  const { identity, sessionHash, expiresAt } = renewed.value;
  room.update(socket, { identity, sessionHash, expiresAt, reminded: false });
  return { type: "authorized", until: expiresAt };
}

/** Tells the client, and closes a socket whose person may not be here any more. */
function refuse(room: SocketRoom, socket: ChatSocket, refusal: ChatRefusal, ref?: string): ServerFrame | undefined {
  const { code, message, barred } = refusal;
  // Who may do what is not as this person believes it to be.
  if (code === "forbidden") void room.tellChoices();
  if (!barred) return { type: "error", code, message, ...(ref !== undefined && { ref }) };
  room.bar(socket, refusal);
  return undefined;
}

function personOf({ principalId, identity, sessionHash }: ChatPerson): ChatPerson {
  return { principalId, identity, sessionHash };
}
