import config from "../althing.config.ts";
import { conversationClass } from "./objects/conversation.ts";
import { checkConfig } from "./protocol/check-config.ts";
import { createApp } from "./routes/app.ts";
import { log } from "./routes/log.ts";
import { ROUTES } from "./routes/table.ts";

/** Read once per isolate. A configuration that cannot be used stops the start here, and so a deployment too. */
const checked = checkConfig(config);

/** The class that wrangler.toml binds as CONVERSATION. */
export const Conversation = conversationClass({ config: checked });

const app = createApp(ROUTES, {
  config: checked,
  clock: { now: () => Date.now() },
  random: (bytes) => crypto.getRandomValues(bytes),
  log,
});

export default {
  fetch: (request: Request, env: Env): Promise<Response> => app.fetch(request, env),
};
