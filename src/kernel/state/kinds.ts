/** The kernel's own task kinds and entry kinds. */

export const GENERATION = "core.generation";
export const TOOL = "core.tool";
/** A call that left its turn: its result becomes an input. */
export const CALL = "core.call";

/** Makes a summary of older entries. */
export const COMPACTION = "core.compaction";
/** Copies what a fork begins with. */
export const IMPORT = "core.import";
/** Runs a conversation of its own and brings its answer. */
export const CHILD = "core.child";

export const CORE_KINDS: ReadonlySet<string> = new Set([GENERATION, TOOL, CALL, COMPACTION, IMPORT, CHILD]);

export const USER = "core.user";
export const ASSISTANT = "core.assistant";
export const TOOL_RESULT = "core.tool_result";
export const SYSTEM = "core.system";
export const NOTICE = "core.notice";
/** The entries that decide where the active transcript begins: `heads` indexes exactly these. */
export const SUMMARY = "core.summary";
export const RESET = "core.reset";
export const HANDOFF = "core.handoff";
export const REWIND = "core.rewind";
/** Ends what a fork copied. */
export const FORK = "core.fork";
