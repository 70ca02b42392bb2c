import type { ModelRequest } from "../../src/kernel/ports/model.ts";
import { createModels } from "../../src/models/index.ts";
import type { Config } from "../../src/protocol/config.ts";
import { realClock } from "./clock.ts";

/** What the Worker of the tests is sent: a configuration, a request, and how long a server may be silent. */
export interface Job {
  readonly config: Config;
  readonly key: string;
  readonly request: ModelRequest;
  readonly idleMs: number;
}

/** Runs one request inside workerd and answers with its frames, a line each. */
export async function serve(incoming: Request): Promise<Response> {
  const { config, key, request, idleMs } = JSON.parse(await incoming.text()) as Job;
  const models = createModels({
    config,
    secrets: () => key,
    loadFile: () => Promise.reject(new Error("no files here")),
    demo: { stream: () => models.port.stream(request, incoming.signal) },
    clock: realClock,
    idle: { firstMs: idleMs, betweenMs: idleMs },
  });
  const lines: string[] = [];
  for await (const frame of models.port.stream(request, new AbortController().signal))
    lines.push(JSON.stringify(frame));
  return new Response(lines.join("\n"));
}
