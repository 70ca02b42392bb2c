import type { Result } from "../../lib/result.ts";
import type {
  AnswerBody,
  DecideBody,
  DecideManyBody,
  DecisionOutcome,
  ErrorCode,
  LiveText,
  ReceiptStatus,
  SendBody,
} from "../../protocol/frames.ts";
import type { View, ViewEntry } from "../../protocol/view.ts";

/** Who is at the other end of a socket, as the Worker resolved it at the upgrade. */
export interface ChatPerson {
  readonly principalId: string;
  readonly identity: string;
  readonly sessionHash: string;
}

export interface ChatRefusal {
  readonly code: ErrorCode;
  readonly message: string;
  /** The person may not be here at all any more: the socket is closed. */
  readonly barred?: true;
}

/** Who a socket's newer access token is, and until when. */
export interface Renewed extends ChatPerson {
  /** ms */
  readonly expiresAt: number;
}

/** Where a conversation stands at one instant. */
export interface Standing {
  readonly rev: number;
  readonly view: View;
  readonly live: readonly LiveText[];
}

type ChatAnswer<T> = Promise<Result<T, ChatRefusal>>;

/** What the web chat asks of a conversation's cards. */
export interface CardPort {
  decide(person: ChatPerson, body: DecideBody): ChatAnswer<unknown>;
  decideMany(person: ChatPerson, body: DecideManyBody): ChatAnswer<{ readonly outcomes: readonly DecisionOutcome[] }>;
}

/** What the web chat asks of its conversation. Each call checks anew whether the person may. */
export interface ChatPort {
  submit(person: ChatPerson, body: SendBody): ChatAnswer<{ id: string; input: string; status: ReceiptStatus }>;
  withdraw(person: ChatPerson, input: string): ChatAnswer<unknown>;
  stop(person: ChatPerson): ChatAnswer<unknown>;
  resumeQueue(person: ChatPerson): ChatAnswer<unknown>;
  readonly cards: CardPort;
  answer(person: ChatPerson, body: AnswerBody): ChatAnswer<unknown>;
  /** Proves a newer access token of the same person; linked identities are one person. */
  renew(person: ChatPerson, token: string): ChatAnswer<Renewed>;
  /** Hands over where the conversation stands; no commit and no delta falls between the taking and the handing over. */
  follow(person: ChatPerson, take: (standing: Standing) => void): ChatAnswer<unknown>;
  entries(
    person: ChatPerson,
    page: { readonly before?: number; readonly limit: number },
  ): ChatAnswer<{ entries: readonly ViewEntry[]; earlier: boolean }>;
}
