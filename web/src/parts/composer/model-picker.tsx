import type { JSX } from "preact";
import type { SettingsBody } from "../../../../src/protocol/rest.ts";
import type { ThinkingLevel } from "../../../../src/protocol/view.ts";
import type { Chat } from "../../app/chat.ts";
import { chatOf } from "../../state/cards.ts";
import { useApp } from "../use-app.ts";

/** Id of the field, for what sends the person there. */
export const MODEL_PICKER = "model";

/** Which model answers, and how long it thinks. The choice belongs to the conversation. */
export function ModelPicker({ chat }: { readonly chat: Chat }): JSX.Element | null {
  const app = useApp();
  const me = app.me.value;
  if (me === undefined) return null;
  const current = { ...chat.wishes.value, ...chatOf(chat.transcript.view.value) };
  const id = current.model ?? me.defaultModel;
  const model = me.models.find((choice) => choice.id === id);
  const levels = model?.thinking ?? [];
  const change = async (settings: SettingsBody): Promise<void> => {
    const refusal = await chat.change(settings);
    if (refusal !== undefined) app.notices.problem(refusal.message);
  };
  return (
    <>
      <label class="picker">
        <span class="visually-hidden">Model</span>
        <select id={MODEL_PICKER} value={id} onChange={(event) => void change({ model: event.currentTarget.value })}>
          {model === undefined ? <option value={id}>{id}</option> : null}
          {me.models.map((choice) => (
            <option key={choice.id} value={choice.id}>
              {choice.label}
            </option>
          ))}
        </select>
      </label>
      {levels.length > 1 ? (
        <label class="picker">
          <span class="visually-hidden">Thinking</span>
          <select
            value={current.thinking ?? "off"}
            onChange={(event) => void change({ thinking: event.currentTarget.value as ThinkingLevel })}
          >
            {levels.map((level) => (
              <option key={level} value={level}>
                {THINKING_WORDS[level]}
              </option>
            ))}
          </select>
        </label>
      ) : null}
    </>
  );
}

const THINKING_WORDS: Readonly<Record<ThinkingLevel, string>> = {
  off: "No thinking",
  low: "Think a little",
  medium: "Think",
  high: "Think hard",
};
