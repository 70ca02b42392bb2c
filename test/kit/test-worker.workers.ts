import { DurableObject } from "cloudflare:workers";
import { BudgetObject } from "../../src/objects/budget/budget.ts";
import { ConversationObject } from "../../src/objects/conversation/conversation.ts";
import { PrincipalObject } from "../../src/objects/principal/principal.ts";
import { Deployment } from "./deployment.workers.ts";
import { Stage } from "./stage.workers.ts";

/**
 * An empty object with SQLite storage of its own, for tests of code that takes storage and alarm as ports: open one by
 * name and use `runInDurableObject(stub, (_, state) => …)`.
 */
export class Scratch extends DurableObject {
  /** A scratch object has no work of its own: an alarm that fires here is ignored. */
  override async alarm(): Promise<void> {}
}

/** The real conversation, with the outside that its test has set up. */
export class Conversation extends ConversationObject {
  constructor(ctx: DurableObjectState, env: Env) {
    const stage = Stage.of(ctx.id.name);
    super(ctx, { ...env, DB: stage.database.d1 }, stage.options);
  }
}

/** The real person's object, under the configuration that its test has set. */
export class Principal extends PrincipalObject {
  constructor(ctx: DurableObjectState, env: Env) {
    const { current } = Deployment;
    super(ctx, current.env(env), { config: current.config });
  }
}

/** The real budget of the deployment. */
export class Budget extends BudgetObject {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env, { config: Deployment.current.config });
  }
}

export default {
  fetch(): Response {
    return new Response("the test Worker has no routes", { status: 404 });
  },
};
