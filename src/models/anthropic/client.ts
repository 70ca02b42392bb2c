// The base class alone: the full client brings every resource of the vendor, at three times the size.
import { BaseAnthropic } from "@anthropic-ai/sdk/client";
import type { Deps, Target } from "../port.ts";
import type { AnthropicBody } from "./encode.ts";
import { OFFICIAL } from "./official.ts";
import { BINDING_BETA } from "./thinking.ts";

/** Posts a streaming request. Load this module at the first use; what the SDK would read from the environment is set here. */
export function post({ config, key }: Target, deps: Deps, body: AnthropicBody, signal: AbortSignal): Promise<Response> {
  const client = new BaseAnthropic({
    // Without a key the SDK would look for credentials elsewhere; a header set to null is left out.
    apiKey: key ?? "none",
    ...(key === undefined ? { defaultHeaders: { authorization: null } } : {}),
    baseURL: config.baseUrl ?? OFFICIAL,
    maxRetries: 0,
    fetch: deps.fetch,
    fetchOptions: { redirect: "manual" },
    logLevel: "off",
    openTelemetry: false,
  });
  const bound = body.thinking?.type === "adaptive" && body.thinking.block_binding !== undefined;
  const headers = bound ? { "anthropic-beta": BINDING_BETA } : {};
  return client.post("/v1/messages", { body, headers, signal, stream: true }).asResponse();
}
