import { utf8Bytes } from "../../lib/bytes.ts";
import { findJsonFault, type Json, type JsonObject } from "../../lib/json.ts";
import { nearest } from "../../lib/nearest.ts";
import { KernelError } from "../errors.ts";
import { MAX_NAMESPACE_BYTES } from "../limits.ts";
import type { StoragePort } from "../ports/storage.ts";
import type { Namespace, NamespaceAuthority } from "../registry/namespace.ts";
import { readNamespaces, readVersionsAt, writeNamespace, writeVersion } from "../storage/namespaces.ts";

/** Stored slices by namespace name: those that are "now" only, and the newest versions of those that follow the transcript. */
export interface Slices {
  readonly sticky: ReadonlyMap<string, JsonObject>;
  readonly rewindable: ReadonlyMap<string, JsonObject>;
}

export function readSlices(storage: StoragePort): Slices {
  return { sticky: readNamespaces(storage), rewindable: readVersionsAt(storage, Number.MAX_SAFE_INTEGER) };
}

/** A namespace's state: each declared key from its own document, else its default. What is not declared any more stays stored. */
export function stateOf<T extends JsonObject>(namespace: Namespace<T>, slices: Slices): T {
  const sticky = slices.sticky.get(namespace.name);
  const rewindable = slices.rewindable.get(namespace.name);
  const state: { [key: string]: Json } = { ...namespace.defaults };
  for (const key of Object.keys(state)) {
    const slice = namespace.rewindable.has(key) ? rewindable : sticky;
    if (slice && Object.hasOwn(slice, key)) state[key] = slice[key] as Json;
  }
  return state as T;
}

/** Revision of everything that was copied: before the first of a conversation's own. */
const INHERITED_REV = 0;

/** The stored slices of one commit: those committed before, and what it changed. */
export class NamespaceStates {
  readonly #authority: NamespaceAuthority;
  readonly #storage: StoragePort;
  readonly #rev: number;
  #slices: Slices;

  /** @param rev the revision that the commit's versions belong to. */
  constructor(stored: Slices, authority: NamespaceAuthority, storage: StoragePort, rev: number) {
    this.#slices = stored;
    this.#authority = authority;
    this.#storage = storage;
    this.#rev = rev;
  }

  /** The slices as they stand now; the same object as long as nothing changed. */
  get slices(): Slices {
    return this.#slices;
  }

  /** Takes back what changed since `slices` was read, the rows aside. */
  revert(slices: Slices): void {
    this.#slices = slices;
  }

  get<T extends JsonObject>(namespace: Namespace<T>): T {
    requireLive(this.#authority, namespace);
    return structuredClone(stateOf(namespace, this.#slices));
  }

  /** Sets declared keys. Writes nothing when they hold these values already. */
  set<T extends JsonObject>(namespace: Namespace<T>, patch: Partial<T>): void {
    requireLive(this.#authority, namespace);
    requireDeclared(namespace, patch);
    const entries = Object.entries(patch) as [string, Json][];
    const ofRewindable = entries.filter(([key]) => namespace.rewindable.has(key));
    const ofSticky = entries.filter(([key]) => !namespace.rewindable.has(key));
    if (ofSticky.length > 0) this.#put("sticky", namespace.name, Object.fromEntries(ofSticky));
    if (ofRewindable.length > 0) this.#put("rewindable", namespace.name, Object.fromEntries(ofRewindable));
  }

  /** Replaces a document of the kernel's own. */
  putDocument(name: string, value: JsonObject): void {
    this.#replace("rewindable", name, structuredClone(value));
  }

  /** Takes over the documents that a fork begins with. Keys that were set here already stand. */
  inherit(documents: ReadonlyMap<string, JsonObject>): void {
    for (const [name, inherited] of documents) {
      const own = this.#slices.rewindable.get(name);
      writeVersion(this.#storage, name, INHERITED_REV, JSON.stringify(inherited));
      this.#slices = { ...this.#slices, rewindable: new Map(this.#slices.rewindable).set(name, inherited) };
      if (own) this.#replace("rewindable", name, { ...inherited, ...own });
    }
  }

  /** Makes every rewindable slice what it was at a revision (-1: before everything), also where its code is not loaded. */
  rewindTo(rev: number): void {
    const then = readVersionsAt(this.#storage, rev);
    for (const name of this.#slices.rewindable.keys()) this.#replace("rewindable", name, then.get(name) ?? {});
  }

  #put(document: keyof Slices, name: string, patch: JsonObject): void {
    this.#replace(document, name, structuredClone({ ...this.#slices[document].get(name), ...patch }));
  }

  #replace(document: keyof Slices, name: string, after: JsonObject): void {
    const text = JSON.stringify(after);
    if (text === JSON.stringify(this.#slices[document].get(name) ?? {})) return;
    requireSize(name, text);
    if (document === "sticky") writeNamespace(this.#storage, name, text);
    else writeVersion(this.#storage, name, this.#rev, text);
    this.#slices = { ...this.#slices, [document]: new Map(this.#slices[document]).set(name, after) };
  }
}

/** @throws KernelError `stale_definition` when the token is not the one registered now. */
export function requireLive(authority: NamespaceAuthority, namespace: Namespace<JsonObject>): void {
  if (authority.isLive(namespace)) return;
  throw new KernelError(
    "stale_definition",
    `StaleDefinition: namespace ${namespace.name} is not the one registered now; use the current token.`,
  );
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
