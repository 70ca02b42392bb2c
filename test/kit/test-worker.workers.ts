import { DurableObject } from "cloudflare:workers";
import { ConversationObject } from "../../src/objects/conversation.ts";
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

export default {
  fetch(): Response {
    return new Response("the test Worker has no routes", { status: 404 });
  },
};
