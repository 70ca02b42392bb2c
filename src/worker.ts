import operatorConfig from "../althing.config.ts";
import { BudgetObject } from "./objects/budget/budget.ts";
import { ConversationObject } from "./objects/conversation/conversation.ts";
import { PrincipalObject } from "./objects/principal/principal.ts";
import { checkConfig } from "./protocol/check-config.ts";
import { platformApp } from "./routes/platform-app.ts";

/** Read once per isolate. One that cannot be used stops the start here, and so a deployment too. */
const config = checkConfig(operatorConfig);

/** The class that wrangler.toml binds as CONVERSATION. */
export class Conversation extends ConversationObject {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env, { config });
  }
}

/** The class that wrangler.toml binds as PRINCIPAL. */
export class Principal extends PrincipalObject {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env, { config });
  }
}

/** The class that wrangler.toml binds as BUDGET. */
export class Budget extends BudgetObject {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env, { config });
  }
}

const app = platformApp(config);

export default {
  fetch: (request: Request, env: Env): Promise<Response> => app.fetch(request, env),
};
