import type { Constraints } from "../../holds/index.ts";
import type { ForkPage, ForkPageRequest } from "../../kernel/index.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { Caller, OnBehalf, Origin } from "../../people/facts.ts";
import type { Answer } from "../answer.ts";

/** A page of what a fork begins with. */
export interface ForkPageAnswer {
  readonly page: ForkPage;
  /** Only with the first: what the conversation is called and set to now. */
  readonly chat?: JsonObject;
  /** Only with the first: what stands there about calls to come. */
  readonly constraints?: Constraints;
}

/** What a Conversation object does about forks: the first is the Worker's to ask, the others another object's. */
export interface ForkRpc {
  /**
   * Creates the conversation `key` for the caller as a fork, or finds it made already. Something else under this key:
   * `conflict`; an origin that is not to be had: its refusal.
   */
  fork(caller: Caller, key: string, origin: Origin): Answer<{ readonly created: boolean }>;
  /** Whether this conversation can be forked at an entry for a principal. */
  forkable(caller: OnBehalf, at: number): Answer<Record<string, never>>;
  /** A page for a fork that this principal owns. */
  forkPage(caller: OnBehalf, request: ForkPageRequest): Answer<ForkPageAnswer>;
}
