import type { ChatPerson } from "./chat-port.ts";

/** Frames of one socket in the current minute. */
export interface FrameWindow {
  readonly startedAt: number;
  readonly count: number;
}

/** What a hibernating socket remembers of its client. Never a tier: whoever uses it asks the directory. */
export interface SocketAttachment extends ChatPerson {
  /** End of the session, ms. */
  readonly expiresAt: number;
  /** The client was told that the session ends soon. */
  readonly reminded?: boolean;
  /** The client said hello and has a snapshot: it gets commits and deltas. */
  readonly following: boolean;
  readonly lastAck: number;
  readonly frames: FrameWindow;
}
