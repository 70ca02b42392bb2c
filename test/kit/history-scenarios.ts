import * as z from "zod";
import { defineNamespace, defineTool, type Kernel, type Registry } from "../../src/kernel/index.ts";
import { type Action, type EffectServer, type Scenario, safeTool, say } from "./scenarios.ts";
import type { Script } from "./scripted-model.ts";

/** Follows the transcript: set when each turn ends. */
const TURNS = defineNamespace({ name: "turns", rewindable: { ended: 0 } });

/** Answers "go" with these calls, everything else with a text. */
const onGo =
  (...names: string[]): Script =>
  (request) => {
    const last = JSON.stringify(request.messages.at(-1));
    const isGo = request.messages.at(-1)?.role === "user" && last.includes('"go"');
    return isGo ? { text: "On it.", calls: names.map((name) => ({ name, args: "{}" })) } : { text: "All done." };
  };

/** Asks for a fresh start while its turn runs, once. */
const resettingTool = (kernel: () => Kernel) =>
  defineTool({
    name: "begin_anew",
    description: "Asks for a fresh start.",
    input: z.object({}),
    replay: "safe",
    execute: () => {
      const isAsked = kernel().control.inbox.some((item) => item.mode === "write");
      if (!isAsked) kernel().history.reset("p_anna");
      return Promise.resolve({ text: "asked" });
    },
  });

const options = (server: EffectServer, script: Script) => ({
  tools: [
    safeTool(server),
    defineTool({
      name: "hand_over",
      description: "Begins anew.",
      input: z.object({}),
      replay: "safe",
      execute: () => Promise.resolve({ text: "handed over", control: { handoff: "Go on from here." } }),
    }),
  ],
  register: (registry: Registry, kernel: () => Kernel) => {
    registry.registerTool(resettingTool(kernel));
    registry.namespace(TURNS);
    registry.hooks(TURNS, {
      turnEnded: (tx) => tx.set(TURNS, { ended: tx.get(TURNS).ended + 1 }),
      onYield: (answer) =>
        Promise.resolve(
          answer.content.some((part) => part.type === "text" && part.text === "More?") ? "Yes." : undefined,
        ),
    });
  },
  script,
});

/** Once its moment is there, and not again after a death swallowed only the acknowledgement. */
function once(isDone: (kernel: Kernel) => boolean, act: (kernel: Kernel) => boolean): Action {
  return (kernel) => isDone(kernel) || act(kernel);
}

const has = (kind: string) => (kernel: Kernel) => kernel.entriesAfter(0, 1_000).some((entry) => entry.kind === kind);

const whenIdle: Action = (kernel) => kernel.control.turn === null && kernel.control.inbox.length === 0;

/** Runs in which the transcript goes back, begins anew or goes on by itself. */
export const HISTORY_SCENARIOS: readonly Scenario[] = [
  {
    name: "edit and retry",
    options: (server) => options(server, onGo("lookup")),
    actions: [
      say("go"),
      whenIdle,
      say("second"),
      whenIdle,
      (kernel) => {
        const first = kernel.entriesAfter(0, 100).find((entry) => JSON.stringify(entry.message)?.includes("second"));
        const content = [{ type: "text", text: "better" } as const];
        const again = { key: "p_anna:better", actor: "p_anna", meta: null, content, rewindTo: (first?.id ?? 1) - 1 };
        return kernel.submit(again).ok;
      },
    ],
  },
  {
    name: "reset while a turn runs",
    options: (server) => options(server, onGo("lookup", "begin_anew")),
    actions: [say("go"), whenIdle, say("after")],
  },
  {
    name: "handed over by a tool",
    options: (server) => options(server, onGo("lookup", "hand_over")),
    actions: [say("go"), whenIdle, say("and then")],
  },
  {
    name: "asked to go on after an answer",
    options: (server) =>
      options(server, (request) => ({ text: request.messages.length === 1 ? "More?" : "All done." })),
    actions: [say("go")],
  },
  {
    name: "rewind, reset and pins while idle",
    options: (server) => options(server, onGo("lookup")),
    actions: [
      say("one"),
      whenIdle,
      (kernel) => kernel.history.pin(kernel.control.firstEntry, true).ok,
      say("two"),
      whenIdle,
      once(has("core.rewind"), (kernel) => {
        const second = kernel.entriesAfter(0, 100).find((entry) => JSON.stringify(entry.message)?.includes("two"));
        return kernel.history.rewind((second?.id ?? 1) - 1, "p_anna").ok;
      }),
      once(has("core.reset"), (kernel) => kernel.history.reset("p_anna") === "placed"),
      say("three"),
    ],
  },
];
