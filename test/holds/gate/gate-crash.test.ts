import { describe, expect, it } from "vitest";
import { verifyChain } from "../../../src/holds/audit/verify-chain.ts";
import { withdrawCalls } from "../../../src/holds/index.ts";
import type { Json } from "../../../src/lib/json.ts";
import { HELD, HoldWorld } from "../../kit/hold-world.ts";
import { transcript } from "../../kit/transcript.ts";

/** What somebody does once its moment has come. Done again after a death until it was done. */
interface Step {
  readonly when: (holds: HoldWorld) => boolean;
  readonly act: (holds: HoldWorld) => unknown;
}

const isOpen = (holds: HoldWorld) => holds.cards.some(({ status }) => status === "open");
const isRunning = (holds: HoldWorld) => holds.kernel.control.turn !== null;
/** A card is open, or was decided before a death: then the same is pressed again. */
const hasCard = (holds: HoldWorld) => seen.has(holds) || isOpen(holds);

const seen = new WeakMap<HoldWorld, HoldWorld["card"]>();

/** Presses as a client does: the same card again until an answer came. */
async function press(holds: HoldWorld, decision: "approve" | "decline", input?: Json): Promise<void> {
  const card = seen.get(holds) ?? holds.card;
  seen.set(holds, card);
  const answer = await holds.press(decision, { card, ...(input !== undefined && { input }) });
  const isKnown = answer.ok || answer.error.code === "already_decided";
  if (!isKnown) throw new Error(`the press was refused: ${answer.error.code}`);
}

const go: Step = { when: () => true, act: (holds) => holds.say("go") };
const approve: Step = { when: hasCard, act: (holds) => press(holds, "approve") };
const EDITED = { ref: "release" };
const approveEdited: Step = { when: hasCard, act: (holds) => press(holds, "approve", EDITED) };
const asked = new WeakMap<HoldWorld, string>();
const askAgain: Step = {
  when: (holds) => asked.has(holds) || holds.again.length > 0,
  async act(holds) {
    const hold = asked.get(holds) ?? holds.again[0]?.hold ?? "";
    asked.set(holds, hold);
    const answer = await holds.askAgain(hold);
    if (!answer.ok) throw new Error(`asking again was refused: ${answer.error.code}`);
  },
};
const decline: Step = { when: hasCard, act: (holds) => press(holds, "decline") };
const sayMore: Step = { when: isOpen, act: (holds) => holds.say("what is the time?") };
const whenIdle: Step = { when: (holds) => !isRunning(holds), act: () => undefined };
const goToRelease: Step = { when: isOpen, act: (holds) => holds.say("go to release") };
/** The newer of two cards is open alone: the older one was withdrawn. */
const approveNewer: Step = {
  when: (holds) => seen.has(holds) || (isOpen(holds) && holds.card.args[0]?.value === '"release"'),
  act: (holds) => press(holds, "approve"),
};
const withdraw: Step = {
  when: isOpen,
  act: (holds) => holds.kernel.commit((tx) => withdrawCalls(tx, { tool: "send", key: "deploy" })),
};
const keyed = (holds: HoldWorld) => void (holds.describe = () => ({ ...HELD, supersede: "deploy", copy: "make" }));
/** A handler before the gate gives the call other arguments. */
const shaped = (holds: HoldWorld) =>
  void (holds.handler = () => Promise.resolve({ kind: "pass", input: { ref: "shaped" } }));
const withFile = (holds: HoldWorld) => {
  holds.files.set("f1", { name: "plan.pdf", bytes: 3, sha256: "a".repeat(64) });
  holds.describe = () => ({ ...HELD, files: ["f1"] });
};
const stop: Step = { when: (holds) => isOpen(holds) || !isRunning(holds), act: (holds) => holds.kernel.stop() };

const SCENARIOS: readonly {
  readonly name: string;
  readonly steps: readonly Step[];
  readonly effects: number;
  readonly input?: Json;
  readonly visibility?: HoldWorld["visibility"];
  readonly change?: (holds: HoldWorld) => void;
}[] = [
  { name: "approved", steps: [go, approve], effects: 1 },
  { name: "declined", steps: [go, decline], effects: 0 },
  { name: "edited and approved", steps: [go, approveEdited], effects: 1, input: EDITED },
  {
    name: "edited and approved after it left its turn",
    steps: [go, sayMore, whenIdle, approveEdited],
    effects: 1,
    input: EDITED,
  },
  { name: "approved after it left its turn", steps: [go, sayMore, whenIdle, approve], effects: 1 },
  { name: "declined after it left its turn", steps: [go, sayMore, whenIdle, decline], effects: 0 },
  { name: "stopped", steps: [go, stop], effects: 0 },
  { name: "asked again after it expired, and approved", steps: [go, askAgain, approve], effects: 1 },
  {
    name: "withdrawn by a newer one, which is approved",
    steps: [go, goToRelease, approveNewer],
    effects: 1,
    input: { ref: "release" },
    change: keyed,
  },
  { name: "withdrawn by its plugin", steps: [go, withdraw], effects: 0, change: keyed },
  {
    name: "given other arguments by a handler, and approved",
    steps: [go, approve],
    effects: 1,
    input: { ref: "shaped" },
    change: shaped,
  },
  { name: "about a file, and approved", steps: [go, approve], effects: 1, change: withFile },
  { name: "never answered", steps: [go], effects: 0 },
  { name: "approved within the grace of a shared turn", steps: [go, approve], effects: 1, visibility: "shared" },
  {
    name: "approved when its shared turn had gone on",
    steps: [go, whenIdle, approve],
    effects: 1,
    visibility: "shared",
  },
  {
    name: "declined when its shared turn had gone on",
    steps: [go, whenIdle, decline],
    effects: 0,
    visibility: "shared",
  },
  { name: "never answered in a shared turn", steps: [go], effects: 0, visibility: "shared" },
];

