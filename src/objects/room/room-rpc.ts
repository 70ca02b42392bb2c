import type { Answer } from "../answer.ts";

/** What an object asks of a conversation for two people who became one. The conversation asks the directory whether they did. */
export interface RoomMergeRpc {
  /** Makes one line of the two. Again, or where there is no such line, it changes nothing. */
  mergeMember(former: string): Answer<Record<string, never>>;
}
