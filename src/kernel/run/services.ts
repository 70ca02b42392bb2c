import type { Json } from "../../lib/json.ts";
import type { Usage } from "../../protocol/message.ts";
import type { ThinkingLevel } from "../../protocol/view.ts";
import type { Store } from "../commit/store.ts";
import type { ActiveRange } from "../context/active-range.ts";
import type { Till } from "../meter/till.ts";
import type { KernelPorts } from "../ports/ports.ts";
import type { HostRead } from "../registry/host-tx.ts";
import type { Registry } from "../registry/registry.ts";
import type { Tool } from "../registry/tool.ts";
import type { Kinds } from "./kinds.ts";
import type { LiveTexts } from "./live-texts.ts";

/** What a turn runs with, decided by the host when a step begins. */
export interface TurnSettings {
  /** `<provider>/<model>`; null: none is configured and the turn fails saying so. */
  readonly model: string | null;
  readonly thinking: ThinkingLevel;
  /** Set when the turn may not run at all: it fails with this sentence. */
  readonly refusal?: string;
  /** Set when the turn is passed over with this sentence before it has begun: whoever is next in line begins. */
  readonly skip?: string;
  /** Tokens of the model's window, answer included; absent: unknown, so nothing is summarised before the vendor refuses. */
  readonly contextTokens?: number;
  /** Whether this speaker may be offered a tool. */
  offers(tool: Tool): boolean;
}

/** Decisions that the kernel leaves to its host. */
export interface KernelHost {
  /** Prefix of idempotency keys, unique for this conversation anywhere. */
  readonly name: string;
  /** May throw: the turn then sleeps and tries again within its limits. */
  settings(
    speaker: { readonly actor: string; readonly meta: Json },
    read: HostRead,
  ): Promise<TurnSettings> | TurnSettings;
}

/** What the parts of a running kernel share. */
export interface Services {
  readonly ports: KernelPorts;
  readonly registry: Registry;
  readonly kinds: Kinds;
  readonly host: KernelHost;
  readonly store: Store;
  readonly active: ActiveRange;
  readonly live: LiveTexts;
  /** Counts calls to the outside since the current event began. */
  readonly calls: { count: number };
  /** What requests cost that ended after their task was stopped, by task. */
  readonly lateUsage: Map<number, Usage>;
  /** Undefined: nobody counts what is spent. */
  readonly till: Till | undefined;
}
