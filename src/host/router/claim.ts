import type { Tier } from "../../people/facts.ts";
import type { Channel } from "./channel.ts";

/** A message on its way in, as far as a claim may judge it. */
export interface Arrival {
  readonly channel: Channel;
  /** A server that the channel belongs to; absent in direct messages. */
  readonly space?: string;
  /** Resolved by the host, never by the surface; absent: it comes from nobody we know. */
  readonly speaker?: { readonly principalId: string; readonly tier: Tier };
  readonly isBot: boolean;
  readonly text: string;
  readonly files: number;
}

/** What a claim decides about a message of a channel that it owns. */
export type Admission =
  /** A turn. `queue` never joins a running turn; absent: it joins the running turn of its own speaker. */
  | { readonly kind: "turn"; readonly mode?: "queue" }
  /** A turn that nobody waits for, at this tier or the author's, whichever is lower. */
  | { readonly kind: "background"; readonly target: string; readonly tier: Tier; readonly prompt: string }
  /** Nothing runs. The reason is told to whoever sent it. */
  | { readonly kind: "drop"; readonly reason: string };

/** What became of a background turn that did not run to its end. */
export interface Unanswered {
  readonly outcome: "skipped" | "failed";
  readonly reason: string;
}

/** Says whose channels are whose. Pure: decides from what it is given, at once, and keeps nothing. */
export interface Claim {
  readonly name: string;
  /** Prefix of the one surface whose channels it may own: an equal id on another surface is never its own. */
  readonly surface: string;
  /** Higher ones are asked first, equal ones in plugin order. Default 0. */
  readonly priority?: number;
  /** @param space absent in direct messages, and where only the channel is known. */
  owns(channel: Channel, space?: string): boolean;
  admit(arrival: Arrival): Admission;
  /** What people read in place of an answer that a background turn did not come to. Default: the reason. */
  unanswered?(outcome: Unanswered): string;
}
