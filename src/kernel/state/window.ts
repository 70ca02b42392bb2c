import type { ViewEntry } from "../../protocol/view.ts";
import { WINDOW_KEEP_BYTES, WINDOW_KEEP_ENTRIES, WINDOW_MAX_BYTES, WINDOW_MAX_ENTRIES } from "../limits.ts";

/** One entry of the view's window and its weight on the wire. */
export interface WindowItem {
  readonly entry: ViewEntry;
  readonly bytes: number;
}

/**
 * How many entries leave the front of a window that grew. Depends on the window alone, so a replica that folds and one
 * that takes a snapshot agree. The newest entry always stays.
 */
export function windowTrim(window: readonly WindowItem[]): number {
  let bytes = window.reduce((sum, item) => sum + item.bytes, 0);
  if (window.length <= WINDOW_MAX_ENTRIES && bytes <= WINDOW_MAX_BYTES) return 0;
  let trim = 0;
  while (trim < window.length - 1 && (window.length - trim > WINDOW_KEEP_ENTRIES || bytes > WINDOW_KEEP_BYTES)) {
    bytes -= window[trim]?.bytes ?? 0;
    trim++;
  }
  return trim;
}
