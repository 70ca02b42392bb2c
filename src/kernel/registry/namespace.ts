import type { Json, JsonObject } from "../../lib/json.ts";

/**
 * A plugin's named durable state in one conversation. The string names the stored state; this object is the authority
 * to touch it: after `unregister` it is stale and every use throws {@link StaleDefinition}.
 */
export interface Namespace<T extends JsonObject = JsonObject> {
  readonly name: string;
  /** Every key and its value until something is stored under it. A stored value, null included, is never overwritten by a default. */
  readonly defaults: T;
  /** What clients see of it; absent: nothing. Must be pure. */
  view?(state: T): Json;
}

/** Says whether a namespace token is the one registered now. */
export interface NamespaceAuthority {
  isLive(namespace: Namespace): boolean;
}

const NAMESPACE_NAME = /^[a-z][a-z0-9_.-]{0,63}$/;

/**
 * Declares a namespace.
 * @throws when the name does not match `^[a-z][a-z0-9_.-]{0,63}$` or begins with `core.`.
 */
export function defineNamespace<T extends JsonObject>(definition: Namespace<T>): Namespace<T> {
  if (!NAMESPACE_NAME.test(definition.name)) {
    throw new Error(`Namespace ${JSON.stringify(definition.name)} must match ${NAMESPACE_NAME.source}: rename it.`);
  }
  if (definition.name.startsWith("core.")) {
    throw new Error(`Namespace ${definition.name}: names under core. belong to the kernel; choose another.`);
  }
  return definition;
}
