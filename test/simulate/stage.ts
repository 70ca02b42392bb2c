import type { Kernel, ModelRequest, Registry, Submission, Tool } from "../../src/kernel/index.ts";
import type { KernelWorld } from "../kit/kernel-world.ts";
import type { SeededRandom } from "../kit/random.ts";
import type { EffectServer } from "../kit/scenarios.ts";
import type { ScriptedAnswer } from "../kit/scripted-model.ts";
import type { CommitFrame } from "../kit/world-client.ts";
import type { HookPlan, Step, ToolPlan } from "./script.ts";
import type { Change, Stored } from "./stored.ts";

/** Parts of the deployment that may be missing after a restart. */
export const CODE = ["lookup", "send", "post", "gate", "notes", "prompt", "jobs", "watcher"] as const;
export type Code = (typeof CODE)[number];

/** What became of the deliveries, by key. */
export interface Deliveries {
  endOf(key: string): string | undefined;
}

/** What actors and invariants see of a running simulation. */
export interface Stage {
  readonly world: KernelWorld;
  /** What the last commit left. */
  readonly stored: Stored;
  readonly effects: EffectServer;
  readonly outside: Deliveries;
  /** What was accepted, by key. */
  readonly said: Map<string, Submission>;
  /** In the end nothing fails any more. */
  readonly isCalm: boolean;
  /** Code that the running deployment does not have. */
  readonly missing: ReadonlySet<Code>;
  /** Ends the process and starts one of a deployment without this code. */
  deploy(missing: readonly Code[]): void;
  /** An entry whose row is not what it was when it was new, or that is gone. */
  findChangedEntry(): number | undefined;
  /** How the next execution of a tool behaves. */
  nextTool(): ToolPlan;
  /** How the next handler of a hook behaves. */
  nextHook(): HookPlan;
  /** Does something to the running process, starting it where needed; who finds it dead or lost tries again. */
  act<T>(action: (kernel: Kernel) => T): Promise<T>;
  /** Lets everything run until the condition holds or nothing is left to do before this time. */
  run(condition: () => boolean, untilMs?: number): Promise<void>;
  /** Lets `ms` pass and whatever happens meanwhile. */
  pass(ms: number): Promise<void>;
  /** Reports what should never be. */
  violated(invariant: string, what: string): void;
}

/** Says what is wrong with a commit, if anything. */
export type CommitCheck = (change: Change, stage: Stage) => string | undefined;
/** Says what is wrong with a request that the model is being asked. */
export type RequestCheck = (request: ModelRequest, stage: Stage) => string | undefined;
/** Says what is wrong with what clients are sent. */
export type FrameCheck = (frame: CommitFrame, stage: Stage) => string | undefined;
/** Says what is wrong between two steps, or when all rests. */
export type StateCheck = (stage: Stage) => string | undefined;

/** What must hold, each a named function: after every commit, at every
 * request and frame, after every step, and at rest. */
export interface Invariants {
  readonly commit?: readonly CommitCheck[];
  readonly request?: readonly RequestCheck[];
  readonly frame?: readonly FrameCheck[];
  readonly step?: readonly StateCheck[];
  readonly rest?: readonly StateCheck[];
}

/** An actor's part in one simulation. */
export interface Part<S extends Step = Step> {
  perform?(step: S): Promise<void> | void;
  /** Registers code; called at each start of a process. */
  register?(registry: Registry, kernel: () => Kernel): void;
  /** The tools of a process that starts. */
  tools?(): readonly Tool[];
  /** What the vendor says to a request that is this actor's; undefined: it is not. */
  answer?(request: ModelRequest, nth: number): ScriptedAnswer | undefined;
  /** What is done in the end, again and again until all rests. */
  calm?(): Promise<void>;
  readonly invariants?: Invariants | undefined;
}

/** Draws steps, as often as its weight says compared with the others': one, or a scene of several, others' among them. */
export interface Proposer {
  readonly weight: number;
  propose(random: SeededRandom): Step | readonly Step[];
}

/** Somebody who does things to a conversation, or something that happens to it. One actor a feature. */
export interface Actor<S extends Step = Step> {
  readonly name: string;
  /** Absent: it only has code and invariants. */
  readonly steps?: Proposer;
  enter(stage: Stage): Part<S>;
}
