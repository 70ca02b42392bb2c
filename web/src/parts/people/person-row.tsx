import type { JSX } from "preact";
import { ok } from "../../../../src/lib/result.ts";
import type { Person } from "../../../../src/protocol/people.ts";
import type { PeopleRest } from "../../net/people-rest.ts";
import type { Reply } from "../../net/rest.ts";
import { formatAgo } from "../../state/format.ts";
import { identityLine } from "../../state/identity.ts";
import { Icon } from "../icons.tsx";
import { SureButton } from "../sure-button.tsx";
import { useApp } from "../use-app.ts";
import { EraseForm } from "./erase-form.tsx";
import { IdentityName } from "./identity-name.tsx";
import { MergeForm } from "./merge-form.tsx";
import { MergedRow } from "./merged-row.tsx";
import { TierChoice } from "./tier-choice.tsx";

interface PersonRowProps {
  readonly person: Person;
  /** Everybody else who may enter. */
  readonly others: readonly Person[];
  readonly rest: PeopleRest;
  /** @param done what is said when it was done. */
  readonly onChange: (asked: Reply<unknown>, done: string) => Promise<void>;
  readonly onLookAgain: () => void;
}

/** One person: what counts in a line, and below it their sign-ins and what an owner may change. */
export function PersonRow({ person, others, rest, onChange, onLookAgain }: PersonRowProps): JSX.Element {
  const app = useApp();
  const { id, name, tier, mergedInto } = person;
  if (person.erasedAt !== undefined) return <ErasedRow person={person} />;
  if (mergedInto) return <MergedRow name={name} mergedInto={mergedInto} onLookAgain={onLookAgain} />;
  const isSelf = id === app.me.value?.principal.id;
  return (
    <li>
      <details class="person">
        <summary>
          <Icon name="chevron" size={16} />
          <span class="person-name">
            <bdi>{name}</bdi>
            {isSelf ? " (you)" : ""}
          </span>
          <span class="person-tier">{tier}</span>
          <span class="quiet">{standing(person, app.ports.nowMs())}</span>
        </summary>
        <PersonIdentities person={person} rest={rest} onChange={onChange} />
        <PersonChanges person={person} others={others} rest={rest} onChange={onChange} />
      </details>
    </li>
  );
}

/** What an owner may change about a person. */
function PersonChanges({ person, others, rest, onChange }: Omit<PersonRowProps, "onLookAgain">): JSX.Element {
  const app = useApp();
  const { id, name, tier } = person;
  const isOff = person.disabledAt !== undefined;
  const said = (done: string) => void onChange(Promise.resolve(ok(undefined)), done);
  return (
    <div class="person-changes">
      <TierChoice
        tier={tier}
        name={name}
        onChoose={(chosen) => onChange(rest.setTier(id, chosen), `${name} is ${chosen} now.`)}
      />
      {isOff ? (
        <SureButton
          label="Switch on"
          about={name}
          question={`Switch ${name} on again?`}
          act={() => onChange(rest.switchOn(id), `${name} is switched on.`)}
        />
      ) : (
        <SureButton
          label="Switch off"
          about={name}
          question={`Switch ${name} off? They are signed out everywhere and cannot come back.`}
          isDangerous
          act={() => onChange(rest.switchOff(id), `${name} is switched off.`)}
        />
      )}
      {id === app.me.value?.principal.id ? null : (
        <>
          {isOff ? null : (
            <MergeForm
              person={person}
              others={others}
              rest={rest}
              onMerged={(into) => said(`${name} is one with ${into.name} now.`)}
            />
          )}
          <EraseForm
            name={name}
            look={() => rest.erasure(id)}
            erase={(digest) => rest.erase(digest, id)}
            onErased={() => said(`${name} is erased.`)}
          />
        </>
      )}
    </div>
  );
}

/** Of whoever was erased there is nothing to see or to change. */
function ErasedRow({ person: { erasedAt = 0 } }: { readonly person: Person }): JSX.Element {
  const app = useApp();
  return (
    <li class="person erased">
      <span class="quiet">Somebody who was erased {formatAgo(erasedAt, app.ports.nowMs())}</span>
    </li>
  );
}

function PersonIdentities({
  person: { id, name, identities },
  rest,
  onChange,
}: Pick<PersonRowProps, "person" | "rest" | "onChange">): JSX.Element {
  return (
    <>
      <ul class="identities" aria-label={`Sign-ins of ${name}`}>
        {identities.map((identity) => {
          const line = identityLine(identity.id, identity.display);
          return (
            <li key={identity.id}>
              <IdentityName id={identity.id} display={identity.display} />
              <SureButton
                label="Unlink"
                about={`${line}, of ${name}`}
                question={`Unlink ${line} from ${name}? Whoever signs in with it is not ${name} any more.`}
                isDangerous
                act={() => onChange(rest.unlink(id, identity.id), `${line} is unlinked from ${name}.`)}
              />
            </li>
          );
        })}
      </ul>
      {identities.length === 0 ? <p class="quiet">No sign-in is linked: nobody can sign in as {name}.</p> : null}
    </>
  );
}

function standing({ disabledAt, stale, lastSeenAt }: Person, now: number): string {
  if (disabledAt !== undefined) return `switched off ${formatAgo(disabledAt, now)}`;
  const seen = lastSeenAt === undefined ? "never seen" : `seen ${formatAgo(lastSeenAt, now)}`;
  return stale ? `${seen}, not for 90 days` : seen;
}
