import type { StreamReducer, WireEvent } from "../guard.ts";
import { type ChatState, chatReducer } from "../openai-chat/reduce.ts";
import { asList, asObject, asText, type WireObject } from "../wire-json.ts";

/**
 * Folds the chunks of a Workers AI stream. Newer models send chat chunks, older ones `{ response, tool_calls, usage }`;
 * `[DONE]` ends both, and whether there are calls is read off the calls, for the finish reason stays `stop`.
 */
export function workersAiReducer(model: string, note: string): StreamReducer<ChatState> {
  const chat = chatReducer({ model, note, doneIsTerminal: true });
  return { ...chat, step: (state, event) => chat.step(state, { ...event, data: toChatChunk(event) }) };
}

function toChatChunk({ data }: WireEvent): WireObject {
  const errors = asList(data.errors);
  if (errors.length > 0) return { error: errors[0] };
  if (data.choices !== undefined) return withDelta(data);
  const { response } = data;
  const content =
    typeof response === "string"
      ? response
      : response === undefined || response === null
        ? ""
        : JSON.stringify(response);
  const delta = { content, tool_calls: data.tool_calls };
  return { ...data, choices: [{ delta, finish_reason: asText(data.finish_reason) }] };
}

/** A model that does not stream gives one whole message where a delta would stand. */
function withDelta(data: WireObject): WireObject {
  const choice = asObject(asList(data.choices)[0]);
  return choice.message === undefined ? data : { ...data, choices: [{ ...choice, delta: choice.message }] };
}
