import type { Json } from "../../lib/json.ts";
import type { ThinkingLevel } from "../../protocol/view.ts";
import type { Store } from "../commit/store.ts";
import type { ActiveRange } from "../context/active-range.ts";
import type { KernelPorts } from "../ports/ports.ts";
import type { HostRead } from "../registry/host-tx.ts";
import type { Registry } from "../registry/registry.ts";
import type { Tool } from "../registry/tool.ts";
import type { LiveTexts } from "./live-texts.ts";

/** What a turn runs with, decided by the host when a step begins. */
export interface TurnSettings {
  /** `<provider>/<model>`; null: none is configured and the turn fails saying so. */
  readonly model: string | null;
  readonly thinking: ThinkingLevel;
  /** Set when the turn may not run at all: it fails with this sentence. */
  readonly refusal?: string;
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
  readonly host: KernelHost;
  readonly store: Store;
  readonly active: ActiveRange;
  readonly live: LiveTexts;
  /** Counts calls to the outside since the current event began. */
  readonly calls: { count: number };
}
