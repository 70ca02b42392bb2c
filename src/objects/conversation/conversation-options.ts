import type { Plugin } from "../../host/index.ts";
import type { Models } from "../../models/index.ts";
import type { Config } from "../../protocol/config.ts";

/** What a deployment decides about its conversations. */
export interface ConversationOptions {
  readonly config: Config;
  /** Stands in for the configured models. */
  readonly models?: (deployed: Models) => Models;
  /** Stands in for the built-in features. */
  readonly plugins?: (builtIn: readonly Plugin[]) => readonly Plugin[];
  /** Stands in for the platform's `fetch` in tools. */
  readonly fetch?: typeof fetch;
  /** Looks on at what an object does with its state, for measuring. */
  readonly observe?: (state: DurableObjectState) => DurableObjectState;
}
