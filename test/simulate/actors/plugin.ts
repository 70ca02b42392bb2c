import { defineNamespace, type HostTx, type Kernel, KernelError, type Registry } from "../../../src/kernel/index.ts";
import type { Step } from "../script.ts";
import type { Actor, Part, Stage } from "../stage.ts";

/** A plugin's state. Clients see its count only. */
export const NOTES = defineNamespace<{ count: number; secret: string; marker: string | null }>({
  name: "notes",
  sticky: { count: 0, secret: "plugin-secret", marker: "none" },
  view: ({ count }) => ({ count }),
});

/** A plugin that counts, tells the outside, and shapes the prompt. */
export type PluginStep = Step & { readonly actor: "plugin" } & (
    | { readonly do: "count" | "clear" | "throw" }
    | { readonly do: "tell"; readonly key: string; readonly afterMs: number }
  );

export const PLUGIN: Actor<PluginStep> = {
  name: "plugin",
  steps: {
    weight: 3,
    propose(random) {
      const what = random.pick(["count", "count", "clear", "throw", "tell", "tell"] as const);
      if (what !== "tell") return { actor: "plugin", do: what };
      const key = random.pick(["mirror", "mirror", "chat"]);
      const tell = { actor: "plugin", do: "tell", key, afterMs: random.pick([0, 0, 500, 20_000]) };
      const meanwhile = { actor: "time", do: "promises", count: 30 };
      return random.pick([[tell], [tell, meanwhile, tell, { actor: "time", do: "pass", ms: 3_000 }]]);
    },
  },
  enter: (stage) => new Plugin(stage),
};

class BuilderFailure extends Error {
  override readonly name = "BuilderFailure";
}

class Plugin implements Part<PluginStep> {
  readonly #stage: Stage;
  /** A clearing was acknowledged: null is stored. */
  #isCleared = false;
  /** Countings that were acknowledged, and those that were tried. */
  #counted = 0;
  #tried = 0;
  #told = 0;
  /** The newest content that a commit of which we know put under a key. */
  readonly #newest = new Map<string, number>();
  readonly invariants: Part<PluginStep>["invariants"];

  constructor(stage: Stage) {
    this.#stage = stage;
    const namespaceKeepsWhatIsStored = () => this.#findLoss();
    const newestRowIsDelivered = () => this.#findUntold();
    this.invariants = { rest: [namespaceKeepsWhatIsStored, newestRowIsDelivered] };
  }

  register(registry: Registry): void {
    const { missing, world } = this.#stage;
    if (!missing.has("notes")) registry.namespace(NOTES);
    if (missing.has("prompt")) return;
    const render = ({ read }: { read: Pick<Kernel, "get"> }) =>
      `${Math.floor(read.get(NOTES).count / 2)} pairs of notes.`;
    registry.registerSection({ name: "notes", kind: "stable", render });
    registry.registerSection({ name: "time", kind: "volatile", render: () => `It is ${world.clock.now()}.` });
  }

  async perform(step: PluginStep): Promise<void> {
    await this.#stage.act((kernel) => {
      if (this.#stage.world.registry.isLive(NOTES)) return this.#use(kernel, step);
      this.#requireRefusal(kernel, isStale, (tx) => tx.set(NOTES, { count: 1_000_000 }));
    });
  }

  #use(kernel: Kernel, step: PluginStep): void {
    switch (step.do) {
      case "count":
        this.#tried++;
        kernel.commit((tx) => tx.set(NOTES, { count: tx.get(NOTES).count + 1 }));
        this.#counted++;
        return;
      case "clear":
        kernel.commit((tx) => tx.set(NOTES, { marker: null }));
        this.#isCleared = true;
        return;
      case "throw":
        return this.#requireRefusal(kernel, isBuilderFailure, (tx) => {
          tx.set(NOTES, { count: 1_000_000 });
          tx.send({ key: "never", target: "outside", payload: null });
          throw new BuilderFailure("after two writes");
        });
      case "tell": {
        const { key, afterMs } = step;
        const payload = ++this.#told;
        kernel.commit((tx) => tx.send({ key, target: "outside", payload, afterMs }));
        this.#newest.set(key, payload);
      }
    }
  }

  /** The builder is refused for this reason, and nothing of it is kept. */
  #requireRefusal(kernel: Kernel, isExpected: (error: unknown) => boolean, builder: (tx: HostTx) => void): void {
    const { rev } = this.#stage.stored.control;
    try {
      kernel.commit(builder);
    } catch (error) {
      if (!isExpected(error)) throw error;
      const { control } = this.#stage.stored;
      const isKept = control.rev !== rev || control.outbox.some(({ key }) => key === "never");
      if (isKept) this.#stage.violated("refusedCommitWritesNothing", `revision ${rev} became ${control.rev}`);
      return;
    }
    this.#stage.violated("refusedCommitWritesNothing", "the commit was not refused");
  }

  /** Later content whose commit we do not know of may have been stored all the same. */
  #findUntold(): string | undefined {
    const untold = [...this.#newest].find(([key, payload]) => Number(this.#stage.outside.endOf(key) ?? 0) < payload);
    return untold && `${untold.join(" ")} was never delivered, but ${this.#stage.outside.endOf(untold[0])}`;
  }

  #findLoss(): string | undefined {
    const { count, marker } = this.#stage.world.kernel.get(NOTES);
    if (count < this.#counted || count > this.#tried) return `${count} notes, not ${this.#counted} to ${this.#tried}`;
    return this.#isCleared && marker !== null ? `a stored null became ${marker}` : undefined;
  }
}

function isBuilderFailure(error: unknown): boolean {
  return error instanceof BuilderFailure;
}

function isStale(error: unknown): boolean {
  return error instanceof KernelError && error.code === "stale_definition";
}
