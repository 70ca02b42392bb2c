import * as z from "zod";
import {
  coreNotice,
  defineNamespace,
  defineTask,
  defineTool,
  type Kernel,
  type Registry,
  type Tool,
  type ToolContext,
} from "../../src/kernel/index.ts";
import { must } from "../../src/lib/assert.ts";
import { type Action, callsThenText, type EffectServer, type Scenario, say, stopTurn } from "./scenarios.ts";
import { untilAborted } from "./scripted-model.ts";

const PAGES = 3;
const NOTHING = z.object({});

/** Which task the scenario's client began, and who was asked what. */
const DESK = defineNamespace<{ task: number | null }>({ name: "desk", sticky: { task: null } });

type PutAt = { readonly phase: "read" | "put"; readonly page: number };

/** Puts pages into a sink under keys of their own, one after the other, and tells at its end how many the sink holds. */
function putPages(server: EffectServer, options: { readonly pauseMs?: number } = {}) {
  const { pauseMs } = options;
  return defineTask<null, PutAt>({
    kind: "test.put",
    initial: () => ({ phase: "read", page: 1 }),
    inFlight: ["put"],
    phases: {
      async read(run) {
        const { page } = run.checkpoint;
        await Promise.resolve();
        if (page > PAGES) {
          return (tx) => {
            tx.write(coreNotice, { text: `The sink holds ${server.sink.size} pages.` });
            return { kind: "complete", result: `${server.sink.size} pages` };
          };
        }
        run.enter({ phase: "put", page });
        return await put(run, page);
      },
      put: (run) => put(run, run.checkpoint.page),
    },
  });

  async function put(run: { readonly idempotencyKey: string; now(): number }, page: number) {
    server.sink.set(`${run.idempotencyKey}/${page}`, `page ${page}`);
    await Promise.resolve();
    const checkpoint: PutAt = { phase: "read", page: page + 1 };
    return pauseMs === undefined
      ? ({ kind: "next", checkpoint } as const)
      : ({ kind: "sleep", until: run.now() + pauseMs, checkpoint } as const);
  }
}

/** Waits until it is stopped. */
const ENDLESS = defineTask<null, { readonly phase: "wait" }>({
  kind: "test.endless",
  initial: () => ({ phase: "wait" }),
  phases: {
    wait: () => Promise.resolve({ kind: "park", deadline: null, checkpoint: { phase: "wait" } }),
  },
});

/** A safe tool that has a task do its work. */
function delegate(begin: (context: ToolContext) => number): Tool {
  return defineTool({
    name: "delegate",
    description: "Has a task do it.",
    input: NOTHING,
    replay: "safe",
    async execute(_input, context) {
      await Promise.resolve();
      return { waitFor: begin(context) };
    },
    finished: ({ outcome, result }) => Promise.resolve({ text: `${outcome}: ${JSON.stringify(result)}` }),
  });
}

const workTool = (server: EffectServer, run?: (signal: AbortSignal) => Promise<void>): Tool =>
  defineTool({
    name: "work",
    description: "Works.",
    input: NOTHING,
    replay: "safe",
    async execute(_input, { signal, idempotencyKey }) {
      await run?.(signal);
      server.receive(`lookup:${idempotencyKey}`);
      return { text: "worked" };
    },
  });

/** Every call waits for an answer that stands as a memo beside it; nobody may be asked once there is one. */
function registerDesk(registry: Registry, server: EffectServer): void {
  registry.namespace(DESK);
  registry.hooks(DESK, {
    async beforeTool(call, api) {
      const first = api.memo("asked by", call.actor);
      const answer = api.recall("answer");
      await Promise.resolve();
      if (answer === undefined) {
        if (server.calls.has("answered")) server.complaints.push("asked again after the answer");
        return {
          kind: "park",
          deadline: null,
          pendingText: "It waits.",
          // Answered while this handler looked: it looks again.
          onParked: (tx, task) => (tx.recall(DESK, task, "answer") === undefined ? undefined : "again"),
        };
      }
      return {
        kind: "allow",
        approval: { by: JSON.stringify(first), note: `Answered ${JSON.stringify(answer)}.` },
        onStarted: () => undefined,
      };
    },
  });
}