async function play(
  { steps, visibility = "private", change }: Pick<(typeof SCENARIOS)[number], "steps" | "visibility" | "change">,
  killAt: readonly number[],
): Promise<HoldWorld> {
  const holds = new HoldWorld({ killAt });
  holds.visibility = visibility;
  change?.(holds);
  for (const step of steps) {
    while (!(await attempt(holds, step)));
  }
  await holds.world.run();
  return holds;
}

async function attempt(holds: HoldWorld, { when, act }: Step): Promise<boolean> {
  const { world } = holds;
  let isReady = false;
  await world.run(() => (isReady = when(holds)));
  if (!isReady) throw new Error("the moment of a step never came");
  try {
    await act(holds);
    return true;
  } catch (error) {
    if (world.crashes.isAlive) throw error;
    return false;
  }
}

/** The transcript; a call that was cut in its tool is shown as it would have been. */
function lines(holds: HoldWorld, uncut?: HoldWorld) {
  const expected = uncut && transcript(uncut.world);
  return transcript(holds.world).map((line, i) => {
    const isCut = line.outcome === "unknown" || /was interrupted/.test(line.text);
    return (isCut ? expected?.[i] : undefined) ?? line;
  });
}

function expectAtRest({ world, cards, effects }: HoldWorld, where: string): void {
  expect(Object.values(world.control.tasks), `${where}: no task is left`).toEqual([]);
  expect(world.control.turn, `${where}: no turn is stuck`).toBeNull();
  expect(world.alarm.armedFor, `${where}: no alarm is left`).toBeNull();
  expect(cards, `${where}: no card is left`).toEqual([]);
  expect(Math.max(0, ...effects.values()), `${where}: no call had its effect twice`).toBeLessThanOrEqual(1);
}

/** The audit is one whole chain that tells of the hold what it tells of an uncut one. A press that came again is beside it. */
function expectAudit(cut: HoldWorld, whole: HoldWorld, where: string): void {
  expect(verifyChain("web:test", cut.audit), `${where}: the audit`).toBeUndefined();
  const events = ({ audit }: HoldWorld) => audit.map(({ event }) => event).filter((event) => event !== "refused");
  expect(events(cut), `${where}: the audit`).toEqual(events(whole));
}

describe.each(SCENARIOS)("a held call, $name", ({ effects, input = { ref: "main" }, ...scenario }) => {
  it("[H-57] [H-66] [H-67] [H-73] [H-75] [H-77] [H-80] [H-12] [H-19] [H-90] [H-95] [W-42] dies before and after every commit, question and effect, and ends the same", async () => {
    const whole = await play(scenario, []);
    expectAtRest(whole, "uncut");
    expect(whole.totalEffects).toBe(effects);
    const points = whole.world.crashes.passed;
    expect(points.length).toBeGreaterThan(10);
    for (const [index, point] of points.entries()) {
      const where = `killed at ${index} (${point})`;
      const cut = await play(scenario, [index]);
      expectAtRest(cut, where);
      expect(lines(cut, whole), where).toEqual(lines(whole));
      expect(cut.totalEffects, where).toBeLessThanOrEqual(effects);
      expectAudit(cut, whole, where);
      expect(cut.inputs, `${where}: ran with the wrong arguments`).toEqual(cut.inputs.map(() => input));
    }
  });

  it.each([1, 3])("[H-57] [H-95] dies again %i points into the recovery, and ends the same", async (gap) => {
    const whole = await play(scenario, []);
    for (const index of whole.world.crashes.passed.keys()) {
      const where = `killed at ${index} and again ${gap} later`;
      const cut = await play(scenario, [index, index + gap]);
      expectAtRest(cut, where);
      expect(lines(cut, whole), where).toEqual(lines(whole));
      expect(cut.totalEffects, where).toBeLessThanOrEqual(effects);
      expectAudit(cut, whole, where);
    }
  });
});
