import type { ResponseCreateParamsStreaming } from "openai/resources/responses/responses";
import type { ModelPort } from "../../kernel/ports/model.ts";
import { bodyOf } from "../body.ts";
import { classifyOpenAi } from "../openai/errors.ts";
import { post } from "../openai/post.ts";
import { createPort, type Deps, type Target } from "../port.ts";
import { encodeResponses } from "./encode.ts";
import { type ResponsesState, responsesReducer } from "./reduce.ts";

/** Models behind `POST /responses`: OpenAI's own, or a server that speaks its wire. */
export function openAiResponsesPort(target: Target, deps: Deps): ModelPort {
  const { model } = target;
  return createPort<ResponseCreateParamsStreaming, ResponsesState>(
    {
      encode: (request, { files, replay }) => encodeResponses(request, { model, files, replay }),
      async open(body, signal) {
        return bodyOf(await post(target, deps, "/responses", body, signal));
      },
      reducer: ({ model: name, volatile }) => responsesReducer(name, volatile),
      classify: classifyOpenAi,
    },
    target,
    deps,
  );
}
