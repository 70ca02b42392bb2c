import type { JSX } from "preact";
import type { HoldCard } from "../../../../src/protocol/cards.ts";

/** What a person's edit replaced, so that what would run can be compared with what was asked for. */
export function EditedNote({ card }: { readonly card: HoldCard }): JSX.Element | null {
  const { edit } = card;
  if (edit === undefined) return null;
  return (
    <div class="card-edit">
      <p>
        Edited by <bdi>{edit.by}</bdi>. Before:
      </p>
      <dl class="card-args">
        {edit.before.map(({ name, value }) => (
          <div key={name}>
            <dt>
              <code>{name}</code>
            </dt>
            <dd>{value === null ? <span class="quiet">not there</span> : <pre tabIndex={0}>{value}</pre>}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
