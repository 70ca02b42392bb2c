import type { ServerFrame } from "../../../src/protocol/frames.ts";
import type { SocketAttachment } from "../../../src/surfaces/webchat/attachment.ts";
import type { ChatSocket } from "../../../src/surfaces/webchat/socket-room.ts";

/** 2026-11-29T12:00:00Z */
export const NOW = Date.UTC(2026, 10, 29, 12);

export function attachment(changes: Partial<SocketAttachment> = {}): SocketAttachment {
  return {
    principalId: "p_anna",
    identity: "test:anna",
    sessionHash: "a".repeat(64),
    expiresAt: NOW + 3_600_000,
    following: true,
    lastAck: 0,
    frames: { startedAt: NOW, count: 0 },
    ...changes,
  };
}

/** A socket whose other end only writes down what it gets. */
export class FakeSocket implements ChatSocket {
  readonly texts: string[] = [];
  closed: { readonly code: number; readonly reason: string } | undefined;
  /** The client vanished: sending and closing fail, as the platform's do. */
  isBroken = false;
  #stored: unknown = null;

  constructor(stored?: SocketAttachment) {
    if (stored) this.serializeAttachment(stored);
  }

  get frames(): ServerFrame[] {
    return this.texts.map((text) => JSON.parse(text) as ServerFrame);
  }

  send(text: string): void {
    if (this.isBroken || this.closed) throw new Error("the socket is closed");
    this.texts.push(text);
  }

  close(code: number, reason: string): void {
    if (this.isBroken || this.closed) throw new Error("the socket is closed");
    this.closed = { code, reason };
  }

  serializeAttachment(value: unknown): void {
    this.#stored = structuredClone(value);
  }

  deserializeAttachment(): unknown {
    return structuredClone(this.#stored);
  }
}
