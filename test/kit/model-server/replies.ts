/** The wires that the server speaks. */
export type Vendor = "anthropic" | "openai-chat" | "openai-responses";

/** Refusals that every vendor knows, each in its own words. */
export type RefusalKind =
  | "overloaded"
  | "unavailable"
  | "rate_limit"
  | "no_credit"
  | "bad_key"
  | "too_long"
  | "invalid"
  | "unknown_model"
  | "server"
  | "bad_reasoning"
  | "bad_image";

export interface ScriptedCall {
  /** Absent: the server makes one up, as vendors do. */
  readonly id?: string;
  readonly name: string;
  /** Raw text, malformed where a test wants it so. */
  readonly args: string;
}

export interface ScriptedUsage {
  /** All tokens of the prompt, cached ones included. */
  readonly prompt: number;
  readonly cachedRead?: number;
  readonly cachedWrite?: number;
  readonly output: number;
}

/** What goes wrong inside a stream, after that many events. */
export type StreamFault =
  /** The socket closes. */
  | { readonly kind: "cut"; readonly after: number }
  /** The stream ends in good order, without its terminal event. */
  | { readonly kind: "silent_end"; readonly after: number }
  /** The stream stays open and says nothing more. */
  | { readonly kind: "idle"; readonly after: number }
  /** Nothing but pings and comments follow, one every so many milliseconds. */
  | { readonly kind: "pings"; readonly after: number; readonly everyMs: number }
  /** The vendor's error event. */
  | { readonly kind: "error"; readonly after: number; readonly error: RefusalKind }
  /** An event whose data is no JSON. */
  | { readonly kind: "garbage"; readonly after: number };

/** A scripted answer: its pieces are streamed in this order. */
export interface Answer {
  readonly thinking?: readonly string[];
  /** Encrypted thinking that nobody may read. */
  readonly redacted?: string;
  readonly text?: readonly string[];
  readonly calls?: readonly ScriptedCall[];
  /** The model declines, with these words. */
  readonly refusal?: string;
  /** The answer was cut at its output limit. */
  readonly limit?: true;
  readonly usage?: ScriptedUsage;
  readonly fault?: StreamFault;
  /** Sprinkles events and delta types that no client knows. */
  readonly noise?: true;
  /** Sends the bytes in pieces of this many, across line ends and characters. */
  readonly shredInto?: number;
  /** Milliseconds before each event. */
  readonly delayMs?: number;
}

/** A refusal with an HTTP status. */
export interface Refusal {
  readonly refuse: RefusalKind;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What the server does with one request. */
export type Reply =
  | Answer
  | Refusal
  /** 200 with a web page, as captive portals and wrong base URLs give. */
  | { readonly page: string }
  /** Another status with a web page, as proxies give. */
  | { readonly page: string; readonly status: number }
  /** The socket closes before any byte. */
  | { readonly drop: true };

export const DEFAULT_USAGE: ScriptedUsage = { prompt: 120, cachedRead: 100, cachedWrite: 8, output: 7 };
