import type { Json } from "../../lib/json.ts";
import type { ToolOutcome } from "../../protocol/view.ts";
import type { HostTx } from "./host-tx.ts";
import type { Tool } from "./tool.ts";

/** A tool call on its way to its tool, arguments validated. */
export interface PendingCall {
  /** The tool task; stays the same through waking, replay and restarts. */
  readonly task: number;
  /** The assistant entry that holds the call, and the call's index in it. */
  readonly entry: number;
  readonly index: number;
  readonly tool: Tool;
  readonly input: Json;
  /** Who the turn runs for. */
  readonly actor: string;
  readonly meta: Json;
  /** The call left its turn: its result will be an input of origin system. */
  readonly detached: boolean;
  /** Aborts on stop. */
  readonly signal: AbortSignal;
}

/** Thrown by `onStarted`: the call must not start after all. Nothing of the started commit stands; `message` is told to the model. */
export class CallRefused extends Error {
  override readonly name = "CallRefused";
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Who let a call run. `note` is told to the model before the result. */
export type Approval = { readonly by: string; readonly note: string };

/** What a `beforeTool` handler decides. */
export type BeforeTool =
  /** Go on with the next handler; with `input`, the arguments are replaced and validated again. */
  | { readonly kind: "pass"; readonly input?: Json }
  /** Go on; `onStarted` runs inside the commit that starts the call and may throw {@link CallRefused}. */
  | { readonly kind: "allow"; readonly approval?: Approval; readonly onStarted: (tx: HostTx) => void }
  /** The call does not run; `text` is told to the model. */
  | { readonly kind: "block"; readonly code: string; readonly text: string; readonly decidedBy?: string }
  /**
   * The call waits for somebody, without memory. `onParked` runs inside the commit that parks it: it writes down what is
   * waited for, answers `again` when that was decided meanwhile (the handlers run once more), or throws
   * {@link CallRefused} when it cannot be waited for. `pendingText` is the
   * result the model gets when the turn goes on without the call.
   */
  | {
      readonly kind: "park";
      readonly deadline: number | null;
      readonly pendingText: string;
      readonly onParked?: (tx: HostTx, task: number) => "again" | undefined;
    };

/**
 * A namespace's handlers. `beforeTool` may take seconds, may run again after a crash and commits only through handles of
 * its own; a throw blocks the call. The others run inside the kernel's commit: synchronous, and a throw undoes the commit.
 */
export interface Hooks {
  beforeTool?(call: PendingCall): Promise<BeforeTool>;
  /** A parked call left its turn and lives on as another task. */
  detached?(tx: HostTx, change: { readonly from: number; readonly to: number }): void;
  /** A call got its result or was stopped. */
  settled?(tx: HostTx, call: { readonly task: number; readonly outcome: ToolOutcome; readonly code?: string }): void;
  /** The turn that these calls belonged to is over. */
  turnEnded?(tx: HostTx): void;
}
