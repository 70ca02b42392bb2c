import { DurableObject } from "cloudflare:workers";

/**
 * An empty object with SQLite storage of its own, for tests of code that takes storage and alarm as ports: open one by
 * name and use `runInDurableObject(stub, (_, state) => …)`.
 */
export class Scratch extends DurableObject {
  /** A scratch object has no work of its own: an alarm that fires here is ignored. */
  override async alarm(): Promise<void> {}
}

export default {
  fetch(): Response {
    return new Response("the test Worker has no routes", { status: 404 });
  },
};
