import type { JSX } from "preact";
import { unreachable } from "../../../../src/lib/assert.ts";
import type { TurnChoice } from "../../../../src/protocol/view.ts";
import type { Chat } from "../../app/chat.ts";
import { MODEL_PICKER } from "../composer/model-picker.tsx";
import { Icon, type IconName } from "../icons.tsx";

/** What the server says can be done about a failed answer. */
export function TurnChoices(props: { readonly choices: readonly TurnChoice[]; readonly chat: Chat }): JSX.Element {
  const { choices, chat } = props;
  return (
    <>
      {choices.map((choice) => (
        <button key={choice} type="button" class="button small" onClick={() => choose(choice, chat)}>
          <Icon name={FACES[choice].icon} size={16} />
          {FACES[choice].words}
        </button>
      ))}
    </>
  );
}

const FACES: Readonly<Record<TurnChoice, { readonly icon: IconName; readonly words: string }>> = {
  compact: { icon: "fold", words: "Summarise older messages" },
  reset: { icon: "fresh", words: "Start afresh here" },
  model: { icon: "tools", words: "Choose another model" },
};

function choose(choice: TurnChoice, chat: Chat): void {
  switch (choice) {
    case "compact":
      return void chat.history.compact();
    case "reset":
      return void chat.history.startAfresh();
    case "model":
      return document.getElementById(MODEL_PICKER)?.focus();
    default:
      return unreachable(choice);
  }
}
