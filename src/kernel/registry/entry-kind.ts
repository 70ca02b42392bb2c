import { NOTICE } from "../state/kinds.ts";
import { requireName } from "./namespace.ts";

/** A kind of entry that a plugin writes. */
export interface EntryKind {
  readonly kind: string;
}

/** The one kind of the kernel's own that plugins may write: exactly one text for the model, and optional data. */
export const coreNotice: EntryKind = Object.freeze({ kind: NOTICE });

/**
 * Declares a kind of entry.
 * @throws when the name is badly formed or begins with `core.`.
 */
export function defineEntry(definition: EntryKind): EntryKind {
  requireName("Entry kind", definition.kind);
  return Object.freeze({ kind: definition.kind });
}
