import { WebSocket } from "ws";
import { CHAT_PROTOCOL } from "../src/protocol/close.ts";
import type { AppServer } from "../test/kit/app-server/app-server.ts";
import { ChatClient } from "../test/kit/chat-client.ts";

/** Times of one turn as its client saw them, in milliseconds from the frame that asked. */
export interface TurnTimes {
  readonly firstDelta: number;
  readonly done: number;
  /** Bytes that came to the client. */
  readonly bytes: number;
}

/** Somebody who takes turns with an object, one after the other. */
export interface Talker {
  turn(): Promise<TurnTimes>;
  close(): void;
}

/** Somebody who talks in a conversation of the app. */
export interface ConversationTalker extends Talker {
  readonly id: string;
  reconnect(): Promise<void>;
}

/** The bare object's client. */
export async function bareTalker(server: AppServer, name: string): Promise<Talker> {
  const socket = new WebSocket(`${server.url.replace("http", "ws")}/bench/bare?name=${name}`);
  await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
  return {
    turn: () =>
      new Promise((resolve) => {
        const start = performance.now();
        let firstDelta = 0;
        let bytes = 0;
        const onMessage = (data: Buffer) => {
          bytes += data.length;
          const frame = JSON.parse(data.toString()) as { readonly type: string };
          if (frame.type === "delta") firstDelta ||= performance.now() - start;
          else {
            socket.off("message", onMessage);
            resolve({ firstDelta, done: performance.now() - start, bytes });
          }
        };
        socket.on("message", onMessage);
        socket.send(JSON.stringify({ type: "send", text: "How are you?" }));
      }),
    close: () => socket.terminate(),
  };
}

/** A conversation of the app and its client. The socket's limit of frames a minute is kept by connecting anew. */
export async function chatTalker(server: AppServer, cookie: string): Promise<ConversationTalker> {
  const id = crypto.randomUUID();
  const headers = { cookie, origin: server.url, "content-type": "application/json" };
  const body = JSON.stringify({ id });
  await fetch(`${server.url}/api/v1/conversations`, { method: "POST", headers, body });
  const client = new ChatClient(server.url, id, cookie);
  let turns = 0;
  await client.connect();
  return {
    id,
    async turn() {
      if (turns++ % 50 === 49) await client.connect();
      const bytesBefore = client.bytesReceived;
      const frames = client.received.length;
      const start = performance.now();
      let firstDelta = 0;
      let done = 0;
      const seen = () => {
        for (const frame of client.received.splice(frames)) {
          if (frame.type === "delta") firstDelta ||= performance.now() - start;
          if (frame.type === "commit" && frame.events.some((event) => event.type === "turn.ended")) {
            done = performance.now() - start;
          }
        }
        return done > 0;
      };
      void client.say(`t${turns}`, "How are you?");
      if (!(await client.until(seen, 10_000))) throw new Error("a turn did not end within 10 s");
      // An answer that came without a delta showed its first words when it was done.
      return { firstDelta: firstDelta || done, done, bytes: client.bytesReceived - bytesBefore };
    },
    close: () => client.close(),
    async reconnect() {
      await client.connect();
    },
  };
}

/** Opens sockets that only listen to a conversation. */
export async function onlookers(server: AppServer, id: string, count: number): Promise<readonly WebSocket[]> {
  const url = `${server.url.replace("http", "ws")}/bench/onlooker?name=web:${id}`;
  const sockets = Array.from({ length: count }, () => new WebSocket(url, CHAT_PROTOCOL));
  await Promise.all(
    sockets.map((socket) => new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject))),
  );
  return sockets;
}
