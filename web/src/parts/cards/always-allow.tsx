import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { HoldCard } from "../../../../src/protocol/cards.ts";
import type { DecideBody } from "../../../../src/protocol/frames.ts";
import { ALLOWANCES, canBeOpen } from "../../state/policy.ts";

interface AlwaysAllowProps {
  readonly card: HoldCard;
  /** Approve is possible now. */
  readonly isReady: boolean;
  readonly onAllow: (always: NonNullable<DecideBody["always"]>) => void;
}

const WEEK = 168;

/** Approves a card together with calls like it. The rule is shown, argument by argument, before it is saved. */
export function AlwaysAllow(props: AlwaysAllowProps): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="always" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Always allow calls like this one…</summary>
      {isOpen ? <RuleToSave {...props} /> : null}
    </details>
  );
}

function RuleToSave({ card, isReady, onAllow }: AlwaysAllowProps): JSX.Element {
  const [any, setAny] = useState<readonly string[]>([]);
  const [hours, setHours] = useState(WEEK);
  const toggle = (name: string) => setAny(any.includes(name) ? any.filter((one) => one !== name) : [...any, name]);
  return (
    <>
      <p>
        Without asking, calls of <code>{card.tool}</code> for <bdi>{card.askedBy}</bdi> in this conversation that have
        exactly these arguments:
      </p>
      <ul class="rules">
        {card.args.map(({ name, value }) => (
          <li key={name} class="rule">
            <p>
              <code>{name}</code>: {any.includes(name) ? <b>any value</b> : <bdi>{value}</bdi>}
            </p>
            {canBeOpen(name) ? (
              <label class="pick">
                <input type="checkbox" checked={any.includes(name)} onChange={() => toggle(name)} />
                <span>
                  any <span class="visually-hidden">value of {name}</span>
                </span>
              </label>
            ) : null}
          </li>
        ))}
      </ul>
      <div class="always-end">
        <label>
          <span class="visually-hidden">How long</span>
          <select value={hours} onChange={(event) => setHours(Number(event.currentTarget.value))}>
            {ALLOWANCES.map((one) => (
              <option key={one.hours} value={one.hours}>
                {one.words}
              </option>
            ))}
          </select>
        </label>
        <button type="button" class="button" disabled={!isReady} onClick={() => onAllow({ any: [...any], hours })}>
          Approve and always allow
        </button>
      </div>
    </>
  );
}
