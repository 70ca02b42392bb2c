/** One thing that happens in a simulation; `actor` names who knows how. */
export interface Step {
  readonly actor: string;
  readonly do: string;
  /** The process dies at this crash point, counted from the step on (0: the next one). */
  readonly dies?: number;
  /** The storage fails at this transaction, counted from the step on. */
  readonly fails?: StorageFault;
}

/** A transaction that fails: with nothing written, or with everything written and nobody told. */
export interface StorageFault {
  readonly in: number;
  readonly when: "before" | "after";
}

/** How the vendor behaves at one request. */
export type AnswerPlan =
  | { readonly kind: "text" | "cut" | "hang" | "deaf" | "empty" | "length" | "overflow" }
  | { readonly kind: "slow"; readonly ms: number }
  | { readonly kind: "error"; readonly retryable: boolean; readonly retryAfterMs?: number }
  | { readonly kind: "calls"; readonly names: readonly string[]; readonly args: string; readonly sameIds: boolean };

/** How a tool behaves at one execution: after its effect, or before it. */
export type ToolPlan =
  | { readonly kind: "ok" | "throw" | "hang" | "deaf" | "large" | "update" }
  | { readonly kind: "slow"; readonly ms: number };

/** How the host answers what a step may run with. */
export type HostPlan = { readonly kind: "ok" | "throw" | "hang" | "refuse" | "none" };

/** How the conversation that this one is a fork of answers when it is asked for a page. */
export type PagePlan = { readonly kind: "ok" | "slow" | "hang" | "throw" | "refuse" };

/** How a handler of a hook behaves when it is called. */
export type HookPlan = { readonly kind: "pass" | "edit" | "slow" | "hang" | "throw" };

/** How the other side behaves at one delivery. */
export type DeliveryPlan = {
  readonly kind: "sent" | "slow" | "retry" | "later" | "drop" | "throw" | "hang" | "lost";
};

/**
 * Everything that a simulation does, as data: the same script gives the same run. Vendor, tools, deliveries, hooks, host and origin take
 * the plan of their list that is next, round and round, over all lives of the process.
 */
export interface Script<S extends Step = Step> {
  readonly steps: readonly S[];
  readonly answers: readonly AnswerPlan[];
  readonly tools: readonly ToolPlan[];
  readonly deliveries: readonly DeliveryPlan[];
  readonly hooks: readonly HookPlan[];
  readonly hosts: readonly HostPlan[];
  readonly pages: readonly PagePlan[];
  /** The conversation is a fork that begins at the nth place of another one; null: it is none. */
  readonly fork: number | null;
  /** Tokens of the model's window; null: nobody knows. */
  readonly window: number | null;
}
