import type { Caller, Origin } from "../../people/facts.ts";
import type { BundleEntry, BundleHead } from "../../protocol/bundle.ts";
import type { Answer } from "../answer.ts";

/** What an export is of: it stays that while the conversation goes on. */
export interface ExportPlace {
  readonly head: Omit<BundleHead, "version" | "exportedAt">;
  /** Stretches of entries, both ends included. */
  readonly spans: readonly (readonly [number, number])[];
}

export interface ExportRows {
  readonly entries: readonly BundleEntry[];
  /** `after` of the page that follows. */
  readonly next?: number;
}

/** What a Conversation object does about being carried elsewhere, and about beginning with what was. */
export interface TransferRpc {
  /** What the conversation is now. `busy`: it is being copied itself. */
  exportPlace(caller: Caller): Answer<ExportPlace>;
  /** Entries of such a place after an id (0: the first). */
  exportRows(caller: Caller, spans: ExportPlace["spans"], after: number): Answer<ExportRows>;
  /**
   * Creates the conversation `key` for the caller out of a bundle that lies in R2, or finds it made of the same already.
   * Something else under this key: `conflict`.
   */
  importFrom(caller: Caller, key: string, origin: Origin): Answer<{ readonly created: boolean }>;
}
