import { unreachable } from "../lib/assert.ts";
import type { ErrorCode } from "../protocol/frames.ts";
import { type ConversationFacts, type PersonFacts, tierAtLeast } from "./facts.ts";

/** What a person may want to do with a conversation. */
export const ACTIONS = [
  "create",
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
  /** Looks into what was sent to models or left behind. */
  "inspect",
] as const;
export type Action = (typeof ACTIONS)[number];

/** A refusal that the person may read. */
export interface Refused {
  readonly code: ErrorCode;
  readonly message: string;
  /** The person may be here all the same, only not do this. */
  readonly mayStay?: true;
}

export type Verdict = { readonly ok: true } | { readonly ok: false; readonly error: Refused };

const ALLOWED: Verdict = { ok: true };
const NOT_FOUND = refuse("not_found", "There is no such conversation.");
const FOR_OWNERS: Verdict = {
  ok: false,
  error: { code: "forbidden", message: "In a shared conversation only owners may do this.", mayStay: true },
};

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
  conversation: ConversationFacts | undefined,
  now: number,
): Verdict {
  const entry = mayEnter(person, now);
  if (!entry.ok || person === undefined) return entry;
  if (conversation === undefined) return action === "create" ? ALLOWED : NOT_FOUND;
  switch (conversation.visibility) {
    case "private":
      return conversation.owner === person.principalId ? ALLOWED : NOT_FOUND;
    case "shared":
      return mayActInShared(person, action);
    default:
      return unreachable(conversation.visibility);
  }
}

function mayActInShared(person: PersonFacts, action: Action): Verdict {
  switch (action) {
    case "create":
    case "read":
    case "send":
    case "continue":
    case "decide":
    case "files":
    case "export":
    // What comes of it is the forker's own private conversation.
    case "fork":
      return ALLOWED;
    // These facts do not say whose input it is, so only an owner is sure to be allowed.
    case "stop":
    case "withdraw":
    case "settings":
    case "policy":
    case "delete":
    case "rewrite":
    case "inspect":
      return tierAtLeast(person.tier, "owner") ? ALLOWED : FOR_OWNERS;
    default:
      return unreachable(action);
  }
}

function refuse(code: ErrorCode, message: string): Verdict {
  return { ok: false, error: { code, message } };
}
