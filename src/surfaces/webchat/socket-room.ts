import type { ServerFrame } from "../../protocol/frames.ts";
import { CLOSE } from "../../protocol/close.ts";
import type { SocketAttachment } from "./attachment.ts";

/** The part of a hibernating socket that the room needs; the platform's `WebSocket` fits. */
export interface ChatSocket {
  send(text: string): void;
  close(code: number, reason: string): void;
  serializeAttachment(attachment: unknown): void;
  deserializeAttachment(): unknown;
}

/**
 * The open sockets of one conversation. What it keeps in memory is a copy of their attachments, so a wake from hibernation
 * loses nothing. A frame is serialised once, however many follow.
 */
export class SocketRoom {
  readonly #attachments = new Map<ChatSocket, SocketAttachment>();
  readonly #queues = new Map<ChatSocket, Promise<void>>();
  readonly #now: () => number;

  /** @param sockets those that survived a hibernation. */
  constructor(sockets: Iterable<ChatSocket>, now: () => number) {
    this.#now = now;
    for (const socket of sockets) {
      this.#attachments.set(socket, socket.deserializeAttachment() as SocketAttachment);
    }
  }

  get size(): number {
    return this.#attachments.size;
  }

  countOf(principalId: string): number {
    return [...this.#attachments.values()].filter((attachment) => attachment.principalId === principalId).length;
  }

  attachmentOf(socket: ChatSocket): SocketAttachment | undefined {
    return this.#attachments.get(socket);
  }

  set(socket: ChatSocket, attachment: SocketAttachment): void {
    this.#attachments.set(socket, attachment);
    socket.serializeAttachment(attachment);
  }

  /** Counts a frame in memory only: a wake forgives what was counted, which bounds nothing that matters. */
  remember(socket: ChatSocket, attachment: SocketAttachment): void {
    this.#attachments.set(socket, attachment);
  }

  drop(socket: ChatSocket): void {
    this.#attachments.delete(socket);
  }

  /** Runs one message's work after the work of those before it on the same socket: a person's frames keep their order. */
  inOrder(socket: ChatSocket, work: () => Promise<void>): Promise<void> {
    const before = this.#queues.get(socket) ?? Promise.resolve();
    const done = before.then(work);
    // A failed frame must not keep the next ones from being handled; whoever sent it hears of the failure by `done`.
    const settled = done.catch(() => undefined);
    this.#queues.set(socket, settled);
    void settled.then(() => {
      if (this.#queues.get(socket) === settled) this.#queues.delete(socket);
    });
    return done;
  }

  /** Sends a frame to everybody who follows. Sockets whose session has ended are closed instead. */
  broadcast(frame: ServerFrame): void {
    if (this.#attachments.size === 0) return;
    const text = JSON.stringify(frame);
    const now = this.#now();
    for (const [socket, attachment] of this.#attachments) {
      if (!attachment.following) continue;
      if (attachment.expiresAt <= now) this.close(socket, CLOSE.expired, "The session has ended: sign in again.");
      else this.#sendText(socket, text);
    }
  }

  send(socket: ChatSocket, frame: ServerFrame): void {
    this.#sendText(socket, JSON.stringify(frame));
  }

  close(socket: ChatSocket, code: number, reason: string): void {
    this.#attachments.delete(socket);
    try {
      socket.close(code, reason);
    } catch {
      // It is closed already: that is what was wanted.
    }
  }

  closeAll(code: number, reason: string): void {
    for (const socket of [...this.#attachments.keys()]) this.close(socket, code, reason);
  }

  #sendText(socket: ChatSocket, text: string): void {
    try {
      socket.send(text);
    } catch {
      // The client is gone; its close event may still be on its way. It comes back with a hello.
      this.#attachments.delete(socket);
    }
  }
}
