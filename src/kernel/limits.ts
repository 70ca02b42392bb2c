/** Bounds of the kernel (`design/kernel.md`, Turn). Each is refused above, named, with nothing lost. */

export const MAX_CONTROL_BYTES = 512 * 1024;
export const MAX_NAMESPACE_BYTES = 256 * 1024;
export const MAX_MEMO_BYTES = 16 * 1024;
export const MAX_SLOT_BYTES = 256 * 1024;
/** Bytes of text and data of an entry that a plugin writes, as JSON. */
export const MAX_WRITE_BYTES = 256 * 1024;
/** UTF-16 units of why something failed, as told to models and people. */
export const MAX_REASON_UNITS = 2_000;
/** Bytes of a finished task's result. */
export const MAX_RESULT_BYTES = 64 * 1024;
/** Stretches that the active transcript may consist of, and that rewinds may have left behind. */
export const MAX_SPANS = 200;
/** Entries that may be pinned, and UTF-8 bytes of their texts together. */
export const MAX_PINS = 20;
export const MAX_PIN_BYTES = 32 * 1024;
/** Entries, or inputs, that one commit takes the words out of. */
export const MAX_REDACTED = 200;
/** Entries of a page that a fork pulls, and UTF-16 units of their bodies: one larger entry goes alone. */
export const MAX_FORK_PAGE_ENTRIES = 200;
export const MAX_FORK_PAGE_UNITS = 512 * 1024;
/** Times in a row that a page is asked for. */
export const MAX_FORK_ATTEMPTS = 8;
/** Owned conversations that are live at once, what one may be begun with (UTF-16 units), and what it may give back. */
export const MAX_CHILDREN = 8;
export const MAX_CHILD_PROMPT_UNITS = 32_000;
export const MAX_CHILD_SYSTEM_UNITS = 20_000;
export const MAX_CHILD_TOOLS = 64;
export const MAX_CHILD_RESULT_BYTES = 48 * 1024;
export const MAX_CHILD_FILES = 10;
/** How often an owned conversation is asked how it stands, and how often in a row in vain. */
export const CHILD_CHECK_MS = 3 * 60_000;
export const MAX_CHILD_MISSES = 3;
/** Bytes of an entry body in one row; a larger one is split into parts. */
export const MAX_ENTRY_ROW_BYTES = 1_000_000;
export const MAX_INBOX = 100;
export const MAX_TOOL_INPUT_BYTES = 256 * 1024;
export const MAX_TOOL_OUTPUT_BYTES = 50 * 1024;
export const MAX_TOOL_OUTPUT_LINES = 2_000;
/** Calls of one answer that become tasks; the rest get an error result. */
export const MAX_CALLS_PER_STEP = 64;
export const MAX_PARALLEL_TOOLS = 16;
export const MAX_STEPS = 50;
export const MAX_WORK_MS = 10 * 60_000;
export const MAX_ATTEMPTS = 5;
/** Replays of one safe tool call after crashes. */
export const MAX_REPLAYS = 3;
export const RETRY_BASE_MS = 2_000;
export const RETRY_CAP_MS = 60_000;
/** A vendor that asks for a longer pause than this fails the turn instead. */
export const MAX_RETRY_AFTER_MS = 10 * 60_000;
/** Rows that wait for delivery. */
export const MAX_OUTBOX = 200;
export const OUTBOX_MAX_AGE_MS = 24 * 3_600_000;

/** UTF-8 bytes of a summary, where the model's window leaves room for so much. */
export const MAX_SUMMARY_BYTES = 32 * 1024;
/** Parts that a long history is summarised in. */
export const MAX_SUMMARY_PARTS = 64;
/** Answers without a usable summary, after which a compaction fails. */
export const MAX_UNUSABLE_SUMMARIES = 2;
/** Fewer tokens than this are not worth a summary. */
export const MIN_SUMMARISED_TOKENS = 500;
/** Messages of the running turn that stay as they are beside a summary. */
export const MAX_KEPT_INPUTS = 50;

/** Entries in the view's window: when it would hold more than the first or weigh more than the second, it shrinks. */
export const WINDOW_MAX_ENTRIES = 99;
export const WINDOW_MAX_BYTES = 256 * 1024;
export const WINDOW_KEEP_ENTRIES = 50;
export const WINDOW_KEEP_BYTES = 128 * 1024;
/** UTF-16 units of a tool's output that the view shows. */
export const VIEW_OUTPUT_UNITS = 4_000;
