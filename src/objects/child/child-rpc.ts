import type { Constraints } from "../../holds/index.ts";
import type { ChildInput, ChildLook, ChildProgress, ChildReport } from "../../kernel/index.ts";
import type { Answer } from "../answer.ts";

/** An owned conversation as its owner names it. */
export interface ChildRef {
  /** Channel key of the owner. */
  readonly parent: string;
  readonly task: number;
}

/** What an owned conversation is made of. */
export interface ChildOrder extends ChildRef {
  /** The principal that both belong to. */
  readonly owner: string;
  /** How many conversations own one another above it, itself included. */
  readonly depth: number;
  readonly child: ChildInput;
  /** Names of tools that are switched off in the owner's conversation, and so here. */
  readonly toolsOff: readonly string[];
  /** What stands in the owner's conversation about calls to come, and so here. */
  readonly constraints: Constraints;
}

type Nothing = Record<string, never>;

/** What the objects of an owner and of an owned conversation tell each other. All of it may come again. */
export interface ChildRpc {
  /** To the owned one: be there, and have this message. Refusals are final, except `unavailable`. */
  beginChild(order: ChildOrder): Answer<Nothing>;
  /** To the owned one: nobody needs it any more. */
  endChild(ref: ChildRef): Answer<Nothing>;
  /** To the owned one: how does it stand? */
  lookChild(ref: ChildRef): Answer<ChildLook>;
  /** To the owner: does somebody still wait for the conversation of this task? */
  childWanted(task: number): Answer<{ readonly wanted: boolean }>;
  /** To the owner: this is the result. Answered once it is stored, or nobody waits for it. */
  childSettled(task: number, report: ChildReport): Answer<Nothing>;
  /** To the owner: this is where it stands. */
  childProgress(task: number, progress: ChildProgress): Answer<Nothing>;
}

/** Key of the conversation that a task owns. */
export function childKeyOf({ parent, task }: ChildRef): string {
  return `sub:${parent}:${task}`;
}
