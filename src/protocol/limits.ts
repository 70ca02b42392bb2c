/** Limits of the wire, the same on the page and in the objects. Each has a test at n and n+1. */

/** Bytes of one socket frame from a client. */
export const MAX_FRAME_BYTES = 64 * 1024;
/** Frames a socket may send in one minute. */
export const MAX_FRAMES_PER_MINUTE = 60;
/** Open sockets of one person in one conversation object. */
export const MAX_SOCKETS_PER_PERSON = 20;
/** UTF-16 units of one message. */
export const MAX_TEXT_UNITS = 32_000;
/** Files one message may carry. */
export const MAX_FILES_PER_MESSAGE = 8;
/** Bytes of one file. */
export const MAX_FILE_BYTES = 10 * 1024 * 1024;
/** Units of a client id (`send.id`). */
export const MAX_CLIENT_ID_UNITS = 128;
/** Units of a conversation title. */
export const MAX_TITLE_UNITS = 80;
/** Levels of arrays and objects inside the arguments of one call. */
export const MAX_INPUT_DEPTH = 100;
/** Cards that one list of decisions may name. */
export const MAX_DECISIONS = 50;
/** Units of a note beside a decision. */
export const MAX_NOTE_UNITS = 1_000;
/** Questions of one card. */
export const MAX_QUESTIONS = 5;
/** UTF-16 units of one question. */
export const MAX_QUESTION_UNITS = 1_500;
/** Options of one question. */
export const MAX_OPTIONS = 25;
/** UTF-16 units of an option's label, and of its description. */
export const MAX_LABEL_UNITS = 100;
/** UTF-16 units that a label may have on the card, where each of its characters may be spelled out. */
export const MAX_SHOWN_LABEL_UNITS = 1_200;
/** UTF-16 units of what a person writes in answer to a question. */
export const MAX_OWN_ANSWER_UNITS = 4_000;
/** Characters of an access token. */
export const MAX_TOKEN_CHARACTERS = 8 * 1024;
/** How long before its session ends a socket is told so. */
export const REAUTH_BEFORE_MS = 5 * 60 * 1000;
/** Entries one `more` page returns. */
export const MAX_PAGE_ENTRIES = 100;
/** Units of a file name. */
export const MAX_FILE_NAME_UNITS = 255;

/** Tools that one standing constraint covers, and UTF-16 units of the words beside it. */
export const MAX_CONSTRAINT_TOOLS = 20;
export const MAX_CONSTRAINT_UNITS = 200;
/** How long something may be allowed in advance: 30 days. */
export const MAX_ALLOW_HOURS = 720;
