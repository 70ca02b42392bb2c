import { defineNamespace, type Kernel, type Registry } from "../../src/kernel/index.ts";

type Decision = "open" | "approved" | "declined" | "spent";

/** The smallest gate there can be: calls of one tool wait in a namespace until a test decides. */
export const GATE = defineNamespace<{ calls: { readonly [task: string]: Decision } }>({
  name: "gate",
  sticky: { calls: {} },
  view: (state) => ({ open: Object.keys(state.calls).filter((task) => state.calls[task] === "open") }),
});

/** Registers the gate: every call of `tool` parks until decided. */
export function registerGate(registry: Registry, kernel: () => Kernel, tool: string): void {
  registry.namespace(GATE);
  registry.hooks(GATE, {
    beforeTool: async (call) => {
      if (call.tool.name !== tool) return { kind: "pass" };
      await Promise.resolve();
      const decision = kernel().get(GATE).calls[String(call.task)] ?? "open";
      switch (decision) {
        case "approved":
          return {
            kind: "allow",
            approval: { by: "owner", note: "Approved." },
            onStarted: (tx) => tx.set(GATE, { calls: { ...tx.get(GATE).calls, [String(call.task)]: "spent" } }),
          };
        case "declined":
        case "spent":
          return { kind: "block", code: decision, text: `The call was ${decision}.`, decidedBy: "owner" };
        case "open":
          return {
            kind: "park",
            deadline: null,
            pendingText: "It waits for approval.",
            onParked: (tx, task) => {
              const { calls } = tx.get(GATE);
              const standing = calls[String(task)];
              if (standing !== undefined && standing !== "open") return "again";
              if (standing === undefined) tx.set(GATE, { calls: { ...calls, [String(task)]: "open" } });
              return undefined;
            },
          };
      }
    },
    detached: (tx, { from, to }) => {
      const { [String(from)]: moved = "open", ...calls } = tx.get(GATE).calls;
      tx.set(GATE, { calls: { ...calls, [String(to)]: moved } });
    },
  });
}

/** Decides every open call. Returns how many there were. */
export function decideAll(kernel: Kernel, decision: "approved" | "declined"): number {
  const open = Object.entries(kernel.get(GATE).calls).filter(([, status]) => status === "open");
  if (open.length === 0) return 0;
  kernel.commit((tx) => {
    const { calls } = tx.get(GATE);
    tx.set(GATE, { calls: { ...calls, ...Object.fromEntries(open.map(([task]) => [task, decision])) } });
    for (const [task] of open) tx.wake(Number(task));
  });
  return open.length;
}
