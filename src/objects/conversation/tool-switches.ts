import type { Registry, Tool } from "../../kernel/index.ts";

/** The tools of a deployment in one conversation's registry: those that are switched on, in the deployment's order. */
export class ToolSwitches {
  readonly #registry: Registry;
  readonly #tools: readonly Tool[];
  #on: readonly Tool[] = [];
  #undo: readonly (() => void)[] = [];

  /** All of them are on. */
  constructor(registry: Registry, tools: readonly Tool[]) {
    this.#registry = registry;
    this.#tools = tools;
    this.follow([]);
  }

  /** Makes the registry hold what is switched on. All at once: a step sees the tools of before, or those of after. */
  follow(off: readonly string[]): void {
    const on = this.#tools.filter(({ name }) => !off.includes(name));
    if (on.length === this.#on.length && on.every((tool, index) => tool === this.#on[index])) return;
    for (const undo of this.#undo) undo();
    this.#undo = on.map((tool) => this.#registry.registerTool(tool));
    this.#on = on;
  }
}
