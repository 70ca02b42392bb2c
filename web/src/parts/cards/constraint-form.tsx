import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { MAX_CONSTRAINT_UNITS } from "../../../../src/protocol/limits.ts";
import type { Chat } from "../../app/chat.ts";
import { chatOf } from "../../state/cards.ts";
import { Problem } from "../problem.tsx";

/** Sets a standing constraint: which tools, what becomes of their calls, and why, in one's own words. */
export function ConstraintForm({ chat }: { readonly chat: Chat }): JSX.Element {
  const known = (chatOf(chat.transcript.view.value).tools ?? []).map(({ name }) => name);
  const [tools, setTools] = useState<readonly string[]>([]);
  const [effect, setEffect] = useState<"ask" | "never">("ask");
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const isReady = tools.length > 0 && text.trim() !== "";
  const add = async (): Promise<void> => {
    const refusal = await chat.policy.constrain({ tools: [...tools], effect, text: text.trim() });
    setProblem(refusal);
    if (refusal !== undefined) return;
    setTools([]);
    setText("");
  };
  return (
    <details class="add-rule">
      <summary>Add a constraint</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) void add();
        }}
      >
        <ToolPicker known={known} picked={tools} onPick={setTools} />
        <fieldset>
          <legend>Their calls</legend>
          <label class="pick">
            <input type="radio" name="effect" checked={effect === "ask"} onChange={() => setEffect("ask")} />
            wait for approval
          </label>
          <label class="pick">
            <input type="radio" name="effect" checked={effect === "never"} onChange={() => setEffect("never")} />
            never run
          </label>
        </fieldset>
        <label class="field">
          In your words
          <input
            type="text"
            value={text}
            maxLength={MAX_CONSTRAINT_UNITS}
            placeholder="Never delete without asking me"
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </label>
        <Problem words={problem} />
        <button type="submit" class="button" disabled={!isReady}>
          Add
        </button>
      </form>
    </details>
  );
}

interface ToolPickerProps {
  readonly known: readonly string[];
  readonly picked: readonly string[];
  readonly onPick: (picked: readonly string[]) => void;
}

function ToolPicker({ known, picked, onPick }: ToolPickerProps): JSX.Element {
  const toggle = (name: string) =>
    onPick(picked.includes(name) ? picked.filter((one) => one !== name) : [...picked, name]);
  return (
    <fieldset>
      <legend>Tools</legend>
      {known.map((name) => (
        <label key={name} class="pick">
          <input type="checkbox" checked={picked.includes(name)} onChange={() => toggle(name)} />
          <code>{name}</code>
        </label>
      ))}
    </fieldset>
  );
}