/** Answers the parked call: the memo's winner counts, and the commit that makes it wakes the call. */
const answerOnce: Action = (kernel, { server }) => {
  const { turn, tasks } = kernel.control;
  const parked = Object.values(tasks).find(({ status }) => status === "parked");
  // Answered before the process died, or not asked yet.
  if (!parked) return turn === null && kernel.control.lastEntry > 1;
  kernel.commit((tx) => {
    const winner = tx.memo(DESK, parked.id, "answer", "yes");
    if (tx.memo(DESK, parked.id, "answer", "no") !== winner) server.complaints.push("two answers won");
    tx.wake(parked.id);
  });
  server.receive("answered");
  return true;
};

const phaseOfCall = (kernel: Kernel): string | undefined => {
  const tool = Object.values(kernel.control.tasks).find(({ kind }) => kind === "core.tool");
  return tool && `${tool.checkpoint.phase}:${tool.status}`;
};

/** Waits until the call stands there, or is over. */
const whenCallIs =
  (where: string): Action =>
  (kernel) =>
    phaseOfCall(kernel) === where || kernel.control.turn?.stopping === true || kernel.control.lastEntry > 4;

const call = (name: string) => callsThenText([{ name, args: "{}" }]);

interface StoppedAt {
  readonly stage: string;
  /** Phase and status of the call's task. */
  readonly where: string;
  readonly options: Scenario["options"];
}

const STAGES: readonly StoppedAt[] = [
  {
    stage: "is checked",
    where: "check:running",
    options: (server) => ({
      tools: [workTool(server)],
      script: call("work"),
      register(registry) {
        registry.namespace(DESK);
        registry.hooks(DESK, {
          beforeTool: async ({ signal }) => {
            await untilAborted(signal);
            return { kind: "pass" };
          },
        });
      },
    }),
  },
  {
    stage: "is parked",
    where: "check:parked",
    options: (server) => ({
      tools: [workTool(server)],
      script: call("work"),
      register: (registry) => registerDesk(registry, server),
    }),
  },
  {
    stage: "runs",
    where: "started:running",
    options: (server) => ({ tools: [workTool(server, untilAborted)], script: call("work") }),
  },
  {
    stage: "has run and its result is being edited",
    where: "started:running",
    options: (server) => ({
      tools: [workTool(server)],
      script: call("work"),
      register(registry) {
        registry.namespace(DESK);
        registry.hooks(DESK, {
          afterTool: async ({ signal }) => {
            await untilAborted(signal);
            return undefined;
          },
        });
      },
    }),
  },
  {
    stage: "waits for its task",
    where: "joining:waiting",
    options: () => ({
      tools: [delegate((context) => context.begin("it", ENDLESS, null))],
      script: call("delegate"),
      register: (registry) => void registry.registerTaskKind(ENDLESS),
    }),
  },
];

/** Runs of what plugins build, for the crash tests. */
export const PLUGIN_SCENARIOS: readonly Scenario[] = [
  {
    name: "custom kind with an in-flight phase and a keyed sink",
    options: (server) => ({
      register(registry) {
        registry.namespace(DESK);
        registry.registerTaskKind(putPages(server));
      },
    }),
    actions: [
      (kernel, { registry }) => {
        if (kernel.get(DESK).task !== null) return true;
        const definition = must(registry.task("test.put"), "the kind is registered");
        kernel.commit((tx) => tx.set(DESK, { task: tx.createTask(definition, null) }));
        return true;
      },
    ],
  },
  {
    name: "tool that waits for a task",
    options: (server) => {
      const put = putPages(server, { pauseMs: 60_000 });
      return {
        tools: [delegate((context) => context.begin("pages", put, null))],
        script: call("delegate"),
        register: (registry) => void registry.registerTaskKind(put),
      };
    },
    actions: [say("go")],
  },
  {
    name: "memo before and after the decision",
    options: (server) => ({
      tools: [workTool(server)],
      script: call("work"),
      register: (registry) => registerDesk(registry, server),
    }),
    actions: [say("go"), answerOnce],
  },
  ...STAGES.map(({ stage, where, options }) => ({
    name: `stopped while a call ${stage}`,
    options,
    actions: [say("go"), whenCallIs(where), stopTurn],
  })),
];
