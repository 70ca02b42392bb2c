import type { RewindRefusal } from "../../kernel/index.ts";
import type { ChatRefusal } from "../../surfaces/webchat/chat-port.ts";

/** Why a conversation does not go back, in words for the person. */
export const REWIND_REFUSALS: Readonly<Record<RewindRefusal, ChatRefusal>> = {
  busy: {
    code: "busy",
    message: "Something runs or waits for a decision here: stop it or decide first, then go back.",
  },
  no_such_entry: {
    code: "not_found",
    message: "There is no such message in this conversation as it stands.",
  },
  inside_a_step: {
    code: "bad_request",
    message: "A tool call and its result belong together: go back to before the message that asked for it.",
  },
  too_many_stretches: {
    code: "too_large",
    message: "This conversation went back 200 times, the limit: summarise it or start afresh first.",
  },
};
