import { env } from "cloudflare:test";
import type { Caller } from "../../src/people/facts.ts";
import { CLOSE } from "../../src/protocol/close.ts";
import type { ClientFrame, ErrorCode } from "../../src/protocol/frames.ts";
import { ChatSocket } from "../kit/chat-socket.workers.ts";
import { newPerson, type Talk } from "../kit/talk.workers.ts";
import { until } from "../kit/until.ts";
import { passTime } from "../kit/wall-clock.ts";
import { changed } from "./changed.ts";
import { MARK, type Place, type Scene } from "./scene.workers.ts";
import { storedEverywhere } from "./stored.workers.ts";

type FrameOf<T extends ClientFrame["type"]> = Extract<ClientFrame, { readonly type: T }>;

/** A good frame of each type. */
export const FRAMES: { readonly [T in ClientFrame["type"]]: (place: Place) => FrameOf<T> } = {
  hello: () => ({ type: "hello" }),
  send: () => ({ type: "send", id: "x", text: "Let me in" }),
  stop: () => ({ type: "stop" }),
  withdraw: ({ queued }) => ({ type: "withdraw", input: queued }),
  decide: ({ hold, digest }) => ({ type: "decide", hold, digest, decision: "decline" }),
  decideMany: ({ hold, digest }) => ({ type: "decideMany", id: "x", cards: [{ hold, digest }], decision: "decline" }),
  answer: () => ({ type: "answer", prompt: "01", answers: [null] }),
  continue: () => ({ type: "continue" }),
  more: ({ answered }) => ({ type: "more", before: answered + 1 }),
  ack: () => ({ type: "ack", rev: 1 }),
  auth: () => ({ type: "auth", token: "a.b.c" }),
};

const types = Object.keys(FRAMES) as ClientFrame["type"][];

/** Frames that ask for nothing: they are heard, and change what the socket itself remembers. */
const SILENT: ReadonlySet<string> = new Set<ClientFrame["type"]>(["ack"]);

/** What ends somebody's being in the room, and what they are told. */
export interface Loss {
  readonly name: string;
  readonly code: ErrorCode;
  readonly close: number;
  /** Ends it. Nothing is told by this. */
  readonly take: (caller: Caller, owner: Talk) => Promise<unknown>;
  /** Nothing that is remembered may hide it: it is known at once. */
  readonly isAtOnce?: true;
}

const run = (query: string, value: string) => env.DB.prepare(query).bind(value).run();
const [forbidden, ended] = [
  { code: "forbidden", close: CLOSE.forbidden },
  { code: "unauthenticated", close: CLOSE.expired },
] as const;

export const LOSSES: readonly Loss[] = [
  {
    name: "demoted",
    ...forbidden,
    take: (caller) => run("update principals set tier = 'guest' where id = ?", caller.principalId),
  },
  {
    name: "switched off",
    ...forbidden,
    take: (caller) => run("update principals set disabled_at = 1 where id = ?", caller.principalId),
  },
  { name: "unlinked", ...forbidden, take: (caller) => run("delete from identities where id = ?", caller.identity) },
  {
    name: "signed out",
    ...ended,
    take: (caller) => run("update sessions set revoked_at = 1 where hash = ?", caller.sessionHash),
  },
  {
    name: "taken out of the room",
    code: "not_found",
    close: CLOSE.gone,
    take: (caller, owner) => owner.rpc.removeMember(owner.caller, caller.principalId),
    isAtOnce: true,
  },
];

/** Somebody in the room loses their place and sends a frame, for each type. Yields what is wrong, in words. */
export async function* tryAfterLoss(scene: Scene, loss: Loss): AsyncGenerator<string> {
  const owner = scene.quiet;
  const guests = await Promise.all(types.map((type) => enter(owner, type)));
  for (const { caller } of guests) await loss.take(caller, owner);
  await owner.told();
  if (!loss.isAtOnce) passTime(30_000);
  const before = await storedEverywhere(scene);
  for (const guest of guests)
    for await (const fault of sendAndLeave(scene, guest, loss)) yield `${guest.type}: ${fault}`;
  yield* changed(before, await storedEverywhere(scene));
  for (const { caller } of guests) await owner.rpc.removeMember(owner.caller, caller.principalId);
}

interface Guest {
  readonly type: ClientFrame["type"];
  readonly caller: Caller;
  readonly socket: ChatSocket;
}

async function enter(owner: Talk, type: ClientFrame["type"]): Promise<Guest> {
  const caller = await newPerson();
  await owner.rpc.addMember(owner.caller, caller.principalId);
  return { type, caller, socket: await ChatSocket.follow(owner.stage, caller) };
}

async function* sendAndLeave(scene: Scene, { type, socket }: Guest, loss: Loss): AsyncGenerator<string> {
  const heard = socket.frames.length;
  // Whoever is told of cards meanwhile is shut out by that already.
  const isShut = socket.closed !== undefined;
  if (!isShut) socket.raw(JSON.stringify(FRAMES[type](scene.room)));
  if (SILENT.has(type) && !loss.isAtOnce && !isShut) {
    yield* staysSilent(socket, heard);
    return;
  }
  await until(() => socket.closed !== undefined, "the socket to be closed", 2_000).catch(() => undefined);
  yield* toldOnce(socket, heard, loss, type === "auth" && !isShut);
}

/** Somebody of the room sends what is for the speaker or for owners. Yields what is wrong, in words. */
export async function* tryInside(scene: Scene, frame: ClientFrame): AsyncGenerator<string> {
  const socket = await ChatSocket.follow(scene.room.stage, scene.cast.max.caller);
  const before = await storedEverywhere(scene);
  const told = await socket.ask(frame, "error", "receipt");
  if (told.type !== "error" || told.code !== "forbidden") yield `hears ${JSON.stringify(told)} and not forbidden`;
  if (socket.closed) yield `loses the socket by ${socket.closed.code}`;
  yield* changed(before, await storedEverywhere(scene));
  socket.close();
}

/** The refusal and the close, and nothing else. */
function* toldOnce(socket: ChatSocket, heard: number, loss: Loss, asksIn: boolean): Generator<string> {
  const { code, close } = asksIn && !loss.isAtOnce ? { code: "unauthenticated", close: CLOSE.expired } : loss;
  const after = socket.frames.slice(heard);
  const refusals = socket.frames.filter((frame) => frame.type === "error");
  if (refusals.length !== 1 || refusals[0]?.code !== code) yield `hears ${JSON.stringify(after)} and not ${code}`;
  if (socket.closed?.code !== close) yield `is closed by ${socket.closed?.code} and not ${close}`;
  if (JSON.stringify(after).includes(MARK)) yield `hears what people wrote: ${JSON.stringify(after)}`;
}

async function* staysSilent(socket: ChatSocket, heard: number): AsyncGenerator<string> {
  const { type } = await socket.ask("no frame", "error");
  const other = socket.frames.slice(heard).filter((frame) => frame.type !== type);
  if (other.length > 0) yield `hears ${JSON.stringify(other)}`;
  socket.close();
}
