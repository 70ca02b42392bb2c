import type { JsonObject } from "../../lib/json.ts";
import { KernelError } from "../errors.ts";
import type { Hooks } from "./hooks.ts";
import type { Namespace, NamespaceAuthority } from "./namespace.ts";
import type { Section } from "./section.ts";
import type { TaskKind } from "./task-kind.ts";
import type { Tool } from "./tool.ts";

/** Takes a registration back, exactly that one; a second call does nothing. */
export type Undo = () => void;

/** The handlers of one namespace. */
export interface HookSet {
  readonly namespace: Namespace<JsonObject>;
  readonly hooks: Hooks;
}

/** The registry as one step sees it: later changes do not reach it. */
export interface RegistrySnapshot {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly sections: readonly Section[];
  readonly hooks: readonly HookSet[];
}

/** What code contributes to conversations. Holds no durable state: every start fills it anew. */
export class Registry implements NamespaceAuthority {
  readonly #tools = new Map<string, Tool>();
  readonly #sections = new Map<string, Section>();
  readonly #kinds = new Map<string, TaskKind>();
  readonly #namespaces = new Map<string, Namespace<JsonObject>>();
  #hooks: readonly HookSet[] = [];

  registerTool(tool: Tool): Undo {
    return addOnce(this.#tools, "tool", tool.name, tool);
  }

  registerSection(section: Section): Undo {
    return addOnce(this.#sections, "section", section.name, section);
  }

  registerTaskKind(kind: TaskKind): Undo {
    return addOnce(this.#kinds, "task kind", kind.kind, kind);
  }

  /** Makes a namespace token live. Undoing also takes its hooks away; stored state stays. */
  namespace<T extends JsonObject>(namespace: Namespace<T>): Undo {
    return addOnce<Namespace<JsonObject>>(this.#namespaces, "namespace", namespace.name, namespace, () => {
      this.#hooks = this.#hooks.filter((set) => set.namespace !== namespace);
    });
  }

  /** @throws KernelError `stale_definition` when the namespace is not the registered one. */
  hooks(namespace: Namespace<JsonObject>, hooks: Hooks): Undo {
    if (!this.isLive(namespace)) {
      throw new KernelError(
        "stale_definition",
        `StaleDefinition: register namespace ${namespace.name} before its hooks.`,
      );
    }
    const set: HookSet = { namespace, hooks };
    this.#hooks = [...this.#hooks, set];
    return () => {
      this.#hooks = this.#hooks.filter((other) => other !== set);
    };
  }

  isLive(namespace: Namespace<JsonObject>): boolean {
    return this.#namespaces.get(namespace.name) === namespace;
  }

  kind(name: string): TaskKind | undefined {
    return this.#kinds.get(name);
  }

  namespaces(): readonly Namespace<JsonObject>[] {
    return [...this.#namespaces.values()];
  }

  snapshot(): RegistrySnapshot {
    return { tools: new Map(this.#tools), sections: [...this.#sections.values()], hooks: this.#hooks };
  }
}

function addOnce<V>(map: Map<string, V>, what: string, name: string, value: V, onUndo?: () => void): Undo {
  if (map.has(name)) {
    throw new KernelError("duplicate_name", `A ${what} named ${name} is registered already: rename one of the two.`);
  }
  map.set(name, value);
  // Counted by registration, not by value: the same object may be registered again later.
  let isRegistered = true;
  return () => {
    if (!isRegistered) return;
    isRegistered = false;
    map.delete(name);
    onUndo?.();
  };
}
