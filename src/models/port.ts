import type { ModelFrame, ModelPort, ModelRequest } from "../kernel/ports/model.ts";
import type { ClockPort } from "../kernel/ports/ports.ts";
import type { ModelConfig, ProviderConfig } from "../protocol/config.ts";
import { unlessAborted } from "./abort.ts";
import { type Failure, type Names, toModelError } from "./failure.ts";
import { type FileContents, type LoadFile, loadFiles } from "./files/load.ts";
import { type Body, guard, type StreamReducer } from "./guard.ts";
import { DEFAULT_IDLE, type IdleLimits, THINKING_IDLE } from "./idle.ts";
import { priceUsage } from "./usage.ts";

/** One configured model of one provider, with its key. */
export interface Target {
  /** Name of the provider in the configuration. */
  readonly provider: string;
  readonly config: Omit<ProviderConfig, "models">;
  readonly model: ModelConfig;
  readonly key: string | undefined;
}

/** What providers need from outside. */
export interface Deps {
  readonly clock: ClockPort;
  readonly fetch: typeof fetch;
  readonly loadFile: LoadFile;
  /** Overrides the limits of silence. */
  readonly idle?: IdleLimits;
}

/** What the encoder is given beside the request. */
export interface EncodeInput {
  readonly files: FileContents;
  /** False once the vendor refused kept reasoning. */
  readonly replay: boolean;
}

/** One vendor's wire. Everything but `open` is pure. */
export interface Wire<B, S> {
  encode(request: ModelRequest, input: EncodeInput): B;
  /** Sends the body. Throws what its client throws. */
  open(body: B, signal: AbortSignal): Promise<Body>;
  reducer(request: ModelRequest): StreamReducer<S>;
  classify(thrown: unknown, nowMs: number): Failure;
}

/** The model port over one wire. */
export function createPort<B, S>(wire: Wire<B, S>, target: Target, deps: Deps): ModelPort {
  return { stream: (request, signal) => run(wire, target, deps, request, signal) };
}

async function* run<B, S>(
  wire: Wire<B, S>,
  target: Target,
  deps: Deps,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelFrame, void> {
  const { keyFrom } = target.config;
  const names: Names = { model: request.model, ...(keyFrom === undefined ? {} : { keyFrom }) };
  if (keyFrom !== undefined && target.key === undefined) {
    yield { type: "error", error: toModelError({ kind: "auth", noKey: true }, names) };
    return;
  }
  try {
    let allowed = { reasoning: true, images: target.model.images };
    for (;;) {
      const files = await unlessAborted(loadFiles(request.messages, allowed.images, deps.loadFile), signal);
      if (files === "aborted" || signal.aborted) break;
      const body = wire.encode(withinLimit(request, target.model), { files, replay: allowed.reasoning });
      const outcome = yield* guard({
        open: (until) => wire.open(body, until),
        reducer: wire.reducer(request),
        classify: (thrown) => wire.classify(thrown, deps.clock.now()),
        clock: deps.clock,
        idle: deps.idle ?? idleFor(target.model, request),
        signal,
      });
      const usage = outcome.counts && priceUsage(outcome.counts, target.model.price);
      if (outcome.type === "end") {
        yield { type: "end", message: outcome.message, usage: usage ?? priceUsage(NOTHING_COUNTED, undefined) };
        return;
      }
      const { refused } = outcome.failure;
      // A vendor that refuses kept reasoning or an image would refuse every later request too: once without it.
      if (refused === undefined || !allowed[refused] || outcome.shown) {
        yield { type: "error", error: toModelError(outcome.failure, names, usage) };
        return;
      }
      allowed = { ...allowed, [refused]: false };
    }
    yield { type: "error", error: toModelError({ kind: "aborted" }, names) };
  } catch (error) {
    yield { type: "error", error: toModelError(bug(error), names) };
  }
}

/** A request that asks for more than the model gives would be refused. */
function withinLimit(request: ModelRequest, { maxOutputTokens: most }: ModelConfig): ModelRequest {
  return { ...request, maxOutputTokens: Math.min(request.maxOutputTokens ?? most, most) };
}

const NOTHING_COUNTED = { input: 0, output: 0, cachedRead: 0, cachedWrite: 0 };

function idleFor(model: ModelConfig, request: ModelRequest): IdleLimits {
  return model.thinking && request.thinking !== "off" ? THINKING_IDLE : DEFAULT_IDLE;
}

/** The port never throws, so a mistake of ours becomes a failed call. Its text may quote the request: only its class is told. */
function bug(error: unknown): Failure {
  const name = error instanceof Error ? error.name : typeof error;
  return { kind: "protocol", code: name, remedy: "This is a fault of the server's own code: please report it." };
}
