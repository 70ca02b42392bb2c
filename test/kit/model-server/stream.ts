import type { Answer } from "./replies.ts";
import type { VendorWire, WireEvent } from "./wire.ts";

const encoder = new TextEncoder();

/** The bytes of an answer, with its faults. Throwing means that the socket closes. `gone` aborts when the client leaves. */
export async function* streamAnswer(
  answer: Answer,
  events: readonly WireEvent[],
  wire: VendorWire,
  gone: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for await (const event of withFaults(answer, withNoise(answer, events, wire), wire, gone)) {
    if (answer.delayMs !== undefined) await pause(answer.delayMs, gone);
    if (gone.aborted) return;
    yield* shred(event, answer.shredInto);
  }
}

function withNoise(answer: Answer, events: readonly WireEvent[], wire: VendorWire): readonly WireEvent[] {
  return answer.noise === undefined
    ? events
    : events.flatMap((event) => [event, ...wire.noise]).slice(0, -wire.noise.length);
}

async function* withFaults(
  answer: Answer,
  events: readonly WireEvent[],
  wire: VendorWire,
  gone: AbortSignal,
): AsyncGenerator<string> {
  const { fault } = answer;
  for (const event of fault === undefined ? events : events.slice(0, fault.after)) yield frame(event);
  switch (fault?.kind) {
    case undefined:
    case "silent_end":
      return;
    case "cut":
      throw new Error("the scripted socket closes");
    case "idle":
      await pause(Number.POSITIVE_INFINITY, gone);
      return;
    case "pings":
      while (!gone.aborted) {
        await pause(fault.everyMs, gone);
        yield ": still here\n\n";
      }
      return;
    case "error":
      yield frame(wire.errorEvent(fault.error));
      return;
    case "garbage":
      yield "data: {not json\n\n";
      return;
  }
}

function frame({ name, data }: WireEvent): string {
  const text = typeof data === "string" ? data : JSON.stringify(data);
  return `${name === "" ? "" : `event: ${name}\n`}data: ${text}\n\n`;
}

function* shred(text: string, size: number | undefined): Generator<Uint8Array> {
  const bytes = encoder.encode(text);
  for (let at = 0; at < bytes.length; at += size ?? bytes.length) yield bytes.slice(at, at + (size ?? bytes.length));
}

/** Waits, or returns at once when the client leaves. */
function pause(ms: number, gone: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (gone.aborted) return resolve();
    const timer = Number.isFinite(ms) ? setTimeout(resolve, ms) : undefined;
    gone.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
