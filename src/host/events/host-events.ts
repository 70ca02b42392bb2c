/** A turn began. */
export interface TurnStarted {
  readonly conversation: string;
  /** Request keys of the inputs that it answers. */
  readonly inputs: readonly string[];
}

/** A turn ended. */
export interface TurnEnded {
  readonly conversation: string;
  readonly outcome: "answered" | "failed" | "stopped" | "reset" | "skipped";
}

/** A call of a turn began or ended. Never what was thought, never arguments. */
export interface TurnProgress {
  readonly conversation: string;
  /** The call's task. */
  readonly task: number;
  /** `started`, or what the call came to. */
  readonly state: string;
}

/** A commit changed what people see. */
export interface Changed {
  readonly conversation: string;
  readonly rev: number;
  /** Names at the root of the view that changed; empty: all of it. */
  readonly parts: readonly string[];
}

/**
 * What a plugin may watch. Told after the commit, at most once: a death between the two loses it, so what has to happen
 * belongs into a commit (`hooks`). Nobody waits for a handler, and one that throws or hangs hurts nobody.
 */
export interface HostEvents {
  turnStarted?(event: TurnStarted): Promise<void> | void;
  turnEnded?(event: TurnEnded): Promise<void> | void;
  turnProgress?(event: TurnProgress): Promise<void> | void;
  changed?(event: Changed): Promise<void> | void;
}

export const EVENT_NAMES = ["turnStarted", "turnEnded", "turnProgress", "changed"] as const;

/** Events that other agent servers have and Durable Objects cannot, each with the reason and what to do instead. */
export const IMPOSSIBLE_EVENTS: { readonly [name: string]: string } = {
  serviceStarted: "isolates come and go with the requests: make what is needed in setup, or when it is first used",
  shutdown: "the platform ends objects without a word: put what must not be lost into a commit",
};
