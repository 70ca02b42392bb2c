import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ErasurePreviewBody } from "../../../../src/protocol/erasures.ts";
import type { Reply } from "../../net/rest.ts";
import { storeWords } from "../../state/store-words.ts";
import { TypedQuestion } from "../questions/typed-question.tsx";
import { useLoaded } from "../use-loaded.ts";

interface EraseFormProps {
  /** As the person is called here. */
  readonly name: string;
  readonly look: () => Reply<ErasurePreviewBody>;
  /** @param digest of what was shown. */
  readonly erase: (digest: string) => Reply<unknown>;
  readonly onErased: () => void;
}

/** A button that shows what erasing somebody would take away, and does it once their name was typed. */
export function EraseForm(props: EraseFormProps): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  if (isOpen) return <EraseQuestion {...props} onLeave={() => setOpen(false)} />;
  return (
    <button type="button" class="button small danger" aria-label={`Erase: ${props.name}`} onClick={() => setOpen(true)}>
      Erase…
    </button>
  );
}

function EraseQuestion({
  name,
  look,
  erase,
  onErased,
  onLeave,
}: EraseFormProps & { readonly onLeave: () => void }): JSX.Element {
  const preview = useLoaded(look);
  const shown = preview.value;
  const go = async (): Promise<string | undefined> => {
    const reply = await erase(shown?.digest ?? "");
    if (!reply.ok) await preview.reload();
    else onErased();
    return reply.ok ? undefined : reply.error.message;
  };
  return (
    <TypedQuestion
      title={`Erase ${name} for good?`}
      name={name}
      expected={shown?.person.name}
      act={`Erase ${name}`}
      problem={preview.problem}
      onGo={go}
      onLeave={onLeave}
    >
      {shown === undefined ? <p class="quiet">Loading…</p> : <WhatGoes preview={shown} />}
    </TypedQuestion>
  );
}

function WhatGoes({ preview: { stores, keeps } }: { readonly preview: ErasurePreviewBody }): JSX.Element {
  const held = stores.filter(({ found }) => found > 0);
  return (
    <>
      <p>
        It cannot be taken back. This goes at once or within minutes, and tombstones stand where they spoke with others:
      </p>
      <ul aria-label="What goes">
        {held.map((one) => (
          <li key={one.store}>{storeWords(one)}</li>
        ))}
      </ul>
      <p>This stays:</p>
      <ul class="quiet" aria-label="What stays">
        {keeps.map((one) => (
          <li key={one}>{one}</li>
        ))}
      </ul>
    </>
  );
}
