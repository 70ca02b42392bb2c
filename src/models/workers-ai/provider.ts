import type { ModelPort } from "../../kernel/ports/model.ts";
import { readChunks } from "../body.ts";
import { WireFault } from "../failure.ts";
import type { Body } from "../guard.ts";
import type { ChatState } from "../openai-chat/reduce.ts";
import { createPort, type Deps, type Target } from "../port.ts";
import { asObject } from "../wire-json.ts";
import type { AiBinding } from "./binding.ts";
import { encodeWorkersAi, type WorkersAiBody } from "./encode.ts";
import { classifyWorkersAi } from "./errors.ts";
import { workersAiReducer } from "./reduce.ts";

/** Models behind the Workers AI binding. */
export function workersAiPort(target: Target, deps: Deps, ai: AiBinding | undefined): ModelPort {
  const { model } = target;
  return createPort<WorkersAiBody, ChatState>(
    {
      encode: (request, { files, replay }) => encodeWorkersAi(request, { model, files, replay }),
      open: (body, signal) => open(body, signal, ai),
      reducer: ({ model: name, volatile }) => workersAiReducer(name, volatile),
      classify: classifyWorkersAi,
    },
    target,
    deps,
  );
}

async function open(body: WorkersAiBody, signal: AbortSignal, ai: AiBinding | undefined): Promise<Body> {
  if (ai === undefined) {
    throw new WireFault({ kind: "auth", code: "no_ai_binding", remedy: "Add the binding AI to the deployment." });
  }
  const result = await ai.run(body.model, { ...body.inputs }, { signal });
  if (result instanceof ReadableStream) return { chunks: readChunks(result as ReadableStream<Uint8Array>) };
  return { chunks: asEvents(result) };
}

/** A model that does not stream answers with one object: it becomes a stream of one event. */
function asEvents(result: unknown): AsyncIterator<Uint8Array> {
  const text = `data: ${JSON.stringify(asObject(result))}\n\ndata: [DONE]\n\n`;
  return new Blob([text]).stream()[Symbol.asyncIterator]();
}
