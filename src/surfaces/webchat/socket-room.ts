import type { Result } from "../../lib/result.ts";
import type { CardChoices } from "../../protocol/cards.ts";
import { CLOSE } from "../../protocol/close.ts";
import type { ServerFrame } from "../../protocol/frames.ts";
import { REAUTH_BEFORE_MS } from "../../protocol/limits.ts";
import type { FrameWindow, SocketAttachment } from "./attachment.ts";
import type { ChatPerson, ChatRefusal } from "./chat-port.ts";
import { ChoiceTeller, touchesCards } from "./choice-teller.ts";
import { closeFor } from "./close-for.ts";
import { Hearing } from "./hearing.ts";

/** The part of a hibernating socket that the room needs; the platform's `WebSocket` fits. */
export interface ChatSocket {
  send(text: string): void;
  close(code: number, reason: string): void;
  serializeAttachment(attachment: unknown): void;
  deserializeAttachment(): unknown;
}

/** What the room needs from the object around it. */
export interface RoomHost {
  now(): number;
  /** What the person may do with the cards now. */
  choices(person: ChatPerson): Promise<Result<readonly CardChoices[], ChatRefusal>>;
  /** Why this person may not read here any more; undefined: they may. Some seconds old at most. */
  barred(person: ChatPerson): Promise<ChatRefusal | undefined>;
}

/**
 * The open sockets of one conversation. What it keeps in memory is a copy of their attachments, so a wake from hibernation
 * loses nothing. A frame is serialised once, however many follow.
 */
export class SocketRoom {
  readonly #attachments = new Map<ChatSocket, SocketAttachment>();
  readonly #queues = new Map<ChatSocket, Promise<void>>();
  readonly #hearing = new Hearing<ChatSocket>();
  /** Questions under way, by session: many sockets of one browser ask once. */
  readonly #asking = new Map<string, Promise<ChatRefusal | undefined>>();
  readonly #host: RoomHost;
  readonly #teller: ChoiceTeller<ChatSocket>;

  /** @param sockets those that survived a hibernation. */
  constructor(sockets: Iterable<ChatSocket>, host: RoomHost) {
    this.#host = host;
    this.#teller = new ChoiceTeller({
      listeners: () =>
        [...this.#attachments].flatMap(([socket, one]) => (one.following ? [[socket, personOf(one)] as const] : [])),
      choices: (person) => host.choices(person),
      send: (socket, frame) => this.send(socket, frame),
      bar: (socket, refusal) => this.bar(socket, refusal),
    });
    for (const socket of sockets) {
      this.#attachments.set(socket, socket.deserializeAttachment() as SocketAttachment);
    }
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

  /** Changes what a socket remembers. One that has left meanwhile stays away. */
  update(socket: ChatSocket, change: Partial<SocketAttachment>): void {
    const attachment = this.#attachments.get(socket);
    if (attachment) this.set(socket, { ...attachment, ...change });
  }

  /** Counts a frame in memory only: a wake forgives what was counted, which bounds nothing that matters. */
  count(socket: ChatSocket, frames: FrameWindow): void {
    const attachment = this.#attachments.get(socket);
    if (attachment) this.#attachments.set(socket, { ...attachment, frames });
  }

