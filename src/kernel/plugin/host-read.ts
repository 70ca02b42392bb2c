import type { Store } from "../commit/store.ts";
import type { HostRead } from "../registry/host-tx.ts";

/** The reading half of a conversation, as an object of its own: a cast reaches nothing more, a change nothing stored. */
export function hostRead(store: Store): HostRead {
  return Object.freeze<HostRead>({
    get facts() {
      return structuredClone(store.facts);
    },
    get: (namespace) => store.get(namespace),
    config: (key) => structuredClone(store.config(key)),
  });
}
