import { type Kernel, KernelError } from "../../../src/kernel/index.ts";
import type { Control } from "../../../src/kernel/state/control.ts";
import type { Step } from "../script.ts";
import { type Actor, CODE, type Code, type Invariants, type Stage } from "../stage.ts";

/** What the platform does to an object: kills it, deploys other code, rings twice, retries an alarm, evicts. */
export type PlatformStep = Step & { readonly actor: "platform" } & (
    | { readonly do: "crash" | "ring" | "evict" | "hold" | "release" }
    | { readonly do: "deploy"; readonly without: readonly Code[] }
    | { readonly do: "retry"; readonly count: number }
  );

/** Longer than a tool that does not listen is waited for. */
const GRACE_MS = 6_000;

const EVICT = { actor: "platform", do: "evict" } as const;
/** While it is held, somebody says something. */
const HELD = [
  { actor: "time", do: "pass", ms: 5_000 },
  { actor: "platform", do: "hold" },
  { actor: "people", do: "say", who: "p_anna", mode: "none" },
  { actor: "time", do: "promises", count: 40 },
  { actor: "platform", do: "release" },
] as const;

export const PLATFORM: Actor<PlatformStep> = {
  name: "platform",
  steps: {
    weight: 5,
    propose(random) {
      const dice = random.between(1, 10);
      if (dice <= 3) return { actor: "platform", do: "crash" };
      if (dice <= 5) return { actor: "platform", do: "ring" };
      if (dice === 6) return random.pick([[EVICT], HELD]);
      if (dice === 7) return { actor: "platform", do: "retry", count: random.between(1, 6) };
      const without = CODE.filter(() => random.unit() < 0.3);
      return { actor: "platform", do: "deploy", without };
    },
  },
  enter(stage) {
    const holding = new Holding(stage);
    return {
      invariants: holding.invariants,
      perform: (step) => perform(stage, holding, step),
    };
  },
};

async function perform(stage: Stage, holding: Holding, step: PlatformStep): Promise<void> {
  switch (step.do) {
    case "crash":
      return stage.world.crash();
    case "ring":
      return stage.world.alarm.ring(stage.world.clock.now());
    case "evict":
      return await evict(stage);
    case "deploy":
      return stage.deploy(step.without);
    case "retry":
      stage.world.nextRetryCount = step.count;
      return;
    case "hold":
      await stage.act((kernel) => holding.hold(kernel));
      return;
    case "release":
      return holding.release();
  }
}

/** A kernel that is held begins nothing until it is released. */
class Holding {
  readonly #stage: Stage;
  #held: { readonly life: number; readonly release: () => void } | undefined;
  readonly invariants: Invariants;

  constructor(stage: Stage) {
    this.#stage = stage;
    const heldBeginsNothing = () => (this.#isHeld() ? "a request left while the kernel was held" : undefined);
    this.invariants = { request: [heldBeginsNothing] };
  }

  hold(kernel: Kernel): void {
    const { isQuiescent } = kernel;
    try {
      const release = kernel.hold();
      this.release();
      this.#held = { life: this.#stage.world.crashes.life, release };
      if (!isQuiescent) this.#stage.violated("holdsOnlyWhatRests", "held although something was under way");
    } catch (error) {
      const isRefused = error instanceof KernelError && error.code === "not_quiescent";
      if (!isRefused || isQuiescent) throw error;
    }
  }

  release(): void {
    if (this.#isHeld()) this.#held?.release();
    this.#held = undefined;
  }

  #isHeld(): boolean {
    return this.#held?.life === this.#stage.world.crashes.life;
  }
}

/** A kernel that closes leaves everything as it is for the next one. */
async function evict(stage: Stage): Promise<void> {
  const closing = await stage.act((kernel) => {
    const before = workOf(stage.stored.control);
    return { before, life: stage.world.crashes.life, closed: kernel.close() };
  });
  let isClosed = false;
  void closing.closed.then(() => {
    isClosed = true;
  });
  await stage.run(() => isClosed, stage.world.clock.now() + GRACE_MS);
  if (stage.world.crashes.life !== closing.life) return;
  const after = workOf(stage.stored.control);
  if (after !== closing.before) stage.violated("closingWritesNoOutcome", `${closing.before} became ${after}`);
  stage.world.crash();
}

function workOf({ turn, inbox, tasks, lastEntry }: Control): string {
  return JSON.stringify([turn, inbox, tasks, lastEntry]);
}
