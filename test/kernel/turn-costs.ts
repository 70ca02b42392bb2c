import type { KernelWorld } from "../kit/kernel-world.ts";
import { decideAll, registerGate } from "../kit/mini-gate.ts";
import type { Script } from "../kit/scripted-model.ts";
import type { WorldOptions } from "../kit/world-options.ts";
import { BERT, send, tool } from "./make.ts";

/** `calls N` is answered by N calls, everything else by a text. */
const script: Script = ({ messages }) => {
  const last = messages.at(-1);
  const part = last?.role === "user" ? last.content[0] : undefined;
  const count = part?.type === "text" && part.text.startsWith("calls ") ? Number(part.text.slice(6)) : 0;
  if (count === 0) return { text: "Fine." };
  return { calls: Array.from({ length: count }, () => ({ name: "look", args: "{}" })) };
};

export const options: WorldOptions = {
  script,
  tools: [tool("look", () => Promise.resolve({ text: "found" }))],
  register: (registry, kernel) => {
    registry.registerSection({ name: "who", kind: "stable", render: () => "You are Althing." });
    registry.registerSection({ name: "when", kind: "volatile", render: ({ now }) => `It is ${now}.` });
    registerGate(registry, kernel, "nothing");
  },
};

const gated: WorldOptions = { ...options, register: (registry, kernel) => registerGate(registry, kernel, "look") };

const failing = (times: number): WorldOptions => ({
  ...options,
  script: (_request, nth) => (nth >= 1 && nth <= times ? { error: {} } : { text: "Fine." }),
});

/** Says something and lets it be answered. */
export const say = (text: string) => async (world: KernelWorld) => {
  send(world, text);
  await world.run();
};

/** Rows written and alarms set or deleted, for each commit in order. */
type Costs = readonly (readonly [rows: number, alarms: number])[];

export const ADMISSION = [3, 1] as const;
const REQUEST = [1, 0] as const;
export const ANSWER = [4, 0] as const;
const CALLS = [2, 0] as const;
const STARTED = [1, 0] as const;
const RESULT = [3, 0] as const;

/** A kind of turn and exactly what it costs. */
export interface TurnCost {
  readonly name: string;
  readonly options: WorldOptions;
  readonly play: (world: KernelWorld) => Promise<void>;
  readonly costs: Costs;
  /** Sum of rows and alarm changes. */
  readonly billed: number;
}

export const TURN_COSTS: readonly TurnCost[] = [
  { name: "a plain turn", options, play: say("hi"), costs: [ADMISSION, REQUEST, ANSWER], billed: 9 },
  {
    name: "a turn with one tool",
    options,
    play: say("calls 1"),
    costs: [ADMISSION, REQUEST, CALLS, STARTED, RESULT, REQUEST, ANSWER],
    billed: 16,
  },
  {
    name: "a turn with three parallel tools",
    options,
    play: say("calls 3"),
    costs: [ADMISSION, REQUEST, CALLS, STARTED, STARTED, STARTED, RESULT, RESULT, RESULT, REQUEST, ANSWER],
    billed: 24,
  },
  {
    name: "a turn with a held call, approved",
    options: gated,
    play: async (world) => {
      await say("calls 1")(world);
      decideAll(world.kernel, "approved");
      await world.run();
    },
    // Parking and starting write the gate's namespace too; the decision arms the alarm anew.
    costs: [ADMISSION, REQUEST, CALLS, [2, 0], [2, 1], [2, 0], RESULT, REQUEST, ANSWER],
    billed: 22,
  },
  {
    name: "a turn retried after 2 s",
    options: failing(1),
    play: say("hi"),
    // The error, the end of the sleep, the request again; the loop itself waits that long.
    costs: [ADMISSION, REQUEST, [1, 0], [1, 0], REQUEST, ANSWER],
    billed: 12,
  },
  {
    name: "a turn retried twice, the second time after 4 s",
    options: failing(2),
    play: say("hi"),
    costs: [ADMISSION, REQUEST, [1, 0], [1, 0], REQUEST, [1, 1], [1, 0], REQUEST, ANSWER],
    billed: 16,
  },
  {
    name: "a message queued behind another speaker's turn",
    options,
    play: async (world) => {
      send(world, "hi");
      send(world, "me too", { actor: BERT });
      await world.run();
    },
    // Queued: control and input. The first answer also places the second message: one entry, one input more.
    costs: [ADMISSION, [2, 0], REQUEST, [6, 0], REQUEST, ANSWER],
    billed: 18,
  },
  {
    name: "a stopped turn",
    options: gated,
    play: async (world) => {
      await say("calls 1")(world);
      world.kernel.stop();
      await world.run();
    },
    // The mark; the tool's end; the display entry with input and receipt.
    costs: [ADMISSION, REQUEST, CALLS, [2, 0], [1, 1], RESULT, ANSWER],
    billed: 18,
  },
];
