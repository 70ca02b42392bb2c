import { checkConfig } from "../../src/protocol/check-config.ts";
import type { Config, ConfigInput } from "../../src/protocol/config.ts";

/** Turns are counted, and no test that is not about that comes near. */
const ROOMY: ConfigInput = { turns: { running: 1_000, perMinute: 10_000, perHour: 10_000 } };

/**
 * What the objects of people and of the budget are made with: the platform makes them, so what a test decides waits here.
 * An object that lives keeps what it was made with.
 */
export class Deployment {
  static #current = new Deployment();
  readonly config: Config;
  /** Each has a budget of its own. */
  readonly budget = `budget ${crypto.randomUUID()}`;

  constructor(config: ConfigInput = {}) {
    this.config = checkConfig({ ...ROOMY, ...config });
  }

  /** Of the objects that are made from now on. */
  static get current(): Deployment {
    return Deployment.#current;
  }

  static begin(config: ConfigInput = {}): Deployment {
    Deployment.#current = new Deployment(config);
    return Deployment.#current;
  }

  /** The environment with this deployment's budget in the place of everybody's. */
  env<E extends { readonly BUDGET: DurableObjectNamespace }>(env: E): E {
    const budgets = env.BUDGET;
    return { ...env, BUDGET: { getByName: () => budgets.getByName(this.budget) } };
  }
}
