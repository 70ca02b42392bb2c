import * as z from "zod";
import { defineTool, type Kernel, type Registry, type Tool } from "../../../src/kernel/index.ts";
import { JOB_INVARIANTS } from "../invariants/jobs.ts";
import { DEFAULT_PACE, JOB, type JobInput, JobKind, type Move, PACE } from "../job-kind.ts";
import type { Step } from "../script.ts";
import type { Actor, Part, Stage } from "../stage.ts";

const MOVES: readonly Move[] = [
  "mark",
  "effect",
  "effect",
  "sleep",
  "nap",
  "park",
  "child",
  "spawn",
  "memo",
  "again",
  "mark",
];
const LAST_MOVES: readonly Move[] = ["mark", "mark", "mark", "throw", "fail", "hang"];
/** What a call has done for it. */
const DELEGATED: readonly Move[] = ["effect", "nap", "mark"];

/** A plugin's work in the background, begun by a step or by a call that waits for it. `nth` picks a live job. */
export type JobsStep = Step & { readonly actor: "jobs" } & (
    | { readonly do: "begin"; readonly moves: readonly Move[] }
    | { readonly do: "abort" | "wake"; readonly nth: number }
    | { readonly do: "configure"; readonly pace: number | null | "default" }
  );

export const JOBS: Actor<JobsStep> = {
  name: "jobs",
  steps: {
    weight: 3,
    propose(random) {
      const dice = random.between(1, 10);
      if (dice <= 6) {
        const moves = Array.from({ length: random.between(1, 5) }, () => random.pick(MOVES));
        return { actor: "jobs", do: "begin", moves: [...moves, random.pick(LAST_MOVES)] };
      }
      if (dice === 7) return { actor: "jobs", do: "configure", pace: random.pick([1, null, "default"]) };
      return { actor: "jobs", do: random.pick(["abort", "wake"]), nth: random.between(0, 5) };
    },
  },
  enter: (stage) => new Jobs(stage),
};

class Jobs implements Part<JobsStep> {
  readonly #stage: Stage;
  readonly #kind: JobKind;
  readonly invariants = JOB_INVARIANTS;

  constructor(stage: Stage) {
    this.#stage = stage;
    this.#kind = new JobKind(stage);
  }

  register(registry: Registry): void {
    if (!this.#stage.missing.has("jobs")) registry.registerTaskKind(this.#kind.definition);
  }

  tools(): readonly Tool[] {
    if (this.#stage.missing.has("jobs")) return [];
    const delegate = defineTool({
      name: "delegate",
      description: "Has something done in the background and waits for it.",
      input: z.object({ n: z.number().default(0) }),
      replay: "safe",
      execute: (_input, context) => {
        const waitFor = context.begin("job", this.#kind.definition, { moves: DELEGATED });
        return Promise.resolve({ waitFor });
      },
    });
    return [delegate];
  }

  async perform(step: JobsStep): Promise<void> {
    await this.#stage.act((kernel) => {
      if (!this.#stage.missing.has("jobs")) this.#perform(kernel, step);
    });
  }

  /** Jobs that wait for somebody are woken; one that would never end is ended. */
  async calm(): Promise<void> {
    await this.#stage.act((kernel) => {
      kernel.commit((tx) => {
        for (const { id, input } of this.#live()) {
          if ((input as JobInput).moves.includes("hang")) tx.abort(id);
          else tx.wake(id);
        }
      });
    });
  }

  #perform(kernel: Kernel, step: JobsStep): void {
    switch (step.do) {
      case "begin":
        kernel.commit((tx) => tx.createTask(this.#kind.definition, { moves: step.moves }));
        return;
      case "configure":
        return this.#configure(kernel, step.pace === "default" ? undefined : step.pace);
      case "wake":
      case "abort":
        return this.#touch(kernel, step.do, step.nth);
    }
  }

  /** What was set stands, null too; taken back, the default does. */
  #configure(kernel: Kernel, pace: number | null | undefined): void {
    kernel.commit((tx) => tx.configure(PACE, pace));
    const [expected, standing] = [pace === undefined ? DEFAULT_PACE : pace, kernel.config(PACE)];
    const shown = kernel.snapshot().view.config[PACE];
    if (standing !== expected || shown !== expected) {
      this.#stage.violated("configIsWhatWasSet", `${expected} was set, ${JSON.stringify([standing, shown])} stands`);
    }
  }

  #touch(kernel: Kernel, what: "wake" | "abort", nth: number): void {
    const jobs = this.#live();
    const job = jobs[nth % Math.max(1, jobs.length)];
    if (!job) return;
    const done = kernel.commit((tx) => (what === "wake" ? tx.wake(job.id) : tx.abort(job.id)));
    const expected = what === "wake" ? job.status === "parked" : !job.aborting;
    if (done !== expected) this.#stage.violated("touchesWhatIsThere", `${what} of ${JSON.stringify(job)} gave ${done}`);
  }

  #live() {
    return Object.values(this.#stage.stored.control.tasks).filter(({ kind }) => kind === JOB);
  }
}
