import type { ModelPort } from "../../kernel/ports/model.ts";
import { bodyOf } from "../body.ts";
import { createPort, type Deps, type Target } from "../port.ts";
import { type AnthropicBody, encodeAnthropic } from "./encode.ts";
import { classifyAnthropic } from "./errors.ts";
import { isOfficial } from "./official.ts";
import { type AnthropicState, anthropicReducer } from "./reduce.ts";

/** Models behind `POST /v1/messages`: Anthropic's own, or a server that speaks its wire. */
export function anthropicPort(target: Target, deps: Deps): ModelPort {
  const { model } = target;
  const official = isOfficial(target);
  return createPort<AnthropicBody, AnthropicState>(
    {
      encode: (request, { files, replay }) => encodeAnthropic(request, { model, files, official, replay }),
      async open(body, signal) {
        const { post } = await import("./client.ts");
        return bodyOf(await post(target, deps, body, signal));
      },
      reducer: ({ model: name, volatile }) => anthropicReducer(name, volatile),
      classify: classifyAnthropic,
    },
    target,
    deps,
  );
}
