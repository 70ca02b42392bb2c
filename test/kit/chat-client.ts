import { WebSocket } from "ws";
import type { HoldCard } from "../../src/protocol/cards.ts";
import { CHAT_PROTOCOL } from "../../src/protocol/close.ts";
import type { ClientFrame, LiveText, ReceiptStatus, ServerFrame } from "../../src/protocol/frames.ts";
import type { View } from "../../src/protocol/view.ts";
import { StrictReplica } from "./strict-replica.ts";

interface Unsent {
  readonly frame: Extract<ClientFrame, { type: "send" }>;
  readonly resolve: (status: ReceiptStatus) => void;
}

/**
 * A client of the web chat as strict as it can be: folds every commit, notices each gap, duplicate and wrong offset as a
 * violation, keeps what it sent until the receipt came, and says it again after a reconnect under the same id.
 */
export class ChatClient {
  /** Frames received over all connections. */
  readonly received: ServerFrame[] = [];
  bytesReceived = 0;
  readonly #replica = new StrictReplica();
  readonly #url: string;
  readonly #headers: { readonly cookie: string; readonly origin: string };
  readonly #unsent = new Map<string, Unsent>();
  readonly #waiters = new Set<() => void>();
  #socket: WebSocket | undefined;
  #greeted = false;

  constructor(baseUrl: string, conversation: string, cookie: string) {
    this.#url = `${baseUrl.replace("http", "ws")}/chat/ws?conversation=${conversation}`;
    this.#headers = { cookie, origin: baseUrl };
  }

  get violations(): readonly string[] {
    return this.#replica.violations;
  }

  get rev(): number {
    return this.#replica.rev;
  }

  get view(): View | undefined {
    return this.#replica.view;
  }

  get live(): ReadonlyMap<string, LiveText> {
    return this.#replica.live;
  }

  get isOpen(): boolean {
    return this.#greeted;
  }

  /** Opens the socket and says hello. False when the server does not answer. */
  async connect(): Promise<boolean> {
    this.close();
    const socket = new WebSocket(this.#url, CHAT_PROTOCOL, { headers: this.#headers });
    this.#socket = socket;
    socket.on("message", (data: Buffer) => {
      if (socket === this.#socket) this.#onFrame(data.toString());
    });
    socket.on("close", () => {
      if (socket !== this.#socket) return;
      this.#greeted = false;
      this.#wake();
    });
    const opened = await new Promise<boolean>((resolve) => {
      socket.once("open", () => resolve(true));
      socket.on("error", () => resolve(false));
    });
    if (!opened) return false;
    this.#send(this.view ? { type: "hello", lastRev: this.rev } : { type: "hello" });
    return this.until(() => this.#greeted || socket.readyState !== WebSocket.OPEN, 5_000).then(() => this.#greeted);
  }

  close(): void {
    this.#socket?.terminate();
    this.#socket = undefined;
    this.#greeted = false;
  }

  /** Says something. Resolves with the receipt's status, however many connections that takes. */
  say(id: string, text: string, mode?: "queue" | "steer"): Promise<ReceiptStatus> {
    const frame = { type: "send", id, text, ...(mode && { mode }) } as const;
    return new Promise((resolve) => {
      this.#unsent.set(id, { frame, resolve });
      if (this.#greeted) this.#send(frame);
    });
  }

  stop(): void {
    this.#send({ type: "stop" });
  }

  decide(card: HoldCard, decision: "approve" | "decline"): void {
    this.#send({ type: "decide", hold: card.hold, digest: card.digest, decision });
  }

  raw(text: string): void {
    this.#socket?.send(text);
  }

  get cards(): readonly HoldCard[] {
    return this.#replica.cards;
  }

  /** Waits for a condition over what was received. False when the time is over first. */
  async until(condition: () => boolean, timeoutMs: number): Promise<boolean> {
    const deadline = Date.now() + timeoutMs;
    while (!condition()) {
      const rest = deadline - Date.now();
      if (rest <= 0) return false;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(done, Math.min(rest, 50));
        const waiters = this.#waiters;
        function done() {
          clearTimeout(timer);
          waiters.delete(done);
          resolve();
        }
        waiters.add(done);
      });
    }
    return true;
  }

  #send(frame: ClientFrame): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(frame));
  }

  #wake(): void {
    for (const waiter of [...this.#waiters]) waiter();
  }

  #onFrame(text: string): void {
    this.bytesReceived += text.length;
    const frame = JSON.parse(text) as ServerFrame;
    this.received.push(frame);
    this.#take(frame);
    this.#wake();
  }

  #take(frame: ServerFrame): void {
    this.#replica.take(frame);
    switch (frame.type) {
      case "snapshot":
      case "ready":
        return this.#greet();
      case "receipt":
        this.#unsent.get(frame.id)?.resolve(frame.status);
        this.#unsent.delete(frame.id);
        return;
      default:
        return;
    }
  }

  #greet(): void {
    this.#greeted = true;
    for (const { frame } of this.#unsent.values()) this.#send(frame);
  }
}
