import type { JSX } from "preact";
import { useId, useState } from "preact/hooks";
import type { HoldCard } from "../../../../src/protocol/cards.ts";
import type { Chat } from "../../app/chat.ts";
import { readInput } from "../../state/edit-input.ts";
import { prettyArgs } from "../../state/tool-state.ts";
import { Dialog } from "../dialog.tsx";
import { Problem } from "../problem.tsx";

interface EditCallProps {
  readonly card: HoldCard;
  readonly chat: Chat;
  /** The arguments as the model wrote them. */
  readonly args: string;
}

/** Approving with other arguments than the model's: the whole input as JSON, with what is wrong with it beside it. */
export function EditCall({ card, chat, args }: EditCallProps): JSX.Element {
  const [text, setText] = useState<string | undefined>(undefined);
  return (
    <>
      <button type="button" class="text-button" onClick={() => setText(prettyArgs(args))}>
        Edit, then approve
      </button>
      {text === undefined ? null : (
        <EditDialog card={card} chat={chat} text={text} onText={setText} onClose={() => setText(undefined)} />
      )}
    </>
  );
}

interface EditDialogProps {
  readonly card: HoldCard;
  readonly chat: Chat;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onClose: () => void;
}

/** Stays open until the server took the edit, so that nothing that was written is lost. */
function EditDialog({ card, chat, text, onText, onClose }: EditDialogProps): JSX.Element {
  const problemId = useId();
  const input = readInput(text);
  const press = chat.presses.all.value.get(card.hold);
  const problem = input.ok ? (press?.status === "refused" ? press.message : undefined) : input.error;
  return (
    <Dialog title={`Edit what ${card.tool} is called with`} className="wide" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (input.ok) chat.decide(card, "approve", "", { input: input.value });
        }}
      >
        <label class="field">
          Arguments, as JSON
          <textarea
            class="edit-call"
            autofocus
            rows={12}
            spellcheck={false}
            value={text}
            aria-invalid={!input.ok}
            aria-describedby={problem === undefined ? undefined : problemId}
            onInput={(event) => onText(event.currentTarget.value)}
          />
        </label>
        <Problem id={problemId} words={problem} />
        <div class="dialog-buttons">
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button primary" disabled={!input.ok || press?.status === "sending"}>
            Approve as edited
          </button>
        </div>
      </form>
    </Dialog>
  );
}
