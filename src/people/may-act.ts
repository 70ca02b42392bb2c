import { unreachable } from "../lib/assert.ts";
import type { ErrorCode } from "../protocol/frames.ts";
import { type ConversationNow, type PersonFacts, type Tier, tierAtLeast } from "./facts.ts";
import { type ByIds, isSame } from "./other-ids.ts";

/** What a person may want to do with a conversation. */
export const ACTIONS = [
  "create",
  /** Opens a shared conversation. */
  "share",
  "read",
  "send",
  "stop",
  "withdraw",
  "continue",
  "decide",
  "settings",
  /** Sets or takes away standing constraints on calls to come. */
  "policy",
  "files",
  "export",
  "fork",
  "delete",
  /** Changes what stands: summarise, start afresh, go back, pin, stop a task. */
  "rewrite",
  /** Reads what was decided about calls. */
  "audit",
  /** Looks into what was sent to models or left behind. */
  "inspect",
  /** Takes others into a shared conversation, or out of it. */
  "members",
  /** Goes out of a shared conversation oneself. */
  "leave",
] as const;
export type Action = (typeof ACTIONS)[number];

/** A refusal that the person may read. */
export interface Refused {
  readonly code: ErrorCode;
  readonly message: string;
  /** The person may be here all the same, only not do this. */
  readonly mayStay?: true;
  /** Seconds after which it may be tried again. */
  readonly retryAfterS?: number;
}

export type Verdict = { readonly ok: true } | { readonly ok: false; readonly error: Refused };

const ALLOWED: Verdict = { ok: true };
const NOT_FOUND = refuse("not_found", "There is no such conversation.");
const FOR_OWNERS = refuseHere("In a shared conversation only owners may do this.");
const FOR_SPEAKER = refuseHere("Only the person who said it and owners may do this.");
const SHARING = refuseHere("Only owners of this deployment open shared conversations.");

/** Whether a person may be here at all. Every action of {@link mayAct} needs it. */
export function mayEnter(person: PersonFacts | undefined, now: number): Verdict {
  if (person === undefined) return refuse("unauthenticated", "Sign in to go on.");
  if (person.sessionExpiresAt === undefined || person.sessionExpiresAt <= now) {
    return refuse("unauthenticated", "Your session has ended. Sign in again.");
  }
  if (person.disabled) return refuse("forbidden", "Your account is switched off. Ask an owner of this deployment.");
  if (!person.linked) return refuse("forbidden", "The way you signed in is no longer linked to you. Ask an owner.");
  if (!tierAtLeast(person.tier, "member")) {
    return refuse("forbidden", `This needs the tier member, and yours is ${person.tier}. Ask an owner.`);
  }
  return ALLOWED;
}

/**
 * The one authority check of every route, frame and press. Pure: whoever asks brings facts from the directory and from
 * the conversation's own row. A conversation that is hidden from the person is refused exactly as one that is not
 * there. Who may answer one particular card is ruled beside the cards; `decide` only opens the door to it.
 * @param conversation undefined when the object holds none.
 */
export function mayAct(
  person: PersonFacts | undefined,
  action: Action,
  conversation: ConversationNow | undefined,
  now: number,
): Verdict {
  const entry = mayEnter(person, now);
  if (!entry.ok || person === undefined) return entry;
  // Before anything is looked at: the answer must not tell whether the id stands for something.
  if (action === "share" && person.tier !== "owner") return SHARING;
  if (conversation === undefined) return action === "create" || action === "share" ? ALLOWED : NOT_FOUND;
  if (!isOpenTo(conversation, person)) return NOT_FOUND;
  return conversation.visibility === "private" ? ALLOWED : mayActInShared(person, action, conversation);
}

/** Whether a person of this tier is in a conversation: in a private one its principal, in a shared one members and owners. */
export function isOpenTo(
  { visibility, owner, members = [] }: ConversationNow,
  person: ByIds & { readonly tier: Tier },
): boolean {
  switch (visibility) {
    case "private":
      return isSame(person, owner);
    case "shared":
      return person.tier === "owner" || members.some((member) => isSame(person, member));
    default:
      return unreachable(visibility);
  }
}

/** For whom an action is in a shared conversation. Of whoever spoke: what they said, and owners. */
const IN_SHARED: Readonly<Record<Action, "members" | "speaker" | "owners">> = {
  create: "members",
  share: "owners",
  read: "members",
  send: "members",
  stop: "speaker",
  withdraw: "speaker",
  continue: "members",
  decide: "members",
  settings: "owners",
  policy: "owners",
  files: "members",
  export: "members",
  // What comes of it is the forker's own private conversation.
  fork: "members",
  delete: "owners",
  rewrite: "owners",
  audit: "owners",
  inspect: "owners",
  members: "owners",
  leave: "members",
};

function mayActInShared(person: PersonFacts, action: Action, { ofPrincipal }: ConversationNow): Verdict {
  const whose = IN_SHARED[action];
  if (person.tier === "owner" || whose === "members") return ALLOWED;
  if (whose === "owners") return FOR_OWNERS;
  return ofPrincipal === null || isSame(person, ofPrincipal) ? ALLOWED : FOR_SPEAKER;
}

function refuse(code: ErrorCode, message: string): Verdict {
  return { ok: false, error: { code, message } };
}

/** A refusal of one thing to somebody who may be here. */
function refuseHere(message: string): Verdict {
  return { ok: false, error: { code: "forbidden", message, mayStay: true } };
}
