import {
  type BeforeTool,
  type BeforeToolApi,
  CallRefused,
  defineNamespace,
  type HostTx,
  type Kernel,
  type PendingCall,
  type Registry,
} from "../../src/kernel/index.ts";

/** More cards than people would read. */
export const MAX_OPEN_APPROVALS = 50;

/** A call that waits for somebody's decision. */
type Card = { readonly tool: string; readonly input: string };

/**
 * `open`: the cards, by task. `grants`: the calls that were approved and have not started yet. Both are sticky: an approval
 * is given now, and going back in the transcript gives none.
 */
export const APPROVALS = defineNamespace<{ open: { readonly [task: string]: Card }; grants: readonly number[] }>({
  name: "example.approvals",
  sticky: { open: {}, grants: [] },
  view: ({ open }) => Object.entries(open).map(([task, { tool, input }]) => ({ task: Number(task), tool, input })),
});

/** The memo that holds what was decided about a call. */
const DECISION = "decision";

type Decision = {
  readonly approved: boolean;
  readonly by: string;
  /** The arguments as they were shown, whole: only a call with these may use the approval. */
  readonly input: string;
};

/** Makes calls of the tools that are `risky` wait until somebody approved them. Returns what takes exactly this back. */
export function registerApprovals(registry: Registry, risky: (tool: string) => boolean): () => void {
  const undo = registry.namespace(APPROVALS);
  registry.hooks(APPROVALS, {
    beforeTool: (call, api) => Promise.resolve(risky(call.tool.name) ? decideOn(call, api) : { kind: "pass" }),
    // The turn went on without the call, which waits as another task from now on: its card moves there.
    detached(tx, { from, to }) {
      const { [String(from)]: card, ...others } = tx.get(APPROVALS).open;
      if (card) tx.set(APPROVALS, { open: { ...others, [String(to)]: card } });
    },
    // Stopped while it waited: nobody needs to decide any more.
    settled: (tx, { task }) => forget(tx, task),
  });
  return undo;
}

/** Runs again after each wake and each restart. Once there is a decision nobody is asked again. */
function decideOn(call: PendingCall, api: BeforeToolApi): BeforeTool {
  const input = JSON.stringify(call.input);
  const decision = api.recall(DECISION) as Decision | undefined;
  if (decision === undefined) return waitForDecision(call, input);
  const { approved, by } = decision;
  if (!approved) {
    const text = `${by} declined this call. It did not run. Do not try it again; ask the person what to do instead.`;
    return { kind: "block", code: "declined", text, decidedBy: by };
  }
  if (decision.input !== input) {
    return { kind: "block", code: "changed", text: "The call is not the one that was approved: it did not run." };
  }
  return {
    kind: "allow",
    approval: { by, note: `Approved by ${by}.` },
    // Part of the commit that starts the call: from then on the approval is spent, whatever happens to the process.
    onStarted(tx) {
      const { grants } = tx.get(APPROVALS);
      if (!grants.includes(call.task)) throw new CallRefused("spent", "This approval was used or withdrawn.");
      tx.set(APPROVALS, { grants: grants.filter((task) => task !== call.task) });
    },
  };
}

function waitForDecision(call: PendingCall, input: string): BeforeTool {
  return {
    kind: "park",
    deadline: null,
    pendingText: "The call waits for approval. It has not run; its result will come as a message of its own.",
    onParked(tx, task) {
      // Decided since the handler looked.
      if (tx.recall(APPROVALS, task, DECISION) !== undefined) return "again";
      const { open } = tx.get(APPROVALS);
      if (open[String(task)]) return undefined;
      if (Object.keys(open).length >= MAX_OPEN_APPROVALS) {
        throw new CallRefused(
          "too_many",
          `${MAX_OPEN_APPROVALS} calls wait for approval already: this one did not run.`,
        );
      }
      tx.set(APPROVALS, { open: { ...open, [String(task)]: { tool: call.tool.name, input } } });
      return undefined;
    },
  };
}

/**
 * Decides about a waiting call: what a button of the host calls. The first decision counts; false: there is nothing to
 * decide (any more).
 */
export function decide(kernel: Pick<Kernel, "commit">, task: number, approved: boolean, by: string): boolean {
  return kernel.commit((tx) => {
    const { open, grants } = tx.get(APPROVALS);
    const card = open[String(task)];
    if (!card) return false;
    tx.memo(APPROVALS, task, DECISION, { approved, by, input: card.input });
    forget(tx, task);
    if (approved) tx.set(APPROVALS, { grants: [...grants, task] });
    tx.emit(APPROVALS, "decided", { task, approved, by });
    tx.wake(task);
    return true;
  });
}

function forget(tx: HostTx, task: number): void {
  const { open, grants } = tx.get(APPROVALS);
  const { [String(task)]: card, ...others } = open;
  if (card) tx.set(APPROVALS, { open: others });
  if (grants.includes(task)) tx.set(APPROVALS, { grants: grants.filter((other) => other !== task) });
}
