import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { Problem } from "../problem.tsx";

interface TypedQuestionProps {
  readonly title: string;
  /** What is to be typed, as it is shown here. */
  readonly name: string;
  /** What is to be typed, as the server has it. Undefined: that is not known yet. */
  readonly expected: string | undefined;
  /** On the button. */
  readonly act: string;
  readonly problem: string | undefined;
  /** @returns why it was not done. */
  readonly onGo: () => Promise<string | undefined>;
  readonly onLeave: () => void;
  readonly children: ComponentChildren;
}

/** A question about something that cannot be taken back: a name that is typed answers it. */
export function TypedQuestion(props: TypedQuestionProps): JSX.Element {
  const { title, name, expected, act, onGo, onLeave, children } = props;
  const [typed, setTyped] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const go = async (): Promise<void> => {
    if (expected === undefined || typed.trim() !== expected.trim()) {
      return setProblem(`Type ${name} first, just as it is written here.`);
    }
    setBusy(true);
    const refused = await onGo();
    setBusy(false);
    setProblem(refused);
  };
  return (
    <form
      class="link-question"
      aria-label={title}
      onSubmit={(event) => {
        event.preventDefault();
        void go();
      }}
    >
      <h3>{title}</h3>
      <Problem words={problem ?? props.problem} />
      {children}
      <label>
        Type the name {name} to confirm
        <input
          class="field"
          value={typed}
          autocomplete="off"
          onInput={(event) => {
            setTyped(event.currentTarget.value);
            setProblem(undefined);
          }}
        />
      </label>
      <div class="dialog-buttons">
        <button type="button" class="button" disabled={isBusy} onClick={onLeave}>
          Leave it
        </button>
        <button type="submit" class="button danger" disabled={isBusy}>
          {act}
        </button>
      </div>
    </form>
  );
}
