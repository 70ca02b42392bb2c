import { BudgetObject } from "../../../src/objects/budget/budget.ts";
import { ConversationObject } from "../../../src/objects/conversation/conversation.ts";
import { PrincipalObject } from "../../../src/objects/principal/principal.ts";
import { checkConfig } from "../../../src/protocol/check-config.ts";
import { platformApp } from "../../../src/routes/platform-app.ts";

/** The operator's configuration of this test deployment, put in by the bundler. */
declare const __CONFIG__: unknown;

const config = checkConfig(__CONFIG__);

/** The real object class under a configuration of the test's own. */
export class Conversation extends ConversationObject {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env, { config });
  }
}

/** As {@link Conversation}. */
export class Principal extends PrincipalObject {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env, { config });
  }
}

/** As {@link Conversation}. */
export class Budget extends BudgetObject {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env, { config });
  }
}

const app = platformApp(config);

export default {
  fetch: (request: Request, env: Env): Promise<Response> => app.fetch(request, env),
};
