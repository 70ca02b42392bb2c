import type { Json } from "../lib/json.ts";
import type { AssistantMessage } from "../protocol/message.ts";

/**
 * What a provider keeps beside an answer. `items` are the vendor's own blocks. `note` is the volatile text that the
 * request ended with: vendors bind their reasoning to the exact prompt before it, so a replay has to repeat that note.
 */
export interface Native {
  readonly note: string;
  readonly items: readonly Json[];
}

/** A lone surrogate as `JSON.stringify` writes it. */
const ILL_FORMED = /\\ud[89a-f]/;

/**
 * Packs blocks for an answer of this model. A family is one model of one provider: nobody else reads its reasoning. Blocks
 * that the vendor could not read again are not kept, since they may not be altered either.
 */
export function packNative(model: string, { note, items }: Native): AssistantMessage["native"] {
  return ILL_FORMED.test(JSON.stringify(items)) ? undefined : { family: model, blocks: { note, items } };
}

/** The blocks kept for this model, or undefined: none, another family's, or damaged. */
export function unpackNative(message: AssistantMessage, model: string): Native | undefined {
  if (message.native?.family !== model) return undefined;
  const blocks = message.native.blocks;
  if (blocks === null || typeof blocks !== "object" || Array.isArray(blocks)) return undefined;
  const { note, items } = blocks as { readonly [key: string]: Json };
  return typeof note === "string" && Array.isArray(items) ? { note, items: items as readonly Json[] } : undefined;
}
