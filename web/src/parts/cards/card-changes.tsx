import type { JSX } from "preact";
import { useId, useState } from "preact/hooks";
import type { HoldCard } from "../../../../src/protocol/cards.ts";
import type { OwnersList } from "../../../../src/protocol/rest.ts";
import type { Chat } from "../../app/chat.ts";
import { laterDeadline, mayDo } from "../../state/cards.ts";
import { Problem } from "../problem.tsx";
import { useApp } from "../use-app.ts";

interface CardChangesProps {
  readonly card: HoldCard;
  readonly chat: Chat;
}

/** What can be done with an open card beside deciding it: more time and, where there are several people, another owner. */
export function CardChanges({ card, chat }: CardChangesProps): JSX.Element | null {
  const { rest } = useApp().ports;
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const [owners, setOwners] = useState<OwnersList["owners"] | undefined>(undefined);
  const choices = chat.choices.value;
  const until = mayDo(choices, card.hold, "extend") ? laterDeadline(card) : undefined;
  const mayHand = mayDo(choices, card.hold, "hand_over");
  const extend = async (to: number): Promise<void> => {
    const reply = await rest.extend(chat.id, card.hold, to);
    setProblem(reply.ok ? undefined : reply.error.message);
  };
  const list = async (): Promise<void> => {
    const reply = await rest.owners(chat.id);
    if (reply.ok) setOwners(reply.value.owners);
    setProblem(reply.ok ? undefined : reply.error.message);
  };
  const handOver = async (to: string): Promise<void> => {
    const reply = await rest.handOver(chat.id, card.hold, to);
    setProblem(reply.ok ? undefined : reply.error.message);
    if (reply.ok) setOwners(undefined);
  };
  if (until === undefined && !mayHand) return null;
  return (
    <div class="card-changes">
      {until === undefined ? null : (
        <button type="button" class="text-button" onClick={() => void extend(until)}>
          Give it more time
        </button>
      )}
      {mayHand && owners === undefined ? (
        <button type="button" class="text-button" onClick={() => void list()}>
          Hand it to an owner
        </button>
      ) : null}
      {owners === undefined ? null : <OwnerChoice owners={owners} onChoose={(to) => void handOver(to)} />}
      <Problem words={problem} />
    </div>
  );
}

interface OwnerChoiceProps extends OwnersList {
  readonly onChoose: (to: string) => void;
}

function OwnerChoice({ owners, onChoose }: OwnerChoiceProps): JSX.Element {
  const [chosen, setChosen] = useState("");
  const field = useId();
  return (
    <form
      class="take-in"
      onSubmit={(event) => {
        event.preventDefault();
        if (chosen !== "") onChoose(chosen);
      }}
    >
      <label for={field}>Hand it to</label>
      <select id={field} autofocus value={chosen} onChange={(event) => setChosen(event.currentTarget.value)}>
        <option value="">Choose an owner</option>
        {owners.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      <button type="submit" class="button small" disabled={chosen === ""}>
        Hand over
      </button>
    </form>
  );
}
