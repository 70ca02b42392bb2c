import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Chat } from "../../app/chat.ts";
import { PanelDialog } from "../panel-dialog.tsx";
import { PersonaSelect, usePersona } from "./persona-select.tsx";

interface PersonaDialogProps {
  readonly chat: Chat;
  readonly onClose: () => void;
}

/** Who answers in this conversation. The choice shows what the server says. */
export function PersonaDialog({ chat, onClose }: PersonaDialogProps): JSX.Element | null {
  const choice = usePersona(chat);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  /** What was asked for and is not answered yet. */
  const [asked, setAsked] = useState<string | undefined>(undefined);
  const choose = async (persona: string): Promise<void> => {
    setAsked(persona);
    const refusal = await chat.change({ persona });
    setProblem(refusal?.message);
    setAsked(undefined);
  };
  if (choice === undefined) return null;
  const shown = asked === undefined ? choice : { ...choice, kind: asked, isHere: true };
  return (
    <PanelDialog title="Who answers" problem={problem} onClose={onClose}>
      <p class="quiet">Another one answers from the next message on, and reads what was said before.</p>
      {choice.isHere ? null : (
        <p>
          <code>{choice.kind}</code> is not here any more. Nobody answers until another one is chosen.
        </p>
      )}
      <label class="field">
        Persona
        <PersonaSelect choice={shown} onChoose={(kind) => void choose(kind)} />
      </label>
    </PanelDialog>
  );
}
