import type { JSX } from "preact";
import { useId, useState } from "preact/hooks";
import { MAX_NOTE_UNITS } from "../../../../src/protocol/limits.ts";
import type { Readiness } from "../../state/cards.ts";
import { Problem } from "../problem.tsx";

interface CardDecisionProps {
  readonly readiness: Readiness;
  readonly canDecline: boolean;
  readonly problem: string | undefined;
  readonly onDecide: (decision: "approve" | "decline", note: string) => void;
}

/** The two buttons of a card, and a note for whoever wants to say why. */
export function CardDecision({ readiness, canDecline, problem, onDecide }: CardDecisionProps): JSX.Element {
  const [note, setNote] = useState<string | undefined>(undefined);
  const hint = useId();
  return (
    <div class="card-decision">
      {note === undefined ? null : (
        <label class="field">
          Note
          <input
            type="text"
            autofocus
            value={note}
            maxLength={MAX_NOTE_UNITS}
            placeholder="Goes to the agent with your decision"
            onInput={(event) => setNote(event.currentTarget.value)}
          />
        </label>
      )}
      <div class="card-buttons">
        <button
          type="button"
          class="button primary"
          disabled={!readiness.can}
          aria-describedby={readiness.can ? undefined : hint}
          onClick={() => onDecide("approve", note ?? "")}
        >
          Approve
        </button>
        <button type="button" class="button" disabled={!canDecline} onClick={() => onDecide("decline", note ?? "")}>
          Decline
        </button>
        {note === undefined && canDecline ? (
          <button type="button" class="text-button" onClick={() => setNote("")}>
            Add a note
          </button>
        ) : null}
      </div>
      {readiness.can ? null : (
        <p id={hint} class="card-hint">
          {readiness.words}
        </p>
      )}
      <Problem words={problem} />
    </div>
  );
}
