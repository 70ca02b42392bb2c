import type { Step } from "../script.ts";
import type { Actor } from "../stage.ts";

/** Time that passes: some promises, some waits, or some milliseconds. */
export type TimeStep = Step & { readonly actor: "time" } & (
    | { readonly do: "promises" | "waits"; readonly count: number }
    | { readonly do: "pass"; readonly ms: number }
  );

export const TIME: Actor<TimeStep> = {
  name: "time",
  steps: {
    weight: 10,
    propose(random) {
      const dice = random.between(1, 10);
      if (dice <= 4) return { actor: "time", do: "promises", count: random.between(1, 60) };
      if (dice <= 8) return { actor: "time", do: "waits", count: random.between(1, 6) };
      return { actor: "time", do: "pass", ms: random.pick([1, 1_000, 2_000, 5_000, 130_000, 700_000]) };
    },
  },
  enter: (stage) => ({
    async perform(step) {
      switch (step.do) {
        case "promises":
          for (let n = 0; n < step.count; n++) await Promise.resolve();
          return;
        case "waits": {
          let waits = 0;
          return await stage.run(() => ++waits > step.count);
        }
        case "pass":
          return await stage.pass(step.ms);
      }
    },
  }),
};
