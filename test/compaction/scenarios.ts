import * as z from "zod";
import { defineTool, type Kernel } from "../../src/kernel/index.ts";
import { decideAll, GATE, registerGate } from "../kit/mini-gate.ts";
import type { Action, EffectServer, Scenario } from "../kit/scenarios.ts";
import type { ScriptedAnswer } from "../kit/scripted-model.ts";
import type { WorldOptions } from "../kit/world-options.ts";
import { counting, requestTokens, settingsWith, textsOf, WINDOW, words } from "./kit.ts";

function idle(kernel: Kernel): boolean {
  return kernel.control.turn === null && kernel.snapshot().view.compaction === null;
}

/** Says something once nothing runs; the key makes a repeat harmless. */
function sayWhenIdle(name: string, tokens: number): Action {
  return (kernel) => {
    const key = `p_anna:${name}`;
    if (kernel.input(key)) return true;
    if (!idle(kernel)) return false;
    return kernel.submit({ key, actor: "p_anna", meta: null, content: [{ type: "text", text: words(name, tokens) }] })
      .ok;
  };
}

const whenIdle: Action = (kernel) => idle(kernel);

/** A repeat finds it under way, or done. */
const compact: Action = (kernel) => ["started", "nothing", "busy"].includes(kernel.compact());

const whenParked: Action = (kernel) => Object.values(kernel.get(GATE).calls).length > 0;

const approve: Action = (kernel) => {
  if (Object.values(kernel.get(GATE).calls).some((status) => status !== "open")) return true;
  return decideAll(kernel, "approved") > 0;
};

/** Waits until a summary is whole and waits for its place, or has it. */
const whenSummarised: Action = (kernel) => {
  const { compaction, entries } = kernel.snapshot().view;
  return compaction?.stage === "placing" || entries.some((entry) => entry.kind === "core.summary");
};

function gated(server: EffectServer): WorldOptions {
  const send = defineTool({
    name: "send",
    description: "Sends something, once.",
    input: z.object({}),
    execute: async (_input, context) => {
      await Promise.resolve();
      server.receive(context.idempotencyKey);
      return { text: "sent" };
    },
  });
  return { tools: [send], register: (registry, kernel) => registerGate(registry, kernel, "send") };
}

const answer = (): ScriptedAnswer => ({ text: words("Answer", 300) });

/** Histories of which a part is summarised, each in another way. */
export const COMPACTIONS: readonly Scenario[] = [
  {
    name: "threshold",
    options: (server) => ({ ...gated(server), settings: settingsWith(WINDOW), script: counting(answer) }),
    actions: [sayWhenIdle("one", 900), sayWhenIdle("two", 900), sayWhenIdle("three", 900)],
  },
  {
    name: "threshold, in two parts, the first answer of each unusable",
    options: (server) => ({
      ...gated(server),
      settings: settingsWith(WINDOW),
      script: counting(answer, (request) => {
        const [text = ""] = textsOf(request);
        const isPlain = !text.includes("could not be used");
        return isPlain && !text.includes("<summary-so-far>") ? { text: "" } : { text: "They talked on." };
      }),
    }),
    actions: [sayWhenIdle("one", 900), sayWhenIdle("two", 1_500), sayWhenIdle("three", 900)],
  },
  {
    name: "overflow",
    options: (server) => ({
      ...gated(server),
      settings: settingsWith(undefined),
      script: counting((request) =>
        requestTokens(request) > WINDOW ? { error: { kind: "context_overflow", retryable: false } } : answer(),
      ),
    }),
    actions: [sayWhenIdle("one", 1_400), sayWhenIdle("two", 1_400), sayWhenIdle("three", 900)],
  },
  {
    name: "by hand, idle",
    options: (server) => ({ ...gated(server), settings: settingsWith(WINDOW), script: counting(answer) }),
    actions: [sayWhenIdle("one", 900), sayWhenIdle("two", 900), whenIdle, compact, sayWhenIdle("three", 100)],
  },
  {
    name: "by hand, in a turn",
    options: (server) => ({
      ...gated(server),
      settings: settingsWith(WINDOW),
      script: counting((request) => {
        const last = request.messages.at(-1);
        const isAsked = last?.role === "user" && textsOf(request).at(-1)?.startsWith("go") === true;
        return isAsked ? { text: "On it.", calls: [{ name: "send", args: "{}" }] } : answer();
      }),
    }),
    actions: [
      sayWhenIdle("one", 900),
      sayWhenIdle("two", 900),
      sayWhenIdle("go", 10),
      whenParked,
      compact,
      whenSummarised,
      approve,
      sayWhenIdle("three", 10),
    ],
  },
];
