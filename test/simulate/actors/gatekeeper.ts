import { decideAll, GATE, registerGate } from "../../kit/mini-gate.ts";
import type { Step } from "../script.ts";
import type { Actor, Part, Stage } from "../stage.ts";

/** The tool whose calls wait for a person. */
export const GATED = "send";

/** A person who decides what waits. */
export type GatekeeperStep = Step & {
  readonly actor: "gatekeeper";
  readonly do: "approve" | "decline";
};

export const GATEKEEPER: Actor<GatekeeperStep> = {
  name: "gatekeeper",
  steps: {
    weight: 4,
    propose(random) {
      const decision = { actor: "gatekeeper", do: random.pick(["approve", "approve", "decline"] as const) };
      if (random.unit() < 0.6) return decision;
      const say = { actor: "people", do: "say", who: random.pick(["p_anna", "p_bert"]), mode: "none" };
      const wait = () => ({ actor: "time", do: "waits", count: random.between(1, 4) });
      const letGo = [{ ...say, asks: [GATED] }, wait(), say];
      const stop = { actor: "people", do: "stop" };
      const deploy = (...without: readonly string[]) => ({ actor: "platform", do: "deploy", without });
      const ungated = [{ ...say, asks: [GATED] }, wait(), deploy("gate"), say, deploy()];
      return random.pick([
        letGo,
        ungated,
        [...letGo, wait(), decision],
        [...letGo, wait(), say, decision, wait(), stop],
      ]);
    },
  },
  enter: (stage) => new Gatekeeper(stage),
};

class Gatekeeper implements Part<GatekeeperStep> {
  readonly #stage: Stage;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  register(...[registry, kernel]: Parameters<NonNullable<Part<GatekeeperStep>["register"]>>): void {
    if (!this.#stage.missing.has("gate")) registerGate(registry, kernel, GATED);
  }

  async perform(step: GatekeeperStep): Promise<void> {
    await this.#decide(step.do === "approve" ? "approved" : "declined");
  }

  async calm(): Promise<void> {
    await this.#decide("approved");
  }

  async #decide(decision: "approved" | "declined"): Promise<void> {
    await this.#stage.act((kernel) => {
      if (this.#stage.world.registry.isLive(GATE)) decideAll(kernel, decision);
    });
  }
}
