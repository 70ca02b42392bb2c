import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { HoldCard } from "../../../../src/protocol/cards.ts";
import { copyText } from "../copy-text.ts";
import { Icon } from "../icons.tsx";

const COPIED_MS = 1_600;

/** Text that a card offers to take along, as it is shown. Taking it decides nothing. */
export function CardCopy({ copy }: { readonly copy: NonNullable<HoldCard["copy"]> }): JSX.Element {
  const [isCopied, setCopied] = useState(false);
  const take = async (): Promise<void> => {
    setCopied(await copyText(copy.text));
    setTimeout(() => setCopied(false), COPIED_MS);
  };
  return (
    <div class="card-copy">
      <pre tabIndex={0}>{copy.text}</pre>
      {copy.cut ? (
        <p class="quiet">It is too long to be shown and copied whole.</p>
      ) : (
        <button type="button" class="text-button" onClick={() => void take()}>
          <Icon name={isCopied ? "check" : "copy"} size={16} />
          {isCopied ? "Copied" : "Copy this text"}
        </button>
      )}
    </div>
  );
}
