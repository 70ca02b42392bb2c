import type { Json, JsonObject } from "../../lib/json.ts";
import type { EntryKind } from "./entry-kind.ts";
import type { Namespace } from "./namespace.ts";
import type { TaskToken } from "./task-token.ts";

/** An effect to be delivered after its commit. */
export interface OutboxDraft {
  readonly key: string;
  readonly target: string;
  readonly payload: Json;
  readonly afterMs?: number;
}

/** What a plugin puts into the transcript. Without `text` it is shown to people only. */
export interface WriteDraft {
  /** What models read of it, as a user's message. */
  readonly text?: string;
  readonly data?: Json;
}

/** A call as the transcript holds it, and whom it is made for. */
export interface StoredCallRef {
  /** The assistant entry that holds the call, and its index there. */
  readonly entry: number;
  readonly index: number;
  readonly actor: string;
  readonly meta: Json;
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
  /** First writer wins: stores `candidate` beside a live task unless a value stands under that name, and returns the winner. */
  memo(namespace: Namespace, task: number, name: string, candidate: Json): Json;
  /** What stands beside a task under a name; undefined when nothing does. */
  recall(namespace: Namespace, task: number, name: string): Json | undefined;
  /**
   * Puts an entry into the transcript: at once when nothing runs or no model reads it, else before the next request.
   * Never begins a turn. Returns its id, or null when it waits for its place.
   */
  write(kind: EntryKind, draft: WriteDraft): number | null;
  /** Begins a background task. Returns its id. */
  createTask<I extends Json>(definition: TaskToken<I>, input: I): number;
  /**
   * Makes a stored call anew, outside of any turn: through every handler, and its result comes as an input of the system for
   * this speaker. Returns its task. @throws KernelError `no_such_call` when the entry holds no such call.
   */
  callAgain(call: StoredCallRef): number;
  /** Stops a task that belongs to no turn, and what it owns. False: there is none, or it is stopping. */
  abort(task: number): boolean;
  /** Sets a key of the configuration that a task kind declares; undefined takes it back to the default. */
  configure(key: string, value: Json | undefined): void;
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
  /** A key of the configuration, default applied. */
  config(key: string): Json | undefined;
}
