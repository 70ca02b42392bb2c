import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { LinkPreview } from "../../../../src/protocol/people.ts";
import { Problem } from "../problem.tsx";
import { IdentityName } from "./identity-name.tsx";

interface LinkQuestionProps {
  readonly preview: LinkPreview;
  /** @returns why it was not linked. */
  readonly onLink: () => Promise<string | undefined>;
  readonly onRefuse: () => void;
}

/** Names both sides of a link before anything is linked: which account, and to whom. */
export function LinkQuestion({ preview, onLink, onRefuse }: LinkQuestionProps): JSX.Element {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const refuse = useRef<HTMLButtonElement>(null);
  useEffect(() => refuse.current?.focus(), []);
  const { identity, to } = preview;
  const link = async (): Promise<void> => {
    setBusy(true);
    setProblem(await onLink());
    setBusy(false);
  };
  return (
    <section class="link-question" aria-label="Link this account?">
      <h3>Link this account?</h3>
      <dl>
        <dt>The account</dt>
        <dd>
          <IdentityName id={identity.id} display={identity.display} />
        </dd>
        <dt>signs in from then on as you</dt>
        <dd>
          <IdentityName id={to.identity} display={to.name} />
        </dd>
      </dl>
      <p class="quiet">Link it only when it is yours: whoever holds it can then do here whatever you can.</p>
      <Problem words={problem} />
      <div class="dialog-buttons">
        <button ref={refuse} type="button" class="button" disabled={isBusy} onClick={onRefuse}>
          Don’t link it
        </button>
        <button type="button" class="button primary" disabled={isBusy} onClick={() => void link()}>
          {isBusy ? "Linking…" : "Link it to me"}
        </button>
      </div>
    </section>
  );
}
