import type { StoragePort } from "../../src/kernel/index.ts";

/** Rows that statements wrote and read, as the platform bills them. */
export interface RowCounts {
  written: number;
  read: number;
}

/** A storage port that counts. */
export interface WorldStorage extends StoragePort {
  readonly counts: RowCounts;
}
