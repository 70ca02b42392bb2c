import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { MergePreviewBody } from "../../../../src/protocol/merges.ts";
import type { Person } from "../../../../src/protocol/people.ts";
import type { PeopleRest } from "../../net/people-rest.ts";
import { storeWords } from "../../state/store-words.ts";
import { TypedQuestion } from "../questions/typed-question.tsx";
import { useLoaded } from "../use-loaded.ts";

interface MergeFormProps {
  readonly person: Person;
  /** Who may stay in their place. */
  readonly others: readonly Person[];
  readonly rest: PeopleRest;
  readonly onMerged: (into: Person) => void;
}

/** A button that asks who stays, shows what would become of two people, and makes them one once a name was typed. */
export function MergeForm(props: MergeFormProps): JSX.Element {
  const [isOpen, setOpen] = useState<boolean | undefined>(undefined);
  const button = useRef<HTMLButtonElement>(null);
  // Whoever leaves the question is back at its button.
  useEffect(() => (isOpen === false ? button.current?.focus() : undefined), [isOpen]);
  const { name } = props.person;
  if (isOpen) return <MergeChoice {...props} onLeave={() => setOpen(false)} />;
  return (
    <button
      ref={button}
      type="button"
      class="button small danger"
      aria-label={`Merge: ${name}`}
      onClick={() => setOpen(true)}
    >
      Merge…
    </button>
  );
}

type Leaving = { readonly onLeave: () => void };

function MergeChoice(props: MergeFormProps & Leaving): JSX.Element {
  const { person, others, onLeave } = props;
  const [chosen, setChosen] = useState("");
  const choice = useRef<HTMLSelectElement>(null);
  useEffect(() => choice.current?.focus(), []);
  const into = others.find(({ id }) => id === chosen);
  return (
    <section class="link-question" aria-label={`Merge ${person.name} with somebody`}>
      <label>
        Who stays when {person.name} is merged
        <select ref={choice} class="field" value={chosen} onChange={(event) => setChosen(event.currentTarget.value)}>
          <option value="">Choose somebody</option>
          {others.map((other) => (
            <option key={other.id} value={other.id}>
              {describe(other)}
            </option>
          ))}
        </select>
      </label>
      {into === undefined ? (
        <div class="dialog-buttons">
          <button type="button" class="button" onClick={onLeave}>
            Leave it
          </button>
        </div>
      ) : (
        <MergeQuestion {...props} key={into.id} into={into} />
      )}
    </section>
  );
}

/** Names may be equal: what tells people apart is how they sign in. */
function describe({ name, tier, identities }: Person): string {
  const [first] = identities;
  return `${name}, ${tier}${first === undefined ? "" : `, ${first.display || first.id}`}`;
}

function MergeQuestion({
  person,
  into,
  rest,
  onMerged,
  onLeave,
}: MergeFormProps & Leaving & { readonly into: Person }): JSX.Element {
  const preview = useLoaded(() => rest.merging(person.id, into.id));
  const shown = preview.value;
  const go = async (): Promise<string | undefined> => {
    const reply = await rest.merge(person.id, into.id, shown?.digest ?? "");
    if (!reply.ok) await preview.reload();
    else onMerged(into);
    return reply.ok ? undefined : reply.error.message;
  };
  return (
    <TypedQuestion
      title={`Make ${person.name} one with ${into.name} for good?`}
      name={person.name}
      expected={shown?.person.name}
      act={`Merge ${person.name} into ${into.name}`}
      problem={preview.problem}
      onGo={go}
      onLeave={onLeave}
    >
      {shown === undefined ? <p class="quiet">Loading…</p> : <WhatMoves preview={shown} />}
    </TypedQuestion>
  );
}

function WhatMoves({ preview }: { readonly preview: MergePreviewBody }): JSX.Element {
  const { person, into, stores, becomes } = preview;
  return (
    <>
      <p>
        This of <bdi>{person.name}</bdi> ({person.tier}) is then of <bdi>{into.name}</bdi> ({into.tier}), or ends:
      </p>
      <ul aria-label="What is moved">
        {stores
          .filter(({ found }) => found > 0)
          .map((one) => (
            <li key={one.store}>{storeWords(one)}</li>
          ))}
      </ul>
      <ul class="quiet" aria-label="What becomes of the two">
        {becomes.map((one) => (
          <li key={one}>{one}</li>
        ))}
      </ul>
    </>
  );
}
