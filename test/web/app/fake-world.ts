import { ok } from "../../../src/lib/result.ts";
import type { ClientFrame, ServerFrame } from "../../../src/protocol/frames.ts";
import type { Ports } from "../../../web/src/app/ports.ts";
import type { SocketShape } from "../../../web/src/net/line.ts";
import type { Refused, Rest } from "../../../web/src/net/rest.ts";
import { keepIn } from "../../../web/src/state/storage.ts";
import { makeStorage } from "../state/sample-storage.ts";

/** A socket whose other end is the test. */
export class FakeSocket implements SocketShape {
  readyState = 0;
  readonly sent: ClientFrame[] = [];
  readonly path: string;
  readonly #listeners = new Map<string, (event: never) => void>();

  constructor(path: string) {
    this.path = path;
  }

  send(text: string): void {
    this.sent.push(JSON.parse(text) as ClientFrame);
  }

  close(): void {
    this.readyState = 3;
  }

  addEventListener(type: string, listener: (event: never) => void): void {
    this.#listeners.set(type, listener);
  }

  open(): void {
    this.readyState = 1;
    this.#fire("open", {});
  }

  receive(frame: ServerFrame): void {
    this.#fire("message", { data: JSON.stringify(frame) });
  }

  drop(code: number): void {
    this.readyState = 3;
    this.#fire("close", { code });
  }

  sends(): readonly Extract<ClientFrame, { type: "send" }>[] {
    return this.sent.filter((frame) => frame.type === "send");
  }

  #fire(type: string, event: object): void {
    this.#listeners.get(type)?.(event as never);
  }
}

interface Timer {
  readonly at: number;
  readonly call: () => void;
}

/** The page's ports with a clock, sockets and answers in the test's hand. */
export class FakeWorld {
  readonly sockets: FakeSocket[] = [];
  readonly storage = makeStorage();
  readonly created: string[] = [];
  readonly settings: unknown[] = [];
  online = true;
  hidden = false;
  probed: number | undefined = 200;
  createFails: Refused | undefined;
  #now = 1_000_000;
  #ids = 0;
  #timers: Timer[] = [];

  /** New ports over the same storage: what a reload of the page gets. */
  ports(): Ports {
    const rest: Partial<Rest> = {
      create: (id) => {
        this.created.push(id);
        return Promise.resolve(this.createFails === undefined ? ok({}) : { ok: false, error: this.createFails });
      },
      notices: () => Promise.resolve(ok({ notices: [] })),
      settings: (_id, body) => {
        this.settings.push(body);
        return Promise.resolve(ok({}));
      },
      probe: () =>
        Promise.resolve(
          this.probed === 200
            ? ok({})
            : { ok: false, error: { status: this.probed, code: "internal" as const, message: "" } },
        ),
    };
    return {
      rest: rest as Rest,
      keep: keepIn(this.storage, () => undefined),
      openSocket: (path) => {
        const socket = new FakeSocket(path);
        this.sockets.push(socket);
        return socket;
      },
      isOnline: () => this.online,
      isHidden: () => this.hidden,
      nowMs: () => this.#now,
      random: () => 0.5,
      uuid: () => `id-${++this.#ids}`,
      after: (ms, call) => {
        const timer = { at: this.#now + ms, call };
        this.#timers.push(timer);
        return () => {
          this.#timers = this.#timers.filter((other) => other !== timer);
        };
      },
    };
  }

  get socket(): FakeSocket {
    const last = this.sockets.at(-1);
    if (last === undefined) throw new Error("no socket was opened");
    return last;
  }

  /** Lets time pass, and everything that waits for it happen. */
  async pass(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      const due = this.#timers.filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#timers = this.#timers.filter((timer) => timer !== due);
      this.#now = Math.max(this.#now, due.at);
      due.call();
      await settle();
    }
    this.#now = end;
    await settle();
  }
}

/** Lets pending promises run. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 10; i++) await Promise.resolve();
}