  /** From here on the socket hears every frame; this one tells it where it stands and replaces what was held back. */
  follow(socket: ChatSocket, frame: ServerFrame): void {
    if (!this.#attachments.has(socket)) return;
    this.update(socket, { following: true });
    this.#hearing.clear(socket, this.#host.now());
    this.send(socket, frame);
    this.#teller.forget(socket);
    void this.tellChoices();
  }

  /** What people may do with the cards may have changed: whoever follows is told, where it did. */
  tellChoices(): Promise<void> {
    return this.#teller.tell();
  }

  drop(socket: ChatSocket): void {
    this.#attachments.delete(socket);
    this.#hearing.forget(socket);
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

  /** Sends a frame to everybody who follows and may still hear. Sockets whose session has ended are closed instead. */
  broadcast(frame: ServerFrame): void {
    if (this.#attachments.size === 0) return;
    if (frame.type === "commit" && touchesCards(frame.ops)) void this.tellChoices();
    const text = JSON.stringify(frame);
    const now = this.#host.now();
    for (const [socket, attachment] of this.#attachments) {
      if (!attachment.following) continue;
      if (attachment.expiresAt <= now) {
        this.close(socket, CLOSE.expired, "The session has ended: sign in again.");
        continue;
      }
      this.remind(socket, now);
      if (this.#hearing.mayHear(socket, now)) this.#sendText(socket, text);
      else this.#holdBack(socket, attachment, text);
    }
  }

  send(socket: ChatSocket, frame: ServerFrame): void {
    this.#sendText(socket, JSON.stringify(frame));
  }

  /** Tells a socket once that its session ends soon. Nothing wakes for it: whoever hears and says nothing misses nothing. */
  remind(socket: ChatSocket, now: number): void {
    const attachment = this.#attachments.get(socket);
    if (!attachment || attachment.reminded || attachment.expiresAt - now > REAUTH_BEFORE_MS) return;
    this.update(socket, { reminded: true });
    this.send(socket, { type: "reauth" });
  }

  /** Says why, and closes the socket of somebody who may not be here. */
  bar(socket: ChatSocket, { code, message }: ChatRefusal): void {
    if (!this.#attachments.has(socket)) return;
    this.send(socket, { type: "error", code, message });
    const { code: closeCode, reason } = closeFor(code);
    this.close(socket, closeCode, reason);
  }

  /**
   * Makes a change after which a person may not be here any more: they hear nothing of it before they have been asked
   * about, and whoever may not be here is gone at once.
   */
  reconsider(principalId: string, change: () => void): void {
    const theirs = [...this.#attachments].filter(([, attachment]) => attachment.principalId === principalId);
    for (const [socket] of theirs) this.#hearing.doubt(socket);
    change();
    for (const [socket, attachment] of theirs) void this.#barIfRefused(socket, personOf(attachment));
  }

  close(socket: ChatSocket, code: number, reason: string): void {
    this.drop(socket);
    try {
      socket.close(code, reason);
    } catch {
      // It is closed already: that is what was wanted.
    }
  }

  closeAll(code: number, reason: string): void {
    for (const socket of [...this.#attachments.keys()]) this.close(socket, code, reason);
  }

  /** Asks anew, whatever question is under way: it may have been answered by what was so before. */
  async #barIfRefused(socket: ChatSocket, person: ChatPerson): Promise<void> {
    const refusal = await this.#host.barred(person);
    if (refusal) this.bar(socket, refusal);
  }

  #holdBack(socket: ChatSocket, attachment: SocketAttachment, text: string): void {
    switch (this.#hearing.hold(socket, text)) {
      case "first":
        return void this.#askFor(socket, personOf(attachment));
      case "held":
        return;
      case "full":
        return this.close(socket, CLOSE.internal, "The server fell behind; connect again.");
    }
  }

  async #askFor(socket: ChatSocket, person: ChatPerson): Promise<void> {
    const askedAt = this.#host.now();
    const refusal = await this.#ask(person);
    if (!this.#hearing.isAsked(socket)) return;
    if (refusal) return this.bar(socket, refusal);
    for (const text of this.#hearing.clear(socket, askedAt)) this.#sendText(socket, text);
  }

  #ask(person: ChatPerson): Promise<ChatRefusal | undefined> {
    const { sessionHash } = person;
    const known = this.#asking.get(sessionHash);
    if (known) return known;
    const asked = this.#host.barred(person).finally(() => this.#asking.delete(sessionHash));
    this.#asking.set(sessionHash, asked);
    return asked;
  }

  #sendText(socket: ChatSocket, text: string): void {
    try {
      socket.send(text);
    } catch {
      // The client is gone; its close event may still be on its way. It comes back with a hello.
      this.drop(socket);
    }
  }
}

function personOf({ principalId, identity, sessionHash }: SocketAttachment): ChatPerson {
  return { principalId, identity, sessionHash };
}
