import { CHAT_PROTOCOL } from "../../../src/protocol/close.ts";
import type { ClientFrame, ServerFrame } from "../../../src/protocol/frames.ts";
import { type Connection, decideAfterLoss, type Loss } from "../state/connection.ts";

/** What a line needs of the world. Tests give their own. */
export interface LinePorts {
  /** Makes sure that the conversation exists. @returns the status of a failure, or "ready". */
  prepare(): Promise<"ready" | { readonly status: number | undefined }>;
  /** Opens a socket to the conversation with the given subprotocol. */
  open(protocol: string): SocketShape;
  /** HTTP status of a plain request to the conversation; undefined when the server cannot be reached. */
  probe(): Promise<number | undefined>;
  isOnline(): boolean;
  nowMs(): number;
  random(): number;
  /** Calls back once after a pause; the result cancels it. */
  after(ms: number, call: () => void): () => void;
}

/** The part of a WebSocket that the page uses. */
export interface SocketShape {
  readonly readyState: number;
  send(text: string): void;
  close(): void;
  addEventListener(type: "open", listener: () => void): void;
  addEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(type: "close", listener: (event: { readonly code: number }) => void): void;
}

export interface LineEvents {
  readonly onConnection: (connection: Connection) => void;
  /** The socket is open: say hello first. */
  readonly onOpen: () => void;
  readonly onFrame: (frame: ServerFrame) => void;
}

/** How long a sign of life may take. */
export const SILENCE_MS = 8_000;

const OPEN = 1;
const FIRST_OWN_CODE = 4_000;

/** One conversation's connection, kept up until it ends or is closed. Nothing is sent but what its owner sends. */
export class Line {
  readonly #ports: LinePorts;
  readonly #events: LineEvents;
  #socket: SocketShape | undefined;
  #connection: Connection = { status: "idle" };
  #attempt = 0;
  /** Counts connects and closes, so that what comes late from an older one is ignored. */
  #turn = 0;
  #cancelRetry: (() => void) | undefined;
  #cancelSilence: (() => void) | undefined;

  constructor(ports: LinePorts, events: LineEvents) {
    this.#ports = ports;
    this.#events = events;
  }

  /** Connects, unless it is connected or about to be; instead of waiting for the next attempt, at once. */
  connect(): void {
    const { status } = this.#connection;
    if (status === "idle" || status === "waiting") void this.#connect();
  }

  /** @returns false when there is no open socket; nothing was sent then. */
  send(frame: ClientFrame): boolean {
    if (this.#socket?.readyState !== OPEN) return false;
    this.#socket.send(JSON.stringify(frame));
    return true;
  }

  /** The copy is up to date: from now on the connection counts as live. */
  confirm(): void {
    this.#attempt = 0;
    if (this.#connection.status !== "live") this.#move({ status: "live" });
  }

  /** Expects a sign of life soon; without one the socket is taken for dead and replaced. */
  expect(): void {
    this.#cancelSilence ??= this.#ports.after(SILENCE_MS, () => {
      this.#drop();
      this.#lose({ kind: "probed", status: undefined });
    });
  }

  close(): void {
    this.#cancelRetry?.();
    this.#drop();
    this.#connection = { status: "idle" };
  }

  async #connect(): Promise<void> {
    this.#cancelRetry?.();
    this.#drop();
    const turn = this.#turn;
    this.#move({ status: "connecting", attempt: this.#attempt });
    const prepared = await this.#ports.prepare();
    if (turn !== this.#turn) return;
    if (prepared !== "ready") return this.#lose({ kind: "probed", status: prepared.status });
    this.#attach(this.#ports.open(CHAT_PROTOCOL), turn);
    this.expect();
  }

  #attach(socket: SocketShape, turn: number): void {
    let hasOpened = false;
    this.#socket = socket;
    socket.addEventListener("open", () => {
      if (turn !== this.#turn) return;
      hasOpened = true;
      this.#events.onOpen();
    });
    socket.addEventListener("message", (event) => {
      if (turn !== this.#turn) return;
      this.#hush();
      this.#events.onFrame(JSON.parse(String(event.data)) as ServerFrame);
    });
    socket.addEventListener("close", (event) => {
      if (turn !== this.#turn) return;
      this.#drop();
      if (hasOpened || event.code >= FIRST_OWN_CODE) this.#lose({ kind: "closed", code: event.code });
      else void this.#askWhy(this.#turn);
    });
  }

  /** A browser hides why an upgrade was refused: a plain request tells. */
  async #askWhy(turn: number): Promise<void> {
    const status = await this.#ports.probe();
    if (turn === this.#turn) this.#lose({ kind: "probed", status });
  }

  #lose(loss: Loss): void {
    const next = decideAfterLoss(loss, {
      attempt: this.#attempt,
      online: this.#ports.isOnline(),
      nowMs: this.#ports.nowMs(),
      random: this.#ports.random(),
    });
    if (next.status === "waiting") {
      this.#attempt = next.attempt;
      this.#cancelRetry = this.#ports.after(next.until - this.#ports.nowMs(), () => void this.#connect());
    }
    this.#move(next);
  }

  #move(connection: Connection): void {
    this.#connection = connection;
    this.#events.onConnection(connection);
  }

  #hush(): void {
    this.#cancelSilence?.();
    this.#cancelSilence = undefined;
  }

  #drop(): void {
    this.#turn += 1;
    this.#hush();
    this.#socket?.close();
    this.#socket = undefined;
  }
}
