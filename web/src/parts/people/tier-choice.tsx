import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { GivenTier, Person } from "../../../../src/protocol/people.ts";
import { SureButton } from "../sure-button.tsx";

/** Tiers that an owner gives, lowest first. */
export const GIVEN_TIERS = ["guest", "member", "admin"] as const satisfies readonly GivenTier[];

interface TierChoiceProps {
  readonly tier: Person["tier"];
  readonly name: string;
  readonly onChoose: (tier: GivenTier) => Promise<void>;
}

/** A person's tier, and the button that sets another one. */
export function TierChoice({ tier, name, onChoose }: TierChoiceProps): JSX.Element {
  const [chosen, setChosen] = useState<Person["tier"]>(tier);
  // What the server says counts.
  useEffect(() => setChosen(tier), [tier]);
  return (
    <div class="tier-choice">
      <label>
        Tier
        <select
          aria-label={`Tier of ${name}`}
          value={chosen}
          onChange={(event) => setChosen(event.currentTarget.value as GivenTier)}
        >
          {GIVEN_TIERS.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
          {tier === "owner" ? (
            <option value="owner" disabled>
              owner
            </option>
          ) : null}
        </select>
      </label>
      {chosen === tier || chosen === "owner" ? null : (
        <SureButton
          label="Set the tier"
          about={name}
          question={`Make ${name} ${chosen} instead of ${tier}?`}
          act={async () => {
            await onChoose(chosen);
            setChosen(tier);
          }}
        />
      )}
    </div>
  );
}
