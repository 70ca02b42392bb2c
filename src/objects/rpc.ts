import type { JsonObject } from "../lib/json.ts";
import type { Caller } from "../people/facts.ts";
import type { ChainPage } from "../protocol/audit.ts";
import type { CardChoices } from "../protocol/cards.ts";
import type {
  AnswerBody,
  CardAction,
  DecideBody,
  DecideManyBody,
  DecisionOutcome,
  ReceiptStatus,
  SendBody,
} from "../protocol/frames.ts";
import type { FileRef } from "../protocol/message.ts";
import type { ConstraintBody, PinBody, ReplayAnswer, SentRequest, SettingsBody, Visibility } from "../protocol/rest.ts";
import type { ViewEntry } from "../protocol/view.ts";
import type { Standing } from "../surfaces/webchat/chat-port.ts";
import type { Answer } from "./answer.ts";
import type { ChildRpc } from "./child/child-rpc.ts";
import type { BackgroundRpc } from "./desk/background-desk.ts";
import type { SayRpc } from "./desk/say-desk.ts";
import type { ForgetRpc } from "./erasure/erasure-rpc.ts";
import type { ForkRpc } from "./fork/fork-rpc.ts";
import type { RoomMergeRpc } from "./room/room-rpc.ts";
import type { SurfaceRpc } from "./surface/surface-rpc.ts";
import type { TransferRpc } from "./transfer/transfer-rpc.ts";

export type { Answer, Refusal } from "./answer.ts";

export interface SubmitReceipt {
  readonly id: string;
  readonly input: string;
  readonly status: ReceiptStatus;
}

export interface SnapshotAnswer extends Standing {
  /** What the caller may do with the cards. */
  readonly choices: readonly CardChoices[];
}

export interface PageAnswer {
  readonly entries: readonly ViewEntry[];
  readonly earlier: boolean;
}

/** Who is in a shared conversation, the first one first. */
export interface MembersAnswer {
  readonly members: readonly { readonly principalId: string; readonly addedBy: string; readonly addedAt: number }[];
}

/**
 * What the Worker may ask of a Conversation object. Every method checks the caller against the directory and the
 * object's own row by `mayAct`; nothing a client said is trusted. A method never throws for what a person did.
 */
export interface ConversationRpc {
  /**
   * Creates the conversation `key` for the caller, or finds it theirs already. Somebody else's: `not_found`. What it is
   * then, private or shared, it stays: asking for the other is a `conflict`. @param visibility default `private`.
   */
  create(caller: Caller, key: string, visibility?: Visibility): Answer<{ readonly created: boolean }>;
  /** Who is in a shared conversation. */
  members(caller: Caller): Answer<MembersAnswer>;
  /** Takes a person in. Whoever is in it already stays. */
  addMember(caller: Caller, person: string): Answer<Record<string, never>>;
  /** Takes a person out, oneself too. Whoever is not in it stays out. */
  removeMember(caller: Caller, person: string): Answer<Record<string, never>>;
  submit(caller: Caller, body: SendBody): Answer<SubmitReceipt>;
  withdraw(caller: Caller, input: string): Answer<Record<string, never>>;
  stop(caller: Caller): Answer<{ readonly stopped: boolean }>;
  /** Starts a turn for inputs that stayed queued after a failed one. */
  resumeQueue(caller: Caller): Answer<{ readonly started: boolean }>;
  decide(caller: Caller, body: DecideBody): Answer<Record<string, never>>;
  /** Decides each card of a list in its own right. */
  decideMany(caller: Caller, body: DecideManyBody): Answer<{ readonly outcomes: readonly DecisionOutcome[] }>;
  /** Asks a card again, extends it or hands it over. */
  actOnCard(caller: Caller, hold: string, action: CardAction): Answer<Record<string, never>>;
  /** Answers what a plugin asked. */
  answer(caller: Caller, body: AnswerBody): Answer<Record<string, never>>;
  snapshot(caller: Caller): Answer<SnapshotAnswer>;
  /** Entries before an id (absent: the newest), oldest first. `limit` 1..100. */
  entries(caller: Caller, page: { readonly before?: number; readonly limit: number }): Answer<PageAnswer>;
  /** One entry, whole. */
  entry(caller: Caller, id: number): Answer<ViewEntry>;
  settings(caller: Caller, body: SettingsBody): Answer<Record<string, never>>;
  /** Sets a standing constraint. The same again changes nothing. */
  constrain(caller: Caller, body: ConstraintBody): Answer<Record<string, never>>;
  /** Takes a standing constraint away. */
  unconstrain(caller: Caller, id: string): Answer<Record<string, never>>;
  /** Takes back what was allowed in advance, by the hold that it was saved with. */
  revoke(caller: Caller, id: string): Answer<Record<string, never>>;
  /** Full text of one argument of a card, by hold id and argument name. */
  holdArgument(caller: Caller, hold: string, name: string): Answer<{ readonly value: string }>;
  /** Checks that the caller may upload, and registers the file before its bytes are stored. */
  addFile(caller: Caller, file: FileRef): Answer<Record<string, never>>;
  /** Takes a file back whose bytes could not be stored. One that is not there is none. */
  removeFile(caller: Caller, id: string): Answer<Record<string, never>>;
  /** Finds a file of this conversation for reading. */
  file(caller: Caller, id: string): Answer<FileRef>;
  /** Begins the transcript anew. `queued`: when the running turn is between its steps. */
  reset(caller: Caller): Answer<{ readonly status: "placed" | "queued" }>;
  /** Goes back to an entry, 0: to the start. */
  rewind(caller: Caller, to: number): Answer<Record<string, never>>;
  pin(caller: Caller, body: PinBody): Answer<Record<string, never>>;
  /** What a rewind left behind, its first 200 entries. */
  left(caller: Caller, rewind: number): Answer<{ readonly entries: readonly ViewEntry[] }>;
  /** The audit's lines after a number, oldest first. `limit` 1..100. */
  audit(caller: Caller, page: { readonly after: number; readonly limit: number }): Answer<ChainPage>;
  /** Begins a summary of older messages. */
  compact(caller: Caller): Answer<{ readonly started: true }>;
  /** What was sent for an answer. */
  sentRequest(caller: Caller, entry: number): Answer<SentRequest>;
  /** Sends that request to a model of the deployment; takes as long as the model does, 2 minutes at most. */
  replay(caller: Caller, entry: number, model: string): Answer<ReplayAnswer>;
  /** Stops a task that belongs to no turn. */
  stopTask(caller: Caller, task: number): Answer<{ readonly stopped: boolean }>;
  /** Deletes everything in the object: transcript, alarms, sockets. Files in R2 and the D1 row go through the Worker. */
  destroy(caller: Caller): Answer<{ readonly files: readonly string[] }>;
  /** The transcript as data for an export, a page at a time. */
  exportPage(
    caller: Caller,
    after: number,
  ): Answer<{ readonly entries: readonly JsonObject[]; readonly next?: number }>;
}

/** Everything that a Conversation object answers to. */
export interface ObjectRpc
  extends ConversationRpc,
    ForkRpc,
    TransferRpc,
    ChildRpc,
    BackgroundRpc,
    SayRpc,
    SurfaceRpc,
    ForgetRpc,
    RoomMergeRpc {}

/** Headers that carry the caller from the Worker to the object on a socket upgrade. The Worker strips a client's own. */
export const CALLER_HEADER = "x-althing-caller";
export const KEY_HEADER = "x-althing-key";
