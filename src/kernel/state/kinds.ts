/** The kernel's own task kinds and entry kinds. */

export const GENERATION = "core.generation";
export const TOOL = "core.tool";
/** A call that left its turn: its result becomes an input. */
export const CALL = "core.call";

export const USER = "core.user";
export const ASSISTANT = "core.assistant";
export const TOOL_RESULT = "core.tool_result";
export const SYSTEM = "core.system";
export const NOTICE = "core.notice";
