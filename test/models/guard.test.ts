import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { type Body, guard, type LiveFrame, type Outcome, type StreamReducer } from "../../src/models/guard.ts";
import { asText } from "../../src/models/wire-json.ts";
import { fakeClock, settle } from "./fake-clock.ts";

/** A wire of one event type: `{ say }` shows a text, `{ end: true }` is terminal. */
interface Toy {
  readonly text: string;
  readonly ended: boolean;
}

const toyReducer: StreamReducer<Toy> = {
  start: { text: "", ended: false },
  step(state, { data }) {
    const text = asText(data.say);
    const ended = data.end === true;
    return {
      state: { text: state.text + text, ended },
      frames: text === "" ? [] : [{ type: "text", text }],
      ...(ended ? { done: true } : {}),
    };
  },
  finish: ({ text, ended }) =>
    ended ? { role: "assistant", content: [{ type: "text", text }], stop: "end" } : undefined,
  counts: () => undefined,
};

/** A body that a test feeds by hand. */
function handFed(contentType: string | null = "text/event-stream") {
  const waiting: ((result: IteratorResult<Uint8Array>) => void)[] = [];
  const failing: ((error: Error) => void)[] = [];
  let closed = false;
  const body: Body = {
    contentType,
    chunks: {
      next: () =>
        new Promise((resolve, reject) => {
          waiting.push(resolve);
          failing.push(reject);
        }),
      return: () => {
        closed = true;
        return Promise.resolve({ done: true, value: undefined });
      },
    },
  };
  const give = async (result: IteratorResult<Uint8Array>) => {
    waiting.shift()?.(result);
    await settle();
  };
  return {
    body,
    send: (text: string) => give({ done: false, value: new TextEncoder().encode(text) }),
    end: () => give({ done: true, value: undefined }),
    break: async () => {
      failing.at(-1)?.(new Error("socket closed"));
      await settle();
    },
    isClosed: () => closed,
  };
}

function run(open: (signal: AbortSignal) => Promise<Body>, signal = new AbortController().signal) {
  const clock = fakeClock();
  const frames: LiveFrame[] = [];
  const call = guard({
    open,
    reducer: toyReducer,
    classify: () => ({ kind: "network" }),
    clock,
    idle: { firstMs: 60_000, betweenMs: 60_000 },
    signal,
  });
  const done = (async (): Promise<Outcome> => {
    for (;;) {
      const next = await call.next();
      if (next.done === true) return next.value;
      frames.push(next.value);
    }
  })();
  return { clock, frames, done };
}

const kindOf = (outcome: Outcome) => (outcome.type === "failed" ? outcome.failure.kind : "end");

