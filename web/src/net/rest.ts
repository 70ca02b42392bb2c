import { err, ok, type Result } from "../../../src/lib/result.ts";
import type { AuditPage } from "../../../src/protocol/audit.ts";
import type { AnswerBody, ErrorCode } from "../../../src/protocol/frames.ts";
import type { FileRef } from "../../../src/protocol/message.ts";
import type { Notice } from "../../../src/protocol/notices.ts";
import type { PeoplePage } from "../../../src/protocol/people.ts";
import type {
  ConstraintBody,
  ConversationSummary,
  ErrorBody,
  Me,
  MembersList,
  OwnersList,
  PinBody,
  ReplayAnswer,
  SentRequest,
  SettingsBody,
  Visibility,
} from "../../../src/protocol/rest.ts";
import type { Spending } from "../../../src/protocol/spending.ts";
import type { View, ViewEntry } from "../../../src/protocol/view.ts";
import type { WaitingCard } from "../../../src/protocol/waiting.ts";

/** A refusal in the server's words. `status` is undefined when the server could not be reached at all. */
export interface Refused {
  readonly status: number | undefined;
  readonly code: ErrorCode | "unreachable";
  readonly message: string;
}

export type Reply<T> = Promise<Result<T, Refused>>;

export interface ListPage {
  readonly conversations: readonly ConversationSummary[];
  readonly next?: string;
}

/** One call. Never throws: a server that cannot be reached is a refusal. */
export type Call = <T>(method: string, path: string, body?: unknown) => Reply<T>;

/** The REST calls of the page. None throws; every path segment from outside is encoded. */
export interface Rest {
  /** For parts that are loaded later and bring calls of their own. */
  readonly call: Call;
  me(): Reply<Me>;
  claim(code: string): Reply<unknown>;
  /** The providers that people can sign in with. */
  ways(): Reply<{ readonly providers: readonly SignInWay[] }>;
  /** Keeps the code of an invitation for the sign-in that follows. */
  bringInvitation(code: string): Reply<unknown>;
  signOut(everywhere: boolean): Reply<unknown>;
  notices(): Reply<{ readonly notices: readonly Notice[] }>;
  readNotices(ids: readonly string[]): Reply<unknown>;
  /** What the person spent. */
  spending(): Reply<Spending>;
  /** What everybody spent, for owners. */
  allSpending(): Reply<Omit<Spending, "reserved">>;
  /** Notes up to which revision a conversation was seen. */
  seen(id: string, rev: number): Reply<unknown>;
  conversations(before?: string): Reply<ListPage>;
  create(id: string, visibility?: Visibility): Reply<unknown>;
  /** Who is in a shared conversation. */
  members(id: string): Reply<MembersList>;
  addMember(id: string, person: string): Reply<unknown>;
  removeMember(id: string, person: string): Reply<unknown>;
  /** Everybody who was admitted, a page at a time; for owners. */
  people(before?: string): Reply<PeoplePage>;
  settings(id: string, body: SettingsBody): Reply<unknown>;
  remove(id: string): Reply<unknown>;
  entry(id: string, entry: number): Reply<ViewEntry>;
  holdArgument(id: string, hold: string, name: string): Reply<{ readonly value: string }>;
  /** Makes the call of a card that expired or changed anew. */
  askAgain(id: string, hold: string): Reply<unknown>;
  /** Gives a card time until an instant. */
  extend(id: string, hold: string, until: number): Reply<unknown>;
  /** Hands a card to an owner. */
  handOver(id: string, hold: string, to: string): Reply<unknown>;
  /** Whom it may be handed to. */
  owners(id: string): Reply<OwnersList>;
  /** Asks for a summary of older messages; `started` is false when one is being made already. */
  compact(id: string): Reply<{ readonly started: boolean }>;
  reset(id: string): Reply<{ readonly status: "placed" | "queued" }>;
  /** Makes a conversation under the UUID `fork` of everything up to entry `at`. */
  fork(id: string, fork: string, at: number): Reply<unknown>;
  pin(id: string, body: PinBody): Reply<unknown>;
  /** What a `core.rewind` entry left behind. */
  left(id: string, entry: number): Reply<{ readonly entries: readonly ViewEntry[] }>;
  /** What was sent for an answer. */
  sent(id: string, entry: number): Reply<SentRequest>;
  replay(id: string, entry: number, model: string): Reply<ReplayAnswer>;
  /** Sets a standing constraint under its UUID, or finds it set. */
  constrain(id: string, body: ConstraintBody): Reply<unknown>;
  unconstrain(id: string, constraint: string): Reply<unknown>;
  /** Takes back what was allowed in advance. */
  revoke(id: string, rule: string): Reply<unknown>;
  stopTask(id: string, task: number): Reply<unknown>;
  /** A conversation as it stands. */
  snapshot(id: string): Reply<{ readonly view: View }>;
  /** Answers a card of questions. */
  answer(id: string, body: AnswerBody): Reply<unknown>;
  /** The open cards and questions that this person may answer, in all conversations. */
  waiting(): Reply<{ readonly cards: readonly WaitingCard[]; readonly more: boolean }>;
  /** What was decided in all conversations, newest first; for owners. */
  audit(query: AuditQuestion): Reply<AuditPage>;
  /** Whether the conversation can be reached now: tells the page why a socket did not open. */
  probe(id: string): Reply<unknown>;
}

