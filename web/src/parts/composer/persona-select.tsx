import type { JSX } from "preact";
import type { Chat } from "../../app/chat.ts";
import { hasChoice, type PersonaChoice, personaOf } from "../../state/personas.ts";
import { useApp } from "../use-app.ts";

interface PersonaSelectProps {
  readonly choice: PersonaChoice;
  readonly onChoose: (kind: string) => void;
}

/** Who answers; undefined until it is known who looks. */
export function usePersona(chat: Chat): PersonaChoice | undefined {
  const me = useApp().me.value;
  return me && personaOf(me, chat.transcript.view.value, chat.wishes.value);
}

/** A choice of who answers. One that is not there any more is named, and cannot be chosen again. */
export function PersonaSelect({ choice, onChoose }: PersonaSelectProps): JSX.Element {
  const { kind, all, isHere } = choice;
  return (
    <select aria-invalid={!isHere} value={kind} onChange={(event) => onChoose(event.currentTarget.value)}>
      {isHere ? null : (
        <option value={kind} disabled>
          {kind} (not here any more)
        </option>
      )}
      {all.map((one) => (
        <option key={one.kind} value={one.kind}>
          {one.label}
        </option>
      ))}
    </select>
  );
}

/** At the message field: who shall answer, before anything was said, and where nobody would. */
export function PersonaPicker({ chat }: { readonly chat: Chat }): JSX.Element | null {
  const app = useApp();
  const choice = usePersona(chat);
  const view = chat.transcript.view.value;
  const isBegun = !chat.isNew.value && (view === undefined || view.entries.length > 0);
  if (choice === undefined || !hasChoice(choice) || (isBegun && choice.isHere)) return null;
  const choose = async (persona: string): Promise<void> => {
    const refusal = await chat.change({ persona });
    if (refusal !== undefined) app.notices.problem(refusal.message);
  };
  return (
    <label class="picker">
      <span class="visually-hidden">Who answers</span>
      <PersonaSelect choice={choice} onChoose={(kind) => void choose(kind)} />
    </label>
  );
}
