import type { Json, JsonObject } from "../../lib/json.ts";
import { requireJson } from "../commit/guard.ts";
import { KernelError } from "../errors.ts";
import { CORE_CONFIG } from "../state/core-config.ts";
import type { Checkpoint } from "../state/task.ts";
import type { Hooks } from "./hooks.ts";
import { type Namespace, type NamespaceAuthority, requireMade, requireName } from "./namespace.ts";
import type { Section } from "./section.ts";
import type { TaskDefinition } from "./task-definition.ts";
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
  readonly #tasks = new Map<string, TaskDefinition>();
  readonly #namespaces = new Map<string, Namespace<JsonObject>>();
  readonly #config = new Map<string, Json>();
  #hooks: readonly HookSet[] = [];
  #last: HookSet | undefined;

  registerTool(tool: Tool): Undo {
    return addOnce(this.#tools, "tool", tool.name, tool);
  }

  registerSection(section: Section): Undo {
    return addOnce(this.#sections, "section", section.name, section);
  }

  /**
   * Makes a task kind live. Undone, its tasks wait where they are; an invocation under way ends with the code it began with.
   * @throws KernelError `duplicate_name` also when a configuration key is declared already.
   */
  registerTaskKind<I extends Json, C extends Checkpoint>(definition: TaskDefinition<I, C>): Undo {
    const { kind, config = {} } = definition;
    requireName("Task kind", kind);
    requireJson(config, `the configuration of ${kind}`);
    const declared = Object.entries(structuredClone(config));
    const [taken] = declared.find(([key]) => this.#config.has(key) || Object.hasOwn(CORE_CONFIG, key)) ?? [];
    if (taken !== undefined) throw duplicate("configuration key", taken);
    const undo = addOnce(this.#tasks, "task kind", kind, definition as unknown as TaskDefinition, () => {
      for (const [key] of declared) this.#config.delete(key);
    });
    for (const [key, value] of declared) this.#config.set(key, value);
    return undo;
  }

  /** Makes a namespace token live. Undoing also takes its hooks away; stored state stays. */
  namespace<T extends JsonObject>(namespace: Namespace<T>): Undo {
    requireMade(namespace);
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
    if (this.#last !== undefined && hooks.beforeTool) {
      throw new KernelError(
        "forbidden",
        `${namespace.name} has a handler before tools, but ${this.#last.namespace.name} is the last of them: register it earlier.`,
      );
    }
    const set: HookSet = { namespace, hooks };
    this.#hooks = [...this.#hooks, set];
    return () => {
      this.#hooks = this.#hooks.filter((other) => other !== set);
    };
  }

  /**
   * As {@link hooks}, and no handler before tools may come after these: none sees other arguments than they did.
   * @throws KernelError `forbidden` from whoever tries.
   */
  lastHooks(namespace: Namespace<JsonObject>, hooks: Hooks): Undo {
    const undo = this.hooks(namespace, hooks);
    this.#last = { namespace, hooks };
    return () => {
      this.#last = undefined;
      undo();
    };
  }

  isLive(namespace: Namespace<JsonObject>): boolean {
    return this.#namespaces.get(namespace.name) === namespace;
  }

  /** The live definition of a plugin's task kind. */
  task(kind: string): TaskDefinition | undefined {
    return this.#tasks.get(kind);
  }

  namespaces(): readonly Namespace<JsonObject>[] {
    return [...this.#namespaces.values()];
  }

  /** Every declared configuration key and its default. */
  configDefaults(): ReadonlyMap<string, Json> {
    return this.#config;
  }

  snapshot(): RegistrySnapshot {
    return { tools: new Map(this.#tools), sections: [...this.#sections.values()], hooks: this.#hooks };
  }
}

function addOnce<V>(map: Map<string, V>, what: string, name: string, value: V, onUndo?: () => void): Undo {
  if (map.has(name)) throw duplicate(what, name);
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

function duplicate(what: string, name: string): KernelError {
  return new KernelError("duplicate_name", `A ${what} named ${name} is registered already: rename one of the two.`);
}
