import { hostFor } from "../objects/deployed-host.ts";
import type { Config } from "../protocol/config.ts";
import { createApp } from "./app.ts";
import { MAX_REQUESTS_PER_MINUTE } from "./guards/rate.ts";
import { log } from "./log.ts";
import { ROUTES } from "./table.ts";

/** The Worker's edge on the platform's own clock and randomness, under an operator's configuration. */
export function platformApp(config: Config): ReturnType<typeof createApp> {
  return createApp(ROUTES, {
    config,
    host: (env) => hostFor({ config }, env),
    clock: { now: () => Date.now() },
    random: (bytes) => crypto.getRandomValues(bytes),
    fetch: (input, init) => fetch(input, init),
    requestsPerMinute: MAX_REQUESTS_PER_MINUTE,
    log,
  });
}
