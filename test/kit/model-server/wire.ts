import type { Complaints } from "./check-common.ts";
import type { Obj } from "./reading.ts";
import type { Answer, RefusalKind, Vendor } from "./replies.ts";

/** One event to send. An empty name means a line of data alone. */
export interface WireEvent {
  readonly name: string;
  readonly data: unknown;
}

export interface VendorWire {
  readonly vendor: Vendor;
  readonly paths: readonly string[];
  check(body: unknown, headers: Headers): Complaints;
  /** Reasoning blocks of the request that the vendor would drop without a word. */
  dropped(body: Obj): number;
  /** The events of an answer to a request. `turn` numbers the server's answers, for ids. */
  render(answer: Answer, body: Obj, turn: number): WireEvent[];
  /** Status and body of a refusal, and the event that says the same inside a stream. */
  refuse(kind: RefusalKind): { readonly status: number; readonly body: unknown };
  errorEvent(kind: RefusalKind): WireEvent;
  /** Events that no client knows. */
  readonly noise: readonly WireEvent[];
}

/** A text in up to three pieces, as vendors stream arguments. */
export function inPieces(text: string): string[] {
  const size = Math.max(1, Math.ceil(text.length / 3));
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += size) pieces.push(text.slice(at, at + size));
  return pieces;
}
