import type { JSX } from "preact";
import { formatClock } from "../state/format.ts";
import type { Row } from "../state/rows.ts";

/** A quiet line: a notice, or a kind of entry that the page does not know. */
export function Note({ row }: { readonly row: Extract<Row, { readonly kind: "note" }> }): JSX.Element {
  return (
    <div class="note" data-key={row.key} dir="auto" title={formatClock(row.entry.at)}>
      {row.text}
    </div>
  );
}
