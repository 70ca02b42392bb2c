import { SeededRandom } from "../kit/random.ts";
import { ACTORS, type AnyStep } from "./actors/index.ts";
import { CALLABLE } from "./actors/tools.ts";
import type {
  AnswerPlan,
  DeliveryPlan,
  HookPlan,
  HostPlan,
  PagePlan,
  Script,
  StorageFault,
  ToolPlan,
} from "./script.ts";
import type { Proposer } from "./stage.ts";

/** The script of a seed. Each seed has tastes of its own: what it does often, and what not at all. */
export function scriptOf(seed: number): Script<AnyStep> {
  const random = new SeededRandom(seed);
  const cast = ACTORS.flatMap(({ steps }) => steps ?? []).map((steps) => ({
    ...steps,
    weight: steps.weight * random.pick([0.2, 1, 1, 3]),
  }));
  const deaths = random.pick([0, 0.05, 0.15, 0.4]);
  const faults = random.pick([0, 0, 0, 0.05]);
  const length = random.between(8, 40);
  const steps: AnyStep[] = [];
  while (steps.length < length) steps.push(...propose(random, cast));
  return {
    steps: steps.map((step) => ({
      ...step,
      ...(random.unit() < deaths && { dies: random.between(0, 24) }),
      ...(random.unit() < faults && { fails: anyFault(random) }),
    })),
    answers: listOf(random, 8, anyAnswer),
    tools: listOf(random, 6, anyTool),
    deliveries: listOf(random, 4, anyDelivery),
    hosts: listOf(random, 6, random.pick([anyHost, () => ({ kind: "ok" })])),
    pages: listOf(random, 5, random.pick([anyPage, () => ({ kind: "ok" })])),
    fork: random.pick([null, null, null, null, random.between(0, 20)]),
    window: random.pick([null, null, null, 2_000, 8_000, 30_000]),
    hooks: listOf(random, 9, random.pick([anyHook, () => ({ kind: "pass" })])),
  };
}

function propose(random: SeededRandom, cast: readonly Proposer[]): readonly AnyStep[] {
  let left = random.unit() * cast.reduce((sum, { weight }) => sum + weight, 0);
  for (const { weight, propose: proposeStep } of cast) {
    left -= weight;
    if (left < 0) return [proposeStep(random)].flat() as AnyStep[];
  }
  throw new Error("nobody is there to do anything");
}

function listOf<T>(random: SeededRandom, most: number, make: (random: SeededRandom) => T): T[] {
  return Array.from({ length: random.between(1, most) }, () => make(random));
}

function anyFault(random: SeededRandom): StorageFault {
  return { in: random.between(0, 12), when: random.pick(["before", "after"] as const) };
}

function anyAnswer(random: SeededRandom): AnswerPlan {
  const dice = random.between(1, 20);
  if (dice <= 6) return { kind: "text" };
  if (dice <= 14) {
    const names = Array.from({ length: random.between(1, 4) }, () => random.pick(CALLABLE));
    const args = random.pick(["{}", "{}", "{}", "", '{"n":1}', '{"n":"one"}', "not JSON"]);
    return { kind: "calls", names, args, sameIds: random.unit() < 0.2 };
  }
  if (dice === 15) return { kind: "slow", ms: random.pick([1, 500, 3_000, 60_000]) };
  if (dice <= 17) {
    const retryable = random.unit() < 0.8;
    return { kind: "error", retryable, ...(random.unit() < 0.3 && { retryAfterMs: random.pick([10_000, 700_000]) }) };
  }
  return { kind: random.pick(["cut", "hang", "deaf", "empty", "length", "overflow"] as const) };
}

function anyTool(random: SeededRandom): ToolPlan {
  const kind = random.pick(["ok", "ok", "ok", "slow", "slow", "throw", "hang", "deaf", "large", "update"] as const);
  return kind === "slow" ? { kind, ms: random.pick([1, 100, 2_500, 30_000]) } : { kind };
}

function anyHook(random: SeededRandom): HookPlan {
  return { kind: random.pick(["pass", "pass", "pass", "pass", "edit", "edit", "slow", "throw", "hang"] as const) };
}

function anyHost(random: SeededRandom): HostPlan {
  return { kind: random.pick(["ok", "ok", "ok", "ok", "throw", "hang", "refuse", "none"] as const) };
}

function anyPage(random: SeededRandom): PagePlan {
  return { kind: random.pick(["ok", "ok", "ok", "slow", "throw", "hang", "refuse"] as const) };
}

function anyDelivery(random: SeededRandom): DeliveryPlan {
  return { kind: random.pick(["sent", "sent", "slow", "retry", "later", "drop", "throw", "hang", "lost"] as const) };
}
