import type { Json, JsonObject } from "../../lib/json.ts";
import type { Namespace } from "./namespace.ts";

/** An effect to be delivered after its commit. */
export interface OutboxDraft {
  readonly key: string;
  readonly target: string;
  readonly payload: Json;
  readonly afterMs?: number;
}

/**
 * What a plugin may do inside a commit. Dead once the commit's builder returned. Everything is written together with the
 * rest of that commit, or not at all.
 */
export interface HostTx {
  /** The commit's time, ms. */
  readonly now: number;
  /** A copy of a namespace's state, defaults filled in. */
  get<T extends JsonObject>(namespace: Namespace<T>): T;
  /** Sets declared keys of a namespace. */
  set<T extends JsonObject>(namespace: Namespace<T>, patch: Partial<T>): void;
  /** Makes a parked task run its handlers again. False when it is not parked. */
  wake(task: number): boolean;
  /**
   * Puts an effect toward the outside; it is delivered after the commit, at least once, under this key. An undelivered row
   * under the same key is replaced; `afterMs` waits for more of them, counted from the first.
   */
  send(row: OutboxDraft): void;
  /** Announces `plugin.<namespace>.<name>` to whoever watches. */
  emit(namespace: Namespace, name: string, facts: JsonObject): void;
}

/** What may be read outside a commit: always the last committed state. */
export interface HostRead {
  /** Opaque facts that creation stored. */
  readonly facts: Json;
  get<T extends JsonObject>(namespace: Namespace<T>): T;
}
