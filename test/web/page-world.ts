/** A deployment that the page can be tried against: the mock, or the real server. */
export interface PageWorld {
  readonly url: string;
  /** A fresh one-time code of the owner. */
  newCode(): Promise<string>;
  /** Arranges that the model of this label answers the next message with exactly this text. */
  script(markdown: string): Promise<{ readonly model: string; readonly prompt: string }>;
  /** How often the webhook really arrived. */
  effects(): number;
  /** The server dies, and comes back over what it had written. */
  kill(): Promise<void>;
  revive(): Promise<void>;
  close(): Promise<void>;
}
