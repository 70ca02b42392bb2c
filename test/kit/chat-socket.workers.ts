import { CALLER_HEADER, KEY_HEADER } from "../../src/objects/rpc.ts";
import { encodeCaller } from "../../src/people/caller-header.ts";
import type { Caller } from "../../src/people/facts.ts";
import { CHAT_PROTOCOL } from "../../src/protocol/close.ts";
import type { ClientFrame, ServerFrame } from "../../src/protocol/frames.ts";
import type { Stage } from "./stage.workers.ts";
import { StrictReplica } from "./strict-replica.ts";
import { until } from "./until.ts";

/** The upgrade that the Worker forwards for a caller it has resolved. */
export function upgradeRequest(stage: Stage, caller: Caller): Request {
  const headers = {
    upgrade: "websocket",
    "sec-websocket-protocol": CHAT_PROTOCOL,
    [CALLER_HEADER]: encodeCaller(caller),
    [KEY_HEADER]: stage.key,
  };
  return new Request("https://conversation/socket", { headers });
}

/** A client's end of a socket to the real object. */
export class ChatSocket {
  readonly frames: ServerFrame[] = [];
  readonly replica = new StrictReplica();
  closed: { readonly code: number; readonly reason: string } | undefined;
  readonly #socket: WebSocket;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => {
      const frame = JSON.parse(String(data)) as ServerFrame;
      this.frames.push(frame);
      this.replica.take(frame);
    });
    socket.addEventListener("close", ({ code, reason }) => {
      this.closed = { code, reason };
    });
    socket.accept();
  }

  /** @throws when the upgrade is refused. */
  static async open(stage: Stage, caller: Caller): Promise<ChatSocket> {
    const response = await stage.object.fetch(upgradeRequest(stage, caller));
    if (!response.webSocket) throw new Error(`the upgrade was refused with ${response.status}`);
    return new ChatSocket(response.webSocket);
  }

  /** Opens a socket and waits until it follows. */
  static async follow(stage: Stage, caller: Caller): Promise<ChatSocket> {
    const socket = await ChatSocket.open(stage, caller);
    socket.send({ type: "hello" });
    await socket.until(() => socket.replica.view !== undefined);
    return socket;
  }

  send(frame: ClientFrame): void {
    this.raw(JSON.stringify(frame));
  }

  raw(data: string | ArrayBuffer): void {
    this.#socket.send(data);
  }

  close(): void {
    this.#socket.close(1000, "done");
  }

  until(condition: () => boolean, what?: string): Promise<void> {
    return until(condition, what ?? `a condition; the last frames: ${JSON.stringify(this.frames.slice(-3))}`);
  }

  /** Sends a frame and resolves with the first answer of one of these types that comes after. */
  async ask<T extends ServerFrame["type"]>(
    frame: ClientFrame | string | ArrayBuffer,
    ...types: readonly T[]
  ): Promise<Extract<ServerFrame, { type: T }>> {
    const before = this.frames.length;
    if (typeof frame === "string" || frame instanceof ArrayBuffer) this.raw(frame);
    else this.send(frame);
    const find = () => this.frames.slice(before).find((answer) => (types as readonly string[]).includes(answer.type));
    await this.until(() => find() !== undefined);
    return find() as Extract<ServerFrame, { type: T }>;
  }
}
