import type { JsonObject } from "../../lib/json.ts";
import type { Result } from "../../lib/result.ts";
import type { HostTx } from "../registry/host-tx.ts";
import type { Entry } from "../storage/entries.ts";

/** Where a fork begins: the other conversation, by a name that its host understands, and the last entry that is copied. */
export type ForkRef = { readonly from: string; readonly at: number };

/** Some of what a fork begins with, in order. */
export interface ForkPage {
  readonly entries: readonly Entry[];
  /** Only in the last page: every rewindable document by its name, as of the entry. */
  readonly documents?: { readonly [name: string]: JsonObject };
}

/** A page on its way into the fork. */
export interface OriginPage {
  readonly page: ForkPage;
  /** Calls to the outside that it took; absent: one. */
  readonly calls?: number;
  /** Runs in the commit that stores the page. */
  readonly place?: (tx: HostTx) => void;
}

/** Reads the conversation that a fork comes from. */
export interface OriginPort {
  /**
   * The page after an entry (0: the first). Repeatable. @throws when it cannot be had now. @returns for good: why it will
   * never be had, as part of a sentence.
   */
  page(ref: ForkRef, after: number, signal: AbortSignal): Promise<Result<OriginPage, string>>;
  /** True where that is a file, and no conversation. */
  isFile?(ref: ForkRef): boolean;
  /** Runs in the commit that ends the copy, however it ended. */
  ended?(tx: HostTx): void;
}
