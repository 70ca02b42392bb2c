import type { Registry } from "../registry/registry.ts";
import type { TaskDefinition } from "../registry/task-definition.ts";
import type { TaskKind } from "../registry/task-kind.ts";
import { CORE_KINDS } from "../state/kinds.ts";

/** Whether there is code for a task kind. Tasks without it are blocked: nothing wakes for them. */
function knowsKind(registry: Registry, kind: string): boolean {
  return CORE_KINDS.has(kind) || registry.task(kind) !== undefined;
}

/** The task kinds that the loop can run: the kernel's own, and those of plugins as far as they are registered now. */
export class Kinds {
  readonly #registry: Registry;
  readonly #core = new Map<string, TaskKind>();
  readonly #ofPlugins = new WeakMap<TaskDefinition, TaskKind>();
  #wrap: ((definition: TaskDefinition) => TaskKind) | undefined;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** Called once, before anything runs. */
  install(core: readonly TaskKind[], wrap: (definition: TaskDefinition) => TaskKind): void {
    for (const kind of core) this.#core.set(kind.kind, kind);
    this.#wrap = wrap;
  }

  knows(kind: string): boolean {
    return knowsKind(this.#registry, kind);
  }

  of(kind: string): TaskKind | undefined {
    const core = this.#core.get(kind);
    if (core) return core;
    const definition = this.#registry.task(kind);
    if (!definition || !this.#wrap) return undefined;
    const known = this.#ofPlugins.get(definition);
    if (known) return known;
    const wrapped = this.#wrap(definition);
    this.#ofPlugins.set(definition, wrapped);
    return wrapped;
  }
}
