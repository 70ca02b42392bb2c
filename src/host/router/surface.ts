import type { DeliveryOutcome } from "../../kernel/index.ts";
import type { HoldCard } from "../../protocol/cards.ts";
import type { FileRef } from "../../protocol/message.ts";
import type { QuestionCard } from "../../protocol/questions.ts";

/** Ends what it began. A second call does nothing. */
export type End = () => void;

/** A file on its way out. */
export interface OutgoingFile extends FileRef {
  /** Null: it is not there any more. */
  read(): Promise<ArrayBuffer | null>;
}

/** A file on its way in. Nothing of it is believed: it is kept as uploads are. */
export interface IncomingFile {
  readonly name: string;
  /** What the network says that it is. */
  readonly mime: string | null;
  /** How long the network says that it is. */
  readonly bytes: number;
  /** Null: it is not there any more. */
  read(): Promise<ArrayBuffer | null>;
}

/** Something for people in a channel. The same key twice is shown once. */
export interface Outgoing {
  readonly key: string;
  /** Channel key. */
  readonly channel: string;
  readonly text: string;
  readonly files: readonly OutgoingFile[];
}

/** What became of something sent. `id`: what the network calls it; `at`: when it was shown, ms by the network's clock. */
export type Sending =
  | { readonly status: "sent"; readonly id: string; readonly at: number }
  | Exclude<DeliveryOutcome, { readonly status: "sent" }>;

/** What happens in a turn, for whoever watches. Never thinking, never whole arguments. */
export type ProgressLine =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "tool"; readonly tool: string; readonly state: "started" | "done" | "failed" };

/** A card or question on its way out. The same key twice is shown once. */
export interface OutgoingPrompt<C> {
  readonly key: string;
  /** Channel key. */
  readonly channel: string;
  /** What it shows; a decision repeats its `hold` and `digest`, an answer its `prompt`. */
  readonly card: C;
}

/** Says that something is over that was asked. The same key twice changes nothing more. */
export interface Closing {
  readonly key: string;
  /** Channel key. */
  readonly channel: string;
  /** What the network calls the message that asks. */
  readonly message: string;
  /** What became of it. */
  readonly text: string;
}

/** Shows cards and questions. What is pressed comes back as a decision or an answer, whenever that is. */
export interface SurfacePrompts {
  confirm(prompt: OutgoingPrompt<HoldCard>): Promise<Sending>;
  ask(prompt: OutgoingPrompt<QuestionCard>): Promise<Sending>;
  /** From now on it asks nothing, and takes no answer. */
  close(closing: Closing): Promise<Sending>;
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
  /** Ends typing and the stop control of its channel, too: who began them may be dead. */
  sendReply(reply: Outgoing): Promise<Sending>;
  sendNotice(notice: Outgoing): Promise<Sending>;
  startTyping?(channel: string): End;
  showStop?(channel: string): End;
  progress?(channel: string, line: ProgressLine): Promise<void>;
  react?(channel: string, message: string, emoji: string): Promise<void>;
  unreact?(channel: string, message: string, emoji: string): Promise<void>;
  /** Absent: calls that need a person are listed below replies, until a message decides about them. */
  readonly prompts?: SurfacePrompts;
}

/** A chat network, as the host knows it. */
export type ChatSurface = ViewSurface | MessageSurface;
