import type { Json } from "../lib/json.ts";

/** A stored file (R2). The bytes never travel inside a message. */
export interface FileRef {
  /** `<ulid>`, unique inside its conversation. */
  readonly id: string;
  /** Sanitised display name, untrusted words of whoever uploaded it. */
  readonly name: string;
  readonly mime: string;
  readonly bytes: number;
}

export type UserPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "file"; readonly file: FileRef };

export type AssistantPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly text: string }
  /** `args` is the raw JSON text as the model wrote it; it may be malformed. `id` is the vendor's, unique in one message only. */
  | { readonly type: "call"; readonly id: string; readonly name: string; readonly args: string };

/** Why the model stopped. `calls`: it wants tools; `length`: cut at the output limit; `refusal`: it declined. */
export type StopReason = "end" | "calls" | "length" | "refusal";

export interface UserMessage {
  readonly role: "user";
  readonly content: readonly UserPart[];
}

export interface AssistantMessage {
  readonly role: "assistant";
  readonly content: readonly AssistantPart[];
  readonly stop: StopReason;
  /** The vendor's own blocks, replayed byte for byte to the same model family only. Never sent to a client. */
  readonly native?: { readonly family: string; readonly blocks: Json };
}

export interface ToolMessage {
  readonly role: "tool";
  readonly callId: string;
  readonly name: string;
  readonly content: readonly UserPart[];
  readonly isError: boolean;
}

export interface SystemMessage {
  readonly role: "system";
  readonly text: string;
}

/** Provider-neutral message. */
export type Message = UserMessage | AssistantMessage | ToolMessage | SystemMessage;

/** Tokens of one model call. `input` excludes both cached counts. Costs are in millionths of a US dollar. */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cachedRead: number;
  readonly cachedWrite: number;
  readonly costMicros: number;
}

export const NO_USAGE: Usage = { input: 0, output: 0, cachedRead: 0, cachedWrite: 0, costMicros: 0 };

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cachedRead: a.cachedRead + b.cachedRead,
    cachedWrite: a.cachedWrite + b.cachedWrite,
    costMicros: a.costMicros + b.costMicros,
  };
}
