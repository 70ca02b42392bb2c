import { defineNamespace, type Hooks, type HostTx, type Registry } from "../../../src/kernel/index.ts";
import type { HookPlan } from "../script.ts";
import type { Actor, Part, Stage } from "../stage.ts";
import { markOf } from "../vendor.ts";

/** What the handlers inside commits write. */
const WATCHED = defineNamespace<{ seen: number; poison: boolean }>({
  name: "watched",
  sticky: { seen: 0, poison: false },
});

/** Stands at the end of messages that a handler edited. */
export const HINT = { role: "user", content: [{ type: "text", text: "(a hint)" }] } as const;

/** Handlers at every point that do nothing, take their time, hang, throw, or change what they may. They do no steps. */
export const WATCHER: Actor = { name: "watcher", enter: (stage) => new Watcher(stage) };

class Watcher implements Part {
  readonly #stage: Stage;
  #yields = 0;
  readonly invariants: Part["invariants"];

  constructor(stage: Stage) {
    this.#stage = stage;
    const failedHandlersLeaveNothing = () => this.#findPoison();
    this.invariants = { step: [failedHandlersLeaveNothing] };
  }

  register(registry: Registry): void {
    if (this.#stage.missing.has("watcher")) return;
    registry.namespace(WATCHED);
    registry.hooks(WATCHED, this.#hooks());
  }

  #hooks(): Hooks {
    return {
      systemInstructions: (draft) =>
        this.#behave(() => void draft.stable.push({ name: "watch", text: "Mind the gap." })),
      beforeRequest: async (messages) => await this.#behave(() => [...messages, HINT]),
      afterResponse: async () => await this.#behave(() => undefined),
      onYield: async () => await this.#behave(() => `${markOf("yield", this.#yields++)} go on`),
      beforeTool: async () =>
        (await this.#behave(() => ({ kind: "pass", input: { n: 5 } }) as const)) ?? { kind: "pass" },
      afterTool: async (_call, result) => await this.#behave(() => ({ ...result, text: `${result.text} (seen)` })),
      afterTools: async () => await this.#behave(() => undefined),
      onAbort: async (_call, text) => await this.#behave(() => `${text} (seen)`),
      detached: (tx) => this.#write(tx),
      settled: (tx) => this.#write(tx),
      turnEnded: (tx) => this.#write(tx),
    };
  }

  /** Outside of commits: as planned. */
  async #behave<T>(edit: () => T): Promise<T | undefined> {
    const { clock } = this.#stage.world;
    const plan: HookPlan = this.#stage.nextHook();
    switch (plan.kind) {
      case "pass":
        return undefined;
      case "edit":
        return edit();
      case "slow":
        await clock.wait(clock.now() + 2_000, new AbortController().signal);
        return undefined;
      case "hang":
        return await new Promise<never>(() => undefined);
      case "throw":
        throw new Error("a handler that throws");
    }
  }

  /** Inside a commit: what one that throws has written goes. */
  #write(tx: HostTx): void {
    if (this.#stage.nextHook().kind !== "throw") return tx.set(WATCHED, { seen: tx.get(WATCHED).seen + 1 });
    tx.set(WATCHED, { poison: true });
    tx.send({ key: "poison", target: "outside", payload: null });
    throw new Error("a handler that throws");
  }

  #findPoison(): string | undefined {
    const { outbox } = this.#stage.stored.control;
    if (outbox.some(({ key }) => key === "poison")) return "its row of the outbox is there";
    const { world, missing } = this.#stage;
    const isUp = world.crashes.isAlive && !missing.has("watcher");
    return isUp && world.kernel.get(WATCHED).poison ? "its state is there" : undefined;
  }
}