describe("the guard around a stream", () => {
  it("[M-1] yields live frames in order and returns the answer at the terminal event, without waiting for the end", async () => {
    const hand = handFed();
    const { done, frames } = run(() => Promise.resolve(hand.body));
    await settle();
    await hand.send('data: {"say":"a"}\n\ndata: {"say":"b"}\n\ndata: {"end":true}\n\ndata: {"say":"late"}\n\n');
    expect(await done).toMatchObject({ type: "end", message: { content: [{ text: "ab" }] } });
    expect(frames.map(({ text }) => text)).toEqual(["a", "b"]);
    expect(hand.isClosed()).toBe(true);
  });

  it("[M-2] a stream that ends in good order before its terminal event is cut", async () => {
    const hand = handFed();
    const { done } = run(() => Promise.resolve(hand.body));
    await settle();
    await hand.send('data: {"say":"a"}\n\n');
    await hand.end();
    expect(kindOf(await done)).toBe("cut");
  });

  it("[M-3] a read that fails after an event is cut, before any event network", async () => {
    for (const [first, kind] of [
      ['data: {"say":"a"}\n\n', "cut"],
      [": nothing yet\n\n", "network"],
    ] as const) {
      const hand = handFed();
      const { done } = run(() => Promise.resolve(hand.body));
      await settle();
      await hand.send(first);
      await hand.break();
      expect(kindOf(await done)).toBe(kind);
    }
  });

  it("[M-4] silence before the first byte ends after 60 s, not after 59", async () => {
    const { done, clock } = run(() => new Promise(() => undefined));
    await settle();
    await clock.advance(59_999);
    expect(clock.waiting).toBe(1);
    await clock.advance(1);
    expect(kindOf(await done)).toBe("idle_timeout");
    expect(clock.waiting).toBe(0);
  });

  it("[M-4] every read starts the time anew, also one that carries no event", async () => {
    const hand = handFed();
    const { done, clock } = run(() => Promise.resolve(hand.body));
    await settle();
    for (const text of ['data: {"say":"a"}\n\n', ": ping\n\n", "da"]) {
      await clock.advance(59_000);
      await hand.send(text);
    }
    await clock.advance(59_999);
    expect(clock.waiting).toBe(1);
    await clock.advance(1);
    expect(kindOf(await done)).toBe("idle_timeout");
    expect(hand.isClosed()).toBe(true);
  });

  it("[M-5] another content type is refused unread", async () => {
    for (const type of ["text/html; charset=utf-8", "application/json", null]) {
      const hand = handFed(type);
      const { done } = run(() => Promise.resolve(hand.body));
      expect(kindOf(await done)).toBe("protocol");
      expect(hand.isClosed()).toBe(true);
    }
  });

  it("[M-5] an event that is not JSON is refused", async () => {
    const hand = handFed();
    const { done } = run(() => Promise.resolve(hand.body));
    await settle();
    await hand.send("data: {oops\n\n");
    expect(kindOf(await done)).toBe("protocol");
  });

  it("[M-8] an abort ends the call at once while it opens and while it reads, and aborts the request", async () => {
    const opening = new AbortController();
    let inner: AbortSignal | undefined;
    const first = run((signal) => {
      inner = signal;
      return new Promise(() => undefined);
    }, opening.signal);
    await settle();
    opening.abort();
    expect(kindOf(await first.done)).toBe("aborted");
    expect(inner?.aborted).toBe(true);
    expect(first.clock.waiting).toBe(0);

    const reading = new AbortController();
    const hand = handFed();
    const second = run(() => Promise.resolve(hand.body), reading.signal);
    await settle();
    await hand.send('data: {"say":"a"}\n\n');
    reading.abort();
    expect(kindOf(await second.done)).toBe("aborted");
    expect(hand.isClosed()).toBe(true);
  });

  it("[M-8] a call that is over leaves nothing behind on the turn's signal", async () => {
    const turn = new AbortController();
    for (const _call of [1, 2, 3]) {
      const hand = handFed();
      const { done } = run(() => Promise.resolve(hand.body), turn.signal);
      await settle();
      expect(getEventListeners(turn.signal, "abort")).toHaveLength(1);
      await hand.send('data: {"end":true}\n\n');
      await done;
    }
    expect(getEventListeners(turn.signal, "abort")).toEqual([]);
  });

  it("[M-9] a consumer that stops reading closes the connection and the timer", async () => {
    const hand = handFed();
    const clock = fakeClock();
    let inner: AbortSignal | undefined;
    const call = guard({
      open: (signal) => {
        inner = signal;
        return Promise.resolve(hand.body);
      },
      reducer: toyReducer,
      classify: () => ({ kind: "network" }),
      clock,
      idle: { firstMs: 1, betweenMs: 1 },
      signal: new AbortController().signal,
    });
    const reading = call.next();
    await settle();
    await hand.send('data: {"say":"a"}\n\n');
    await reading;
    await call.return({ type: "failed", failure: { kind: "aborted" }, counts: undefined, shown: true });
    expect(hand.isClosed()).toBe(true);
    expect(inner?.aborted).toBe(true);
    expect(clock.waiting).toBe(0);
  });
});
