import { defineEntry, type Entry } from "../../kernel/index.ts";
import type { Json } from "../../lib/json.ts";
import type { HeldFile } from "../bound/bound-call.ts";

/** What a card says of its call that the stored call does not. Beside the card itself nobody is shown the entry. */
export const SHOWN_CALL = defineEntry({ kind: "holds.shown" });

/** `data` of such an entry. */
export type ShownCallData = CardExtras & {
  readonly hold: string;
  /** The call: the assistant entry that holds it, and its index there. */
  readonly entry: number;
  readonly index: number;
  /** The arguments that would run, as the tool's schema read them, where they are not those of the stored call. */
  readonly input?: Json;
};

/** What a card shows beside action, target and arguments. */
export type CardExtras = {
  /** Text to take along, not escaped. */
  readonly copy?: string;
  readonly files?: readonly HeldFile[];
};

/** The arguments of such an entry; undefined for any other, and where the stored call's count. */
export function effectiveInput(entry: Entry | undefined): Json | undefined {
  return dataOf(entry)?.input;
}

/** What such an entry says beside arguments. */
export function extrasOf(entry: Entry | undefined): CardExtras {
  return pickExtras(dataOf(entry) ?? {});
}

/** The extras alone of what also holds other things. */
export function pickExtras({ copy, files }: CardExtras): CardExtras {
  return { ...(copy !== undefined && { copy }), ...(files && { files }) };
}

function dataOf(entry: Entry | undefined): ShownCallData | undefined {
  return entry?.kind === SHOWN_CALL.kind ? (entry.data as unknown as ShownCallData) : undefined;
}