/** What a list of decisions is narrowed to, and the page. */
export interface AuditQuestion {
  readonly event?: string;
  readonly by?: string;
  readonly before?: string;
}

/** A provider that people can sign in with: a button, leading to `/auth/<name>/start`. */
export interface SignInWay {
  readonly name: string;
  readonly label: string;
}

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Entries of the list read at once. */
const LIST_LIMIT = 50;
/** People read at once, as many as the server gives. */
const PEOPLE_LIMIT = 100;

export function createRest(fetch: Fetch): Rest {
  const call: Call = async <T>(method: string, path: string, body?: unknown): Reply<T> => {
    const init: RequestInit = {
      method,
      credentials: "same-origin",
      ...(body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
    };
    let response: Response;
    try {
      response = await fetch(path, init);
    } catch {
      return err({ status: undefined, code: "unreachable", message: "The server cannot be reached." });
    }
    return readReply<T>(response);
  };
  const at = (id: string, rest = "") => `/api/v1/conversations/${encodeURIComponent(id)}${rest}`;
  return {
    call,
    ...ownCalls(call),
    ...policyCalls(call, at),
    seen: (id, rev) => call("POST", at(id, "/seen"), { rev }),
    conversations: (before) => {
      const cursor = before === undefined ? "" : `&before=${encodeURIComponent(before)}`;
      return call("GET", `/api/v1/conversations?limit=${LIST_LIMIT}${cursor}`);
    },
    create: (id, visibility) =>
      call("POST", "/api/v1/conversations", visibility === undefined ? { id } : { id, visibility }),
    ...memberCalls(call, at),
    settings: (id, body) => call("PATCH", at(id), body),
    remove: (id) => call("DELETE", at(id)),
    entry: (id, entry) => call("GET", at(id, `/entries/${entry}`)),
    holdArgument: (id, hold, name) =>
      call("GET", at(id, `/holds/${encodeURIComponent(hold)}/args/${encodeURIComponent(name)}`)),
    askAgain: (id, hold) => call("POST", at(id, `/holds/${encodeURIComponent(hold)}/ask-again`), {}),
    extend: (id, hold, until) => call("POST", at(id, `/holds/${encodeURIComponent(hold)}/extend`), { until }),
    handOver: (id, hold, to) => call("POST", at(id, `/holds/${encodeURIComponent(hold)}/hand-over`), { to }),
    owners: (id) => call("GET", at(id, "/owners")),
    compact: (id) => call("POST", at(id, "/compact"), {}),
    reset: (id) => call("POST", at(id, "/reset"), {}),
    fork: (id, fork, entry) => call("POST", at(id, "/fork"), { id: fork, at: entry }),
    pin: (id, body) => call("POST", at(id, "/pin"), body),
    left: (id, entry) => call("GET", at(id, `/left/${entry}`)),
    sent: (id, entry) => call("GET", at(id, `/entries/${entry}/request`)),
    replay: (id, entry, model) => call("POST", at(id, `/entries/${entry}/replay`), { model }),
    stopTask: (id, task) => call("POST", at(id, `/tasks/${task}/stop`), {}),
    snapshot: (id) => call("GET", at(id)),
    answer: (id, body) => call("POST", at(id, "/answers"), body),
    probe: (id) => call("GET", at(id, "/entries?limit=1")),
  };
}

type At = (id: string, rest?: string) => string;

/** What concerns the person and not one conversation. */
function ownCalls(
  call: Call,
): Pick<
  Rest,
  | "me"
  | "ways"
  | "claim"
  | "bringInvitation"
  | "signOut"
  | "notices"
  | "readNotices"
  | "spending"
  | "allSpending"
  | "waiting"
  | "audit"
> {
  return {
    me: () => call("GET", "/api/v1/me"),
    ways: () => call("GET", "/api/v1/sign-in"),
    claim: (code) => call("POST", "/auth/claim", { code }),
    bringInvitation: (code) => call("POST", "/auth/invitation", { code }),
    signOut: (everywhere) => call("POST", "/auth/signout", everywhere ? { everywhere } : {}),
    notices: () => call("GET", "/api/v1/me/notices"),
    readNotices: (ids) => call("POST", "/api/v1/me/notices/read", { ids }),
    spending: () => call("GET", "/api/v1/me/spending"),
    allSpending: () => call("GET", "/api/v1/spending"),
    waiting: () => call("GET", "/api/v1/waiting"),
    audit: (query) => call("GET", `/api/v1/audit?${new URLSearchParams({ ...query })}`),
  };
}

function policyCalls(call: Call, at: At): Pick<Rest, "constrain" | "unconstrain" | "revoke"> {
  return {
    constrain: (id, body) => call("POST", at(id, "/constraints"), body),
    unconstrain: (id, constraint) => call("POST", at(id, `/constraints/${encodeURIComponent(constraint)}/remove`), {}),
    revoke: (id, rule) => call("POST", at(id, `/allow-rules/${encodeURIComponent(rule)}/revoke`), {}),
  };
}

function memberCalls(call: Call, at: At): Pick<Rest, "members" | "addMember" | "removeMember" | "people"> {
  return {
    members: (id) => call("GET", at(id, "/members")),
    addMember: (id, person) => call("POST", at(id, "/members"), { person }),
    removeMember: (id, person) => call("POST", at(id, `/members/${encodeURIComponent(person)}/remove`), {}),
    people: (before) => {
      const cursor = before === undefined ? "" : `&before=${encodeURIComponent(before)}`;
      return call("GET", `/api/v1/people?limit=${PEOPLE_LIMIT}${cursor}`);
    },
  };
}

/** Where a stored file is read. */
export function filePath(conversation: string, file: FileRef): string {
  return `/api/v1/conversations/${encodeURIComponent(conversation)}/files/${encodeURIComponent(file.id)}`;
}

/** Where the transcript is exported. */
export function exportPath(conversation: string, format: "markdown" | "json" | "ndjson"): string {
  return `/api/v1/conversations/${encodeURIComponent(conversation)}/export?format=${format}`;
}

async function readReply<T>(response: Response): Reply<T> {
  const body = (await response.json().catch(() => undefined)) as unknown;
  if (response.ok) return ok(body as T);
  return err(readRefusal(response.status, body));
}

/** The refusal in an answer's body, or a plain sentence where the answer is not the server's own. */
export function readRefusal(status: number, body: unknown): Refused {
  const error = (body as Partial<ErrorBody> | undefined)?.error;
  if (typeof error?.code === "string" && typeof error.message === "string") {
    return { status, code: error.code, message: error.message };
  }
  return { status, code: "internal", message: `The server answered with status ${status}. Try again.` };
}
