import type { Delivered, IncomingFile } from "../../host/index.ts";
import type { AdmissionReceipt } from "../../kernel/index.ts";
import type { DecideBody, GivenAnswer } from "../../protocol/frames.ts";
import type { Answer } from "../answer.ts";

/** A message that a network brings. Whom it is from is looked up; nothing that it says of them counts. */
export interface SurfaceMessage extends Omit<Delivered, "files"> {
  /** What the network calls it: brought again, it is the same message. */
  readonly id: string;
  /** `<provider>:<subject>` of whoever wrote it. */
  readonly identity: string;
  /** Nobody but its writer reads the channel. */
  readonly isDirect: boolean;
  /** When it was written, ms by the network's clock. */
  readonly sentAt: number;
  /** In the network's order; absent: none. */
  readonly files?: readonly IncomingFile[];
}

/** Somebody who does something on a network: known by an identity that the network proved. */
export interface Contact {
  readonly identity: string;
}

/** What a network asks of a conversation. Nobody but the Worker's own adapters reaches this. */
export interface SurfaceRpc {
  /** Takes a message in, or says why not. Makes the conversation of its channel, where there is none. */
  hear(message: SurfaceMessage): Answer<AdmissionReceipt>;
  press(
    contact: Contact,
    body: Pick<DecideBody, "hold" | "digest" | "decision" | "note">,
  ): Answer<Record<string, never>>;
  reply(
    contact: Contact,
    body: { readonly prompt: string; readonly answers: readonly (GivenAnswer | null)[] },
  ): Answer<Record<string, never>>;
  halt(contact: Contact): Answer<{ readonly stopped: boolean }>;
}
