import type { ModelFrame } from "../kernel/ports/model.ts";
import type { ClockPort } from "../kernel/ports/ports.ts";
import type { AssistantMessage } from "../protocol/message.ts";
import { firstOf, ignoreRejection, whenAborted } from "./abort.ts";
import { type Failure, WireFault } from "./failure.ts";
import { type IdleLimits, watchIdle } from "./idle.ts";
import { createSseDecoder, type SseEvent } from "./sse.ts";
import type { TokenCounts } from "./usage.ts";
import { asObject, type WireObject } from "./wire-json.ts";

/** What a stream shows while it runs. */
export type LiveFrame = Extract<ModelFrame, { type: "text" | "thinking" }>;

/** One wire event, parsed. `name` is `[DONE]` for that sentinel, which some wires send last. */
export interface WireEvent {
  readonly name: string;
  readonly data: WireObject;
}

/** What one event led to. `done`: nothing that follows matters. `failure`: the vendor said that it failed. */
export interface Step<S> {
  readonly state: S;
  readonly frames: readonly LiveFrame[];
  readonly done?: true;
  readonly failure?: Failure;
}

/** The pure half of a provider's stream: wire events folded into frames and the final message. */
export interface StreamReducer<S> {
  readonly start: S;
  step(state: S, event: WireEvent): Step<S>;
  /** The whole answer, or undefined when the protocol's terminal event was not seen. */
  finish(state: S): AssistantMessage | undefined;
  /** Tokens spent, as far as the stream said. */
  counts(state: S): TokenCounts | undefined;
}

/** The body of a 200 answer. `contentType` is undefined where the transport has none (a binding). */
export interface Body {
  readonly contentType?: string | null;
  readonly chunks: AsyncIterator<Uint8Array>;
}

export type Outcome =
  | { readonly type: "end"; readonly message: AssistantMessage; readonly counts: TokenCounts | undefined }
  | {
      readonly type: "failed";
      readonly failure: Failure;
      readonly counts: TokenCounts | undefined;
      /** Whether a frame went out before. */
      readonly shown: boolean;
    };

export interface GuardedCall<S> {
  /** Sends the request. May throw anything; `signal` aborts when the call is over for whatever reason. */
  readonly open: (signal: AbortSignal) => Promise<Body>;
  readonly reducer: StreamReducer<S>;
  /** Reads what `open` or a read threw. */
  readonly classify: (error: unknown) => Failure;
  readonly clock: ClockPort;
  readonly idle: IdleLimits;
  readonly signal: AbortSignal;
}

/**
 * Runs one call under the guards that no SDK has: the terminal event must be seen, silence has a limit, the content
 * type is checked before reading, an abort ends at once. Yields the live frames, returns the outcome, never throws.
 */
export async function* guard<S>(call: GuardedCall<S>): AsyncGenerator<LiveFrame, Outcome> {
  const life = new AbortController();
  const watch = watchIdle(call.clock, call.idle);
  const interrupted = Promise.race([watch.expired, whenAborted(call.signal, life.signal)]);
  ignoreRejection(interrupted);
  let state = call.reducer.start;
  let seen = false;
  let shown = false;
  let body: Body | undefined;

  const failed = (failure: Failure): Outcome => {
    return { type: "failed", failure, counts: call.reducer.counts(state), shown };
  };
  const finished = (otherwise: Failure): Outcome => {
    const message = call.reducer.finish(state);
    return message ? { type: "end", message, counts: call.reducer.counts(state) } : failed(otherwise);
  };

  try {
    const opened = await firstOf(call.open(life.signal), interrupted);
    if (typeof opened === "string") return failed(interruption(opened));
    body = opened;
    const wrongType = checkContentType(body);
    if (wrongType) return failed(wrongType);
    const decoder = createSseDecoder();
    for (;;) {
      const read = await firstOf(body.chunks.next(), interrupted);
      if (typeof read === "string") return failed(interruption(read));
      watch.touch();
      const events = read.done === true ? decoder.end() : decoder.push(read.value);
      for (const raw of events) {
        const event = parseEvent(raw);
        if (event === undefined) continue;
        if ("kind" in event) return failed(event);
        seen = true;
        const step = call.reducer.step(state, event);
        state = step.state;
        shown ||= step.frames.length > 0;
        yield* step.frames;
        if (step.failure) return failed(step.failure);
        if (step.done) return finished({ kind: "cut" });
      }
      if (read.done === true) return finished({ kind: "cut" });
    }
  } catch (error) {
    if (call.signal.aborted) return failed({ kind: "aborted" });
    const failure = error instanceof WireFault ? error.failure : call.classify(error);
    return finished(seen && failure.kind === "network" ? { kind: "cut" } : failure);
  } finally {
    watch.stop();
    life.abort();
    if (body?.chunks.return) ignoreRejection(body.chunks.return());
  }
}

function interruption(why: "idle" | "aborted"): Failure {
  return { kind: why === "idle" ? "idle_timeout" : "aborted" };
}

function checkContentType({ contentType }: Body): Failure | undefined {
  if (contentType === undefined || contentType?.toLowerCase().includes("text/event-stream")) return undefined;
  return { kind: "protocol", code: contentType?.split(";")[0]?.trim().replace("/", ".") ?? "no_content_type" };
}

function parseEvent({ name, data }: SseEvent): WireEvent | Failure | undefined {
  if (data === "") return undefined;
  if (data.trim() === "[DONE]") return { name: "[DONE]", data: {} };
  try {
    return { name, data: asObject(JSON.parse(data)) };
  } catch {
    return { kind: "protocol", code: "malformed_event" };
  }
}
