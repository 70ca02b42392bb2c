import { deepFreeze } from "../../lib/deep-freeze.ts";
import type { Json, JsonObject } from "../../lib/json.ts";
import { requireJson } from "../commit/guard.ts";
import { KernelError } from "../errors.ts";

/**
 * A plugin's named durable state in one conversation. The string names the stored state; this object is the authority
 * to touch it: after its registration was undone it is stale and every use throws `StaleDefinition`.
 */
export interface Namespace<T extends JsonObject = JsonObject> {
  readonly name: string;
  /** Every key and its value until something is stored under it. A stored value, null included, is never overwritten by a default. */
  readonly defaults: T;
  /** The keys whose value follows the transcript: a rewind or a fork takes them back to what they were. The others are "now" only. */
  readonly rewindable: ReadonlySet<string>;
  /** What clients see of it; absent: nothing. Must be pure. */
  view?(state: T): Json;
}

/** Says whether a namespace token is the one registered now. */
export interface NamespaceAuthority {
  isLive(namespace: Namespace): boolean;
}

const NAMESPACE_NAME = /^[a-z][a-z0-9_.-]{0,63}$/;

/** The tokens that were made here: no other object can say one name when asked whether it may, and another when it does. */
const made = new WeakSet<object>();

/** @throws when the token was not made by {@link defineNamespace}. */
export function requireMade(namespace: Namespace): void {
  if (made.has(namespace)) return;
  throw new KernelError("forbidden", `Namespace ${namespace.name} must be made by defineNamespace.`);
}

/**
 * Declares a namespace by the defaults of its two documents.
 * @throws when the name does not match `^[a-z][a-z0-9_.-]{0,63}$` or begins with `core.`, or a key stands in both.
 */
export function defineNamespace<S extends JsonObject, R extends JsonObject = S>(definition: {
  readonly name: string;
  readonly sticky?: S;
  readonly rewindable?: R;
  readonly view?: (state: S & R) => Json;
}): Namespace<S & R> {
  const { name, sticky, rewindable, view } = definition;
  requireName("Namespace", name);
  const keys = new Set(Object.keys(rewindable ?? {}));
  const both = Object.keys(sticky ?? {}).find((key) => keys.has(key));
  if (both !== undefined) {
    throw new Error(`Namespace ${name}: ${both} is declared sticky and rewindable; it belongs to one document.`);
  }
  requireJson({ ...sticky, ...rewindable }, name);
  const defaults = structuredClone({ ...sticky, ...rewindable }) as S & R;
  const namespace = Object.freeze({ name, defaults: deepFreeze(defaults), rewindable: keys, ...(view && { view }) });
  made.add(namespace);
  return namespace;
}

/** @throws when a name of a namespace, task kind or entry kind is badly formed or the kernel's own. */
export function requireName(what: string, name: string): void {
  if (typeof name !== "string" || !NAMESPACE_NAME.test(name)) {
    throw new Error(`${what} ${JSON.stringify(name)} must match ${NAMESPACE_NAME.source}: rename it.`);
  }
  if (name.startsWith("core.")) {
    throw new Error(`${what} ${name}: names under core. belong to the kernel; choose another.`);
  }
}
