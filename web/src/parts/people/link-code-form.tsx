import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { LinkPreview } from "../../../../src/protocol/people.ts";
import type { PeopleRest } from "../../net/people-rest.ts";
import { Problem } from "../problem.tsx";
import { LinkQuestion } from "./link-question.tsx";

interface LinkCodeFormProps {
  readonly rest: PeopleRest;
  readonly onLinked: () => void;
}

/** A code that another place showed: what it stands for is named first, then it is linked. */
export function LinkCodeForm({ rest, onLinked }: LinkCodeFormProps): JSX.Element {
  const [code, setCode] = useState("");
  const [found, setFound] = useState<{ readonly code: string; readonly preview: LinkPreview } | undefined>(undefined);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const look = async (): Promise<void> => {
    const wanted = code.trim();
    if (wanted === "") return setProblem("Write the code first.");
    const reply = await rest.readCode(wanted);
    setProblem(reply.ok ? undefined : reply.error.message);
    if (reply.ok) setFound({ code: wanted, preview: reply.value });
  };
  const link = async (): Promise<string | undefined> => {
    if (found === undefined) return undefined;
    const reply = await rest.linkCode(found.code, found.preview.identity.id);
    if (!reply.ok) return reply.error.message;
    setFound(undefined);
    setCode("");
    onLinked();
    return undefined;
  };
  if (found !== undefined) {
    return <LinkQuestion preview={found.preview} onLink={link} onRefuse={() => setFound(undefined)} />;
  }
  return (
    <form
      class="code-form"
      onSubmit={(event) => {
        event.preventDefault();
        void look();
      }}
    >
      <label class="field">
        Code that another place showed you
        <input
          type="text"
          value={code}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          maxLength={64}
          aria-invalid={problem !== undefined}
          aria-describedby={problem === undefined ? undefined : "link-code-problem"}
          onInput={(event) => setCode(event.currentTarget.value)}
        />
      </label>
      <Problem id="link-code-problem" words={problem} />
      <button type="submit" class="button">
        Show what it links
      </button>
    </form>
  );
}
