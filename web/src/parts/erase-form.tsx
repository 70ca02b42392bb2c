import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ErasurePreviewBody } from "../../../src/protocol/erasures.ts";
import type { Reply } from "../net/rest.ts";
import { Problem } from "./problem.tsx";
import { useLoaded } from "./use-loaded.ts";

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
  const [typed, setTyped] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const shown = preview.value;
  const trouble = problem ?? preview.problem;
  const isConfirmed = shown !== undefined && typed.trim() === shown.person.name.trim();
  const go = async (): Promise<void> => {
    if (shown === undefined || !isConfirmed) return setProblem(`Type ${name} first, just as it is written here.`);
    setBusy(true);
    const reply = await erase(shown.digest);
    setBusy(false);
    if (reply.ok) return onErased();
    setProblem(reply.error.message);
    await preview.reload();
  };
  return (
    <form
      class="link-question"
      aria-label={`Erase ${name} for good?`}
      onSubmit={(event) => {
        event.preventDefault();
        void go();
      }}
    >
      <h3>Erase {name} for good?</h3>
      <Problem words={trouble} />
      {shown === undefined ? <p class="quiet">Loading…</p> : <WhatGoes preview={shown} />}
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
          Erase {name}
        </button>
      </div>
    </form>
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
        {held.map(({ store, found }) => (
          <li key={store}>
            {found} {STORES[store] ?? store}
          </li>
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

/** What the stores hold, as people call it. */
const STORES: Readonly<Record<string, string>> = {
  identities: "sign-ins",
  sessions: "sessions",
  link_codes: "link codes",
  invitations: "invitations that were used",
  rate_windows: "counters of tries",
  conversation_members: "memberships in shared conversations",
  open_cards: "cards that wait",
  private_conversations: "private conversations, with files",
  wallet: "record of what was spent",
  notices: "notices",
  seen: "marks of what was read",
};
