import type { ClockPort, Entry, HostRead, HostTx, StoragePort, Tool } from "../kernel/index.ts";
import type { Json } from "../lib/json.ts";
import type { Result } from "../lib/result.ts";
import type { OtherId, Tier } from "../people/facts.ts";
import type { HoldAudit } from "./audit/hold-audit.ts";
import type { CallProvider, HeldFile } from "./bound/bound-call.ts";
import type { HoldBase } from "./record/record.ts";
import type { HoldRules } from "./rule/hold-rule.ts";

/** A person as the directory knows them at this moment. */
export interface KnownPerson {
  readonly principalId: string;
  readonly name: string;
  readonly tier: Tier;
  readonly otherIds?: readonly OtherId[];
}

/** A card whose deadline is an hour away, as far as it says whom to remind. */
export type RemindedHold = Pick<HoldBase, "id" | "tool" | "speaker" | "approvers" | "approval">;

/** A choice that is judged. What `about` says is data. */
export interface MessageQuestion {
  readonly kind: "choice";
  readonly ask: string;
  readonly about: Json;
  readonly choices: readonly string[];
}

/** How calls are put before people where no card can be shown. */
export interface CallListing {
  /** What a message means. An error is a sentence, and no answer. May not throw. */
  judge(
    question: MessageQuestion,
    signal: AbortSignal,
  ): Promise<Result<{ readonly choice: string; readonly confidence: number }, string>>;
  /** From 0 to 1: a judgement below counts for nothing. */
  readonly minConfidence: number;
  /** A call began to wait that no reply of a turn will list, in the commit that makes it so. */
  unlisted(tx: HostTx): void;
}

/** What holds need from the conversation around them. */
export interface HoldsHost {
  /** Channel key. */
  readonly conversation: string;
  readonly visibility: "private" | "shared";
  /** Set where no card is ever opened: told to the model instead. */
  readonly nobodyToAsk?: string;
  /** Set where no card can be shown: calls that wait are listed in messages, and a message may answer them. */
  readonly listing?: CallListing;
  readonly rules: HoldRules;
  readonly clock: ClockPort;
  ulid(): string;
  providerOf(tool: string): CallProvider;
  /** Who is offered the tool: nobody below may approve a call of it either. */
  tierOf(tool: string): Tier;
  /** The tool as registered now. */
  tool(name: string): Tool | undefined;
  /**
   * The person, read through; undefined when they may not act any more.
   * @throws when the directory cannot be read.
   */
  person(principalId: string): Promise<KnownPerson | undefined>;
  /** Whether somebody may be here at this instant: by the conversation's own row, and the tier that is known of them. */
  isHere(person: KnownPerson): boolean;
  /** Whether the conversation is open to a principal by itself: the private one's own, a member of the shared one. */
  isMember(principalId: string): boolean;
  /**
   * Whom a turn runs for; undefined when they may not act any more. `fresh`: read through, else some seconds old.
   * @throws when the directory cannot be read.
   */
  speaker(
    turn: { readonly actor: string; readonly meta: Json },
    how: { readonly fresh: boolean },
  ): Promise<Pick<KnownPerson, "tier"> | undefined>;
  /**
   * A file of the conversation by its id, its bytes hashed as they are stored now.
   * @throws when their store cannot be reached.
   */
  file(id: string): Promise<HeldFile | "missing" | "too_large">;
  /** Committed state. */
  read(): HostRead;
  commit(builder: (tx: HostTx) => void): void;
  /** A stored entry, also inside a commit. */
  entry(id: number): Entry | undefined;
  /** The object's storage, for the audit's own tables. */
  readonly storage: StoragePort;
  /** Something happened to a hold, in the commit that did it: lists and copies are to be told. */
  changed(tx: HostTx): void;
  /** A card reminds of its deadline, in the commit that notes it. Absent: nobody is told beside the conversation. */
  reminded?(tx: HostTx, hold: RemindedHold): void;
  /** The running turn's generation task; 0 when none runs. */
  turn(): number;
  report(event: string, facts: { readonly [key: string]: string | number }): void;
}

/** The host as the rooms of holds use it: with the audit that every change of a hold is told in. */
export interface AuditedHost extends HoldsHost {
  readonly audit: HoldAudit;
}
