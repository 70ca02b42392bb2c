import type { ModelRequest } from "../ports/model.ts";
import type { StoragePort } from "../ports/storage.ts";
import type { Entry, SentWith } from "../storage/entries.ts";
import { deriveBaseline, deriveMessages } from "./derive.ts";
import { readPinned } from "./pinned.ts";

/**
 * The request that is made of these entries. Depends on stored state alone: asked again, whenever, it is the same to the
 * byte.
 * @param entries the active transcript up to `sent.cutoff`, which is the last of them, as it was then.
 */
export function composeRequest(storage: StoragePort, entries: readonly Entry[], sent: SentWith): ModelRequest {
  const { model, thinking, volatile } = sent;
  const { system, tools } = deriveBaseline(entries);
  return {
    model,
    thinking,
    system,
    volatile,
    messages: deriveMessages(entries, readPinned(storage, entries)),
    tools,
  };
}
