import * as z from "zod";
import { defineTool, type Kernel, type ModelRequest, type Registry, type Tool } from "../../src/kernel/index.ts";
import type { KernelWorld } from "./kernel-world.ts";
import { decideAll, GATE, registerGate } from "./mini-gate.ts";
import type { Script, ScriptedAnswer } from "./scripted-model.ts";
import type { WorldOptions } from "./world-options.ts";

/** The other side of the effects: it outlives every crash and counts what reached it, by idempotency key. */
export class EffectServer {
  readonly calls = new Map<string, number>();
  /** What was put under a key: again under the same key changes nothing. */
  readonly sink = new Map<string, string>();
  /** What must not have happened. */
  readonly complaints: string[] = [];

  receive(key: string): void {
    this.calls.set(key, (this.calls.get(key) ?? 0) + 1);
  }

  /** The most often that one call had its effect. */
  get most(): number {
    return Math.max(0, ...this.calls.values());
  }
}

/** A client's action. Repeated after a crash until it succeeded once; `false`: its moment has not come yet. */
export type Action = (kernel: Kernel, stage: Stage) => boolean;

/** What else an action may look at. */
export interface Stage {
  readonly registry: Registry;
  readonly server: EffectServer;
}

/** A scripted run of one conversation: what the world holds, and what clients do in order. */
export interface Scenario {
  readonly name: string;
  readonly options: (server: EffectServer) => WorldOptions;
  readonly actions: readonly Action[];
}

const NOTHING = z.object({});

export function safeTool(server: EffectServer, name = "lookup"): Tool {
  return defineTool({
    name,
    description: "Looks something up.",
    input: NOTHING,
    replay: "safe",
    execute: async (_input, context) => {
      await Promise.resolve();
      server.receive(`${name}:${context.idempotencyKey}:${JSON.stringify(context.memo("nonce", "n"))}`);
      return { text: "found" };
    },
  });
}

function unsafeTool(server: EffectServer, name = "send"): Tool {
  return defineTool({
    name,
    description: "Sends something, once.",
    input: NOTHING,
    execute: async (_input, context) => {
      await Promise.resolve();
      server.receive(context.idempotencyKey);
      return { text: "sent" };
    },
  });
}

function failingTool(): Tool {
  return defineTool({
    name: "broken",
    description: "Always fails.",
    input: NOTHING,
    replay: "safe",
    execute: () => Promise.reject(new Error("no such luck")),
  });
}

/** Says something; the key makes a repeat harmless. */
export function say(text: string, options: { actor?: string; mode?: "queue" | "steer" } = {}): Action {
  const { actor = "p_anna", mode } = options;
  return (kernel) => {
    const content = [{ type: "text", text } as const];
    const receipt = kernel.submit({ key: `${actor}:${text}`, actor, meta: null, content, ...(mode && { mode }) });
    return receipt.ok;
  };
}

/** Decides once something waits. Deciding what a crash swallowed after its commit counts as done. */
function decide(decision: "approved" | "declined"): Action {
  return (kernel) => {
    const known = Object.values(kernel.get(GATE).calls);
    if (known.some((status) => status === decision || status === "spent")) return true;
    return decideAll(kernel, decision) > 0;
  };
}

/** Waits until a call is parked. */
const whenParked: Action = (kernel) =>
  Object.values(kernel.control.tasks).some((task) => task.status === "parked") ||
  Object.values(kernel.get(GATE).calls).some((status) => status !== "open");

/** Stops the turn, once. */
export const stopTurn: Action = (kernel) => {
  if (kernel.control.turn && !kernel.control.turn.stopping) kernel.stop();
  return true;
};

const lastUserText = (request: ModelRequest): string => {
  const users = request.messages.filter((message) => message.role === "user");
  const part = users.at(-1)?.content[0];
  return part?.type === "text" ? part.text : "";
};

/** Answers with calls once per user message, then with a text. */
export function callsThenText(calls: NonNullable<ScriptedAnswer["calls"]>): Script {
  return (request) => {
    const last = request.messages.at(-1);
    return last?.role === "user" && lastUserText(request) === "go" ? { text: "On it.", calls } : { text: "All done." };
  };
}

const gated = (server: EffectServer): WorldOptions => ({
  tools: [unsafeTool(server)],
  register: (registry, kernel) => registerGate(registry, kernel, "send"),
  script: callsThenText([{ name: "send", args: "{}" }]),
});

const ungated = (server: EffectServer): WorldOptions => ({
  tools: [safeTool(server), unsafeTool(server), failingTool()],
  register: (registry, kernel) => registerGate(registry, kernel, "nothing"),
});

/** The runs that every crash test goes through. */
export const SCENARIOS: readonly Scenario[] = [
  {
    name: "plain answer",
    options: (server) => ({ ...ungated(server), script: () => ({ text: "Hello.", thinking: "Hm." }) }),
    actions: [say("go")],
  },
  {
    name: "one unsafe tool",
    options: (server) => ({ ...ungated(server), script: callsThenText([{ name: "send", args: "{}" }]) }),
    actions: [say("go")],
  },
  {
    name: "three parallel tools, one failing",
    options: (server) => ({
      ...ungated(server),
      script: callsThenText([
        { name: "lookup", args: "{}" },
        { name: "broken", args: "{}" },
        { name: "send", args: "{}" },
      ]),
    }),
    actions: [say("go")],
  },
  {
    name: "held call approved",
    options: gated,
    actions: [say("go"), whenParked, decide("approved")],
  },
  {
    name: "held call declined",
    options: gated,
    actions: [say("go"), whenParked, decide("declined")],
  },
  {
    name: "held call while a second message arrives, approved late",
    options: gated,
    actions: [say("go"), whenParked, say("and another thing"), decide("approved")],
  },
  {
    name: "provider overloaded, then success",
    options: (server) => ({
      ...ungated(server),
      script: (_request, nth) => (nth === 0 ? { error: {} } : { text: "Hello again." }),
    }),
    actions: [say("go")],
  },
  {
    name: "queued behind another speaker",
    options: (server) => ({ ...ungated(server), script: callsThenText([{ name: "lookup", args: "{}" }]) }),
    actions: [say("go"), say("me too", { actor: "p_bert" })],
  },
  {
    name: "stopped while a call is held",
    options: gated,
    actions: [say("go"), whenParked, stopTurn],
  },
];

/** Plays a scenario to rest, restarting after every death; each client action is repeated until it was acknowledged. */
export async function play(scenario: Scenario, world: KernelWorld, server: EffectServer): Promise<void> {
  for (const [index, action] of scenario.actions.entries()) {
    let isDone = false;
    await world.run(() => {
      isDone = attempt(world, action, server);
      return isDone;
    });
    if (!isDone) throw new Error(`${scenario.name}: the moment of action ${index} never came`);
  }
  await world.run();
}

/** Tries an action; false: not yet, or the process died in it. */
export function attempt(world: KernelWorld, action: Action, server: EffectServer): boolean {
  try {
    return action(world.kernel, { registry: world.registry, server });
  } catch (error) {
    if (world.crashes.isAlive) throw error;
    return false;
  }
}
