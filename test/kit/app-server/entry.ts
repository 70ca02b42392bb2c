import { ConversationObject } from "../../../src/objects/conversation.ts";
import { checkConfig } from "../../../src/protocol/check-config.ts";
import { createApp } from "../../../src/routes/app.ts";
import { log } from "../../../src/routes/log.ts";
import { ROUTES } from "../../../src/routes/table.ts";

/** The operator's configuration of this test deployment, put in by the bundler. */
declare const __CONFIG__: unknown;

const config = checkConfig(__CONFIG__);

/** The real object class under a configuration of the test's own. */
export class Conversation extends ConversationObject {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env, { config });
  }
}

const app = createApp(ROUTES, {
  config,
  clock: { now: () => Date.now() },
  random: (bytes) => crypto.getRandomValues(bytes),
  log,
});

export default {
  fetch: (request: Request, env: Env): Promise<Response> => app.fetch(request, env),
};
