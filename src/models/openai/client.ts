import { OpenAI } from "openai/client";
import type { Deps, Target } from "../port.ts";
import { OFFICIAL } from "./official.ts";

/** Posts a streaming request. Load this module at the first use; what the SDK would read from the environment is set here. */
export function post(
  { config, key }: Target,
  deps: Deps,
  path: string,
  body: object,
  signal: AbortSignal,
): Promise<Response> {
  const client = new OpenAI({
    // Without a key the SDK refuses to start; a header set to null is left out.
    apiKey: key ?? "none",
    ...(key === undefined ? { defaultHeaders: { authorization: null } } : {}),
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    baseURL: config.baseUrl ?? OFFICIAL,
    maxRetries: 0,
    fetch: deps.fetch,
    fetchOptions: { redirect: "manual" },
    logLevel: "off",
  });
  return client.post(path, { body, signal, stream: true }).asResponse();
}
