import type { ModelPort } from "../../kernel/ports/model.ts";
import { bodyOf } from "../body.ts";
import { createPort, type Deps, type Target } from "../port.ts";
import { type AnthropicBody, encodeAnthropic } from "./encode.ts";
import { classifyAnthropic } from "./errors.ts";
import { type AnthropicState, anthropicReducer } from "./reduce.ts";
import { BINDING_BETA } from "./thinking.ts";

const OFFICIAL = "https://api.anthropic.com";

/** Models behind `POST /v1/messages`: Anthropic's own, or a server that speaks its wire. */
export function anthropicPort(target: Target, deps: Deps): ModelPort {
  const { model, config } = target;
  const official = config.baseUrl === undefined || new URL(config.baseUrl).origin === OFFICIAL;
  return createPort<AnthropicBody, AnthropicState>(
    {
      encode: (request, { files, replay }) => encodeAnthropic(request, { model, files, official, replay }),
      open: async (body, signal) => bodyOf(await send(target, deps, body, signal)),
      reducer: (request) => anthropicReducer(request.model, request.volatile),
      classify: classifyAnthropic,
    },
    target,
    deps,
  );
}

async function send({ config, key }: Target, deps: Deps, body: AnthropicBody, signal: AbortSignal): Promise<Response> {
  // The base class alone: the full client brings every resource of the vendor, at three times the size.
  const { BaseAnthropic } = await import("@anthropic-ai/sdk/client");
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
