import type { DeliveryOutcome } from "../../kernel/index.ts";
import type { FileRef } from "../../protocol/message.ts";

/** Ends what it began. A second call does nothing. */
export type End = () => void;

/** Something for people in a channel. The same key twice is shown once. */
export interface Outgoing {
  readonly key: string;
  /** Channel key. */
  readonly channel: string;
  readonly text: string;
  readonly files: readonly FileRef[];
}

/** What happens in a turn, for whoever watches. Never thinking, never whole arguments. */
export type ProgressLine =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "tool"; readonly tool: string; readonly state: "started" | "done" | "failed" };

/** Shows cards and questions. What is pressed comes back as a decision or an answer, whenever that is. */
export interface Prompts {
  confirm(channel: string, hold: string): Promise<DeliveryOutcome>;
  ask(channel: string, question: string): Promise<DeliveryOutcome>;
}

/** A network whose clients follow the conversation itself: they fold its view, so nothing is sent to them. */
export interface ViewSurface {
  readonly kind: "view";
  /** Prefix of its channel keys. */
  readonly surface: string;
}

/** A network that is sent messages. Keeps no state in memory that a restart would miss. */
export interface MessageSurface {
  readonly kind: "messages";
  /** Prefix of its channel keys. */
  readonly surface: string;
  /** Absent: what has files is refused, not sent without them. */
  readonly supportsFiles?: true;
  sendReply(reply: Outgoing): Promise<DeliveryOutcome>;
  sendNotice(notice: Outgoing): Promise<DeliveryOutcome>;
  startTyping?(channel: string): End;
  showStop?(channel: string): End;
  progress?(channel: string, line: ProgressLine): Promise<void>;
  react?(channel: string, message: string, emoji: string): Promise<void>;
  unreact?(channel: string, message: string, emoji: string): Promise<void>;
  /** Absent: calls that need a person stay held until a message decides about them. */
  readonly prompts?: Prompts;
}

/** A chat network, as the host knows it. */
export type ChatSurface = ViewSurface | MessageSurface;
