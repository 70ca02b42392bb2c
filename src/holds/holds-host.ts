import type { ClockPort, Entry, HostRead, HostTx, Tool } from "../kernel/index.ts";
import type { Tier } from "../people/facts.ts";
import type { CallProvider } from "./bound-call.ts";
import type { HoldRules } from "./hold-rule.ts";

/** A person as the directory knows them at this moment. */
export interface KnownPerson {
  readonly principalId: string;
  readonly name: string;
  readonly tier: Tier;
}

/** What holds need from the conversation around them. */
export interface HoldsHost {
  /** Channel key. */
  readonly conversation: string;
  readonly visibility: "private" | "shared";
  /** Set where no card is ever opened: told to the model instead. */
  readonly nobodyToAsk?: string;
  readonly rules: HoldRules;
  readonly clock: ClockPort;
  ulid(): string;
  providerOf(tool: string): CallProvider;
  /** The tool as registered now. */
  tool(name: string): Tool | undefined;
  /**
   * The person, read through; undefined when they may not act any more.
   * @throws when the directory cannot be read.
   */
  person(principalId: string): Promise<KnownPerson | undefined>;
  /** Committed state. */
  read(): HostRead;
  commit(builder: (tx: HostTx) => void): void;
  /** A stored entry, also inside a commit. */
  entry(id: number): Entry | undefined;
  /** A card was opened, in the commit that opened it. */
  opened(tx: HostTx): void;
  /** The running turn's generation task; 0 when none runs. */
  turn(): number;
  report(event: string, facts: { readonly [key: string]: string | number }): void;
}
