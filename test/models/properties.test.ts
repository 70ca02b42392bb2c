import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ModelRequest } from "../../src/kernel/ports/model.ts";
import { encodeAnthropic } from "../../src/models/anthropic/encode.ts";
import { BINDING_BETA } from "../../src/models/anthropic/thinking.ts";
import { type FileContents, loadFiles } from "../../src/models/files/load.ts";
import { encodeChat } from "../../src/models/openai-chat/encode.ts";
import { encodeResponses } from "../../src/models/openai-responses/encode.ts";
import { encodeWorkersAi } from "../../src/models/workers-ai/encode.ts";
import type { ModelConfig } from "../../src/protocol/config.ts";
import {
  CLAUDE_MODELS,
  checkAnthropicRequest,
  checkChatPrompt,
  checkChatRequest,
  checkResponsesRequest,
} from "../kit/model-server/index.ts";
import { anyRequest, damaged, loadTestFile } from "./arbitrary.ts";

type Encode = (
  request: ModelRequest,
  files: FileContents,
) => { readonly body: unknown; readonly complaints: readonly string[] };

function config(id: string, changes: Partial<ModelConfig> = {}): ModelConfig {
  return { id, contextTokens: 200_000, maxOutputTokens: 16_000, thinking: true, images: true, ...changes };
}

function anthropic(id: string, official: boolean): Encode {
  return (request, files) => {
    const body = encodeAnthropic(request, { model: config(id), files, official, replay: true });
    const bound = JSON.stringify(body.thinking ?? {}).includes("block_binding");
    return { body, complaints: checkAnthropicRequest(body, bound ? BINDING_BETA : "") };
  };
}

function chat(official: boolean): Encode {
  return (request, files) => {
    const body = encodeChat(request, { model: config("gpt-5.4"), files, official, replay: true });
    return { body, complaints: checkChatRequest(body) };
  };
}

function responses(id: string, thinking: boolean): Encode {
  return (request, files) => {
    const body = encodeResponses(request, { model: config(id, { thinking }), files, replay: true });
    return { body, complaints: checkResponsesRequest(body) };
  };
}

const ENCODERS: { readonly [name: string]: Encode } = {
  ...Object.fromEntries(CLAUDE_MODELS.map((id) => [`anthropic ${id}`, anthropic(id, true)])),
  "anthropic on another server": anthropic("claude-opus-5-5", false),
  "anthropic of another vendor": anthropic("kimi-k3", false),
  "chat of OpenAI": chat(true),
  "chat of a local server": chat(false),
  "responses with reasoning": responses("gpt-6.2-sol", true),
  "responses without reasoning": responses("gpt-4.1", false),
  "workers ai": (request, files) => {
    const body = encodeWorkersAi(request, { model: config("@cf/x"), files, replay: true });
    return { body, complaints: checkChatPrompt(body.inputs) };
  },
};

describe.each(Object.entries(ENCODERS))("requests for %s", (_name, encode) => {
  const valid = anyRequest("p/m");
  const damagedOnes = valid.chain((request) =>
    damaged([...request.messages]).map((messages) => ({ ...request, messages })),
  );

  it("[M-13] [M-14] [M-15] [M-17] [M-18] every valid request is accepted by the strict checker", async () => {
    await fc.assert(
      fc.asyncProperty(valid, async (request) => {
        const files = await loadFiles(request.messages, true, loadTestFile);
        expect(encode(request, files).complaints).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it("[M-14] so is one whose results were lost, doubled, moved or made up", async () => {
    await fc.assert(
      fc.asyncProperty(damagedOnes, async (request) => {
        const files = await loadFiles(request.messages, true, loadTestFile);
        expect(encode(request, files).complaints).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it("[M-12] the same request gives the same bytes and is not changed", async () => {
    await fc.assert(
      fc.asyncProperty(valid, async (request) => {
        const before = JSON.stringify(request);
        const files = await loadFiles(request.messages, true, loadTestFile);
        const copy = structuredClone(request);
        expect(JSON.stringify(encode(request, files).body)).toBe(JSON.stringify(encode(copy, files).body));
        expect(JSON.stringify(request)).toBe(before);
      }),
      { numRuns: 15 },
    );
  });
});
