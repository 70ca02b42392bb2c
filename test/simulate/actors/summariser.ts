import type { Kernel } from "../../../src/kernel/index.ts";
import { tasksOf } from "../../../src/kernel/state/control.ts";
import { SUMMARY_INVARIANTS } from "../invariants/summaries.ts";
import type { Step } from "../script.ts";
import type { Actor, Part, Stage } from "../stage.ts";

/** Somebody who has older messages summarised, and says how much stays and whether it happens by itself. */
export type SummariserStep = Step & { readonly actor: "summariser" } & (
    | { readonly do: "compact" }
    | { readonly do: "keep"; readonly tokens: number }
    | { readonly do: "auto"; readonly on: boolean }
  );

export const SUMMARISER: Actor<SummariserStep> = {
  name: "summariser",
  steps: {
    weight: 2,
    propose(random) {
      const compact = { actor: "summariser", do: "compact" };
      const keep = { actor: "summariser", do: "keep", tokens: random.pick([0, 200, 2_000, 20_000]) };
      const auto = { actor: "summariser", do: "auto", on: random.unit() < 0.7 };
      const long = { actor: "people", do: "say", who: "p_anna", mode: "none", long: true };
      const rest = { actor: "time", do: "pass", ms: 5_000 };
      const reset = { actor: "historian", do: "reset" };
      return random.pick([[compact], [long, keep], [long, long, compact], [auto], [long, long, rest, compact, reset]]);
    },
  },
  enter: (stage) => new Summariser(stage),
};

class Summariser implements Part<SummariserStep> {
  readonly #stage: Stage;
  readonly invariants = SUMMARY_INVARIANTS;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  async perform(step: SummariserStep): Promise<void> {
    await this.#stage.act((kernel) => this.#perform(kernel, step));
  }

  #perform(kernel: Kernel, step: SummariserStep): void {
    switch (step.do) {
      case "compact":
        return this.#compact(kernel);
      case "keep":
        kernel.commit((tx) => tx.configure("keepRecentTokens", step.tokens));
        return;
      case "auto":
        kernel.commit((tx) => tx.configure("autoCompact", step.on));
    }
  }

  #compact(kernel: Kernel): void {
    const busyKinds = ["core.compaction", "core.import"];
    const isBusy = tasksOf(this.#stage.stored.control).some(({ kind }) => busyKinds.includes(kind));
    const outcome = kernel.compact();
    if ((outcome === "busy") !== isBusy) this.#stage.violated("oneSummaryAtATime", `${outcome}, busy: ${isBusy}`);
  }
}
