import { defineEntry, type Entry } from "../../kernel/index.ts";
import type { Json } from "../../lib/json.ts";
import { type CardExtras, pickExtras } from "../card/shown-call.ts";

/** Arguments that a person put in place of a call's. Shown to people; no model reads the entry. */
export const HOLD_EDIT = defineEntry({ kind: "holds.edit" });

/** `data` of such an entry. */
export type HoldEditData = CardExtras & {
  /** The line that people read. */
  readonly text: string;
  /** The hold that was edited, and the one that shows the edit. */
  readonly from: string;
  readonly hold: string;
  /** The call: the assistant entry that holds it, and its index there. */
  readonly entry: number;
  readonly index: number;
  readonly by: string;
  /** The arguments as the person gave them, before the tool's schema read them. */
  readonly input: Json;
};

/** The arguments of such an entry; undefined for any other. */
export function editedInput(entry: Entry | undefined): Json | undefined {
  if (entry?.kind !== HOLD_EDIT.kind) return undefined;
  return (entry.data as unknown as HoldEditData).input;
}

/** What such an entry gives the card of the edited call beside arguments. */
export function editedExtras(entry: Entry | undefined): CardExtras {
  if (entry?.kind !== HOLD_EDIT.kind) return {};
  return pickExtras(entry.data as unknown as HoldEditData);
}
