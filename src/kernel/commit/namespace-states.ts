import { utf8Bytes } from "../../lib/bytes.ts";
import { findJsonFault, type Json, type JsonObject } from "../../lib/json.ts";
import { nearest } from "../../lib/nearest.ts";
import { KernelError } from "../errors.ts";
import { MAX_NAMESPACE_BYTES } from "../limits.ts";
import type { StoragePort } from "../ports/storage.ts";
import type { Namespace, NamespaceAuthority } from "../registry/namespace.ts";
import { writeNamespace } from "../storage/namespaces.ts";

/** The stored slices of one commit: those committed before, and what it changed. */
export class NamespaceStates {
  readonly #stored: ReadonlyMap<string, JsonObject>;
  readonly #authority: NamespaceAuthority;
  readonly changed = new Map<string, JsonObject>();

  constructor(stored: ReadonlyMap<string, JsonObject>, authority: NamespaceAuthority) {
    this.#stored = stored;
    this.#authority = authority;
  }

  get<T extends JsonObject>(namespace: Namespace<T>): T {
    this.requireLive(namespace);
    return structuredClone<T>({ ...namespace.defaults, ...this.#slice(namespace.name) });
  }

  /** Sets declared keys. Writes nothing when they hold these values already. */
  set<T extends JsonObject>(namespace: Namespace<T>, patch: Partial<T>, storage: StoragePort): void {
    this.requireLive(namespace);
    requireDeclared(namespace, patch);
    const before = this.#slice(namespace.name) ?? {};
    const after = structuredClone({ ...before, ...patch }) as JsonObject;
    const text = JSON.stringify(after);
    if (text === JSON.stringify(before)) return;
    requireSize(namespace.name, text);
    writeNamespace(storage, namespace.name, text);
    this.changed.set(namespace.name, after);
  }

  /** @throws KernelError `stale_definition` when the token is not the one registered now. */
  requireLive(namespace: Namespace<JsonObject>): void {
    if (this.#authority.isLive(namespace)) return;
    throw new KernelError(
      "stale_definition",
      `StaleDefinition: namespace ${namespace.name} is not the one registered now; use the current token.`,
    );
  }

  #slice(name: string): JsonObject | undefined {
    return this.changed.get(name) ?? this.#stored.get(name);
  }
}

function requireDeclared(namespace: Namespace<JsonObject>, patch: { readonly [key: string]: Json | undefined }): void {
  for (const [key, value] of Object.entries(patch)) {
    if (!Object.hasOwn(namespace.defaults, key)) {
      const close = nearest(key, Object.keys(namespace.defaults));
      const hint = close ? `did you mean ${close}?` : "declare it with a default.";
      throw new KernelError("unknown_key", `Namespace ${namespace.name} has no key ${JSON.stringify(key)}: ${hint}`);
    }
    const fault = findJsonFault(value, `${namespace.name}.${key}`);
    if (fault) throw new KernelError("not_json", `${fault.path} cannot be stored: ${fault.reason}.`);
  }
}

function requireSize(name: string, text: string): void {
  const bytes = utf8Bytes(text);
  if (bytes <= MAX_NAMESPACE_BYTES) return;
  throw new KernelError(
    "too_large",
    `Namespace ${name} would have ${bytes} bytes, the limit is ${MAX_NAMESPACE_BYTES}: remove something first.`,
  );
}
