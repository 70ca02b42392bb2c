import type { HostContext } from "../../src/host/index.ts";
import { checkConfig } from "../../src/protocol/check-config.ts";
import type { Database } from "../../src/store/database.ts";

/** What a host is made with where nothing outside is reached: no network, no secrets, a database that nobody asks. */
export function hostContext(changes: Partial<HostContext> = {}): HostContext {
  return {
    config: checkConfig({}),
    fetch: () => Promise.reject(new Error("there is no network here")),
    secret: () => undefined,
    database: () => ({}) as Database,
    log: () => undefined,
    ...changes,
  };
}
