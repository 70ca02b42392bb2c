import type { JSX } from "preact";
import { ok } from "../../../../src/lib/result.ts";
import type { AuditLine } from "../../../../src/protocol/people.ts";
import type { PeopleRest } from "../../net/people-rest.ts";
import { changeWords } from "../../state/change-words.ts";
import { formatClock, formatDate } from "../../state/format.ts";
import { Problem } from "../problem.tsx";
import { usePages } from "../use-pages.ts";

/** What was changed about people, newest first. */
export function PeopleChanges({ rest }: { readonly rest: PeopleRest }): JSX.Element {
  const pages = usePages<AuditLine>(async (after) => {
    const reply = await rest.changes(after);
    return reply.ok ? ok({ items: reply.value.lines, next: reply.value.next }) : reply;
  });
  return (
    <>
      <Problem words={pages.problem} />
      {pages.items === undefined && pages.problem === undefined ? <p class="quiet">Loading…</p> : null}
      {pages.items?.length === 0 ? <p class="quiet">Nothing was changed yet.</p> : null}
      <ol class="changes" aria-label="Changes, newest first">
        {(pages.items ?? []).map((line) => (
          <li key={line.id}>
            <time class="quiet" dateTime={new Date(line.at).toISOString()}>
              {formatDate(line.at)}, {formatClock(line.at)}
            </time>
            <bdi>{changeWords(line)}</bdi>
          </li>
        ))}
      </ol>
      {pages.hasMore ? (
        <button type="button" class="text-button" onClick={() => void pages.more()}>
          Show older changes
        </button>
      ) : null}
    </>
  );
}
