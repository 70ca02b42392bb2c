import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { ok } from "../../../../src/lib/result.ts";
import type { Erasure } from "../../../../src/protocol/erasures.ts";
import type { PeopleRest } from "../../net/people-rest.ts";
import { formatClock, formatDate } from "../../state/format.ts";
import { storeName } from "../../state/store-words.ts";
import { Problem } from "../problem.tsx";
import { usePages } from "../use-pages.ts";

/** How often a list with an erasure at work reads itself anew. */
const LOOK_MS = 5_000;

interface Shown extends Erasure {
  /** Who ordered it, as they are called now. */
  readonly by: string;
}

/** The receipts of people who were erased, newest first. While one is at work, its state is read again and again. */
export function ErasureList({ rest }: { readonly rest: PeopleRest }): JSX.Element {
  const pages = usePages<Shown>(async (after) => {
    const reply = await rest.erasures(after);
    if (!reply.ok) return reply;
    const { erasures, names, next } = reply.value;
    const nameOf = ({ person, orderedBy }: Erasure) =>
      person === orderedBy ? "themselves" : (names[orderedBy] ?? orderedBy);
    return ok({ items: erasures.map((one) => ({ ...one, by: nameOf(one) })), next });
  });
  const isAtWork = pages.items?.some(({ finishedAt }) => finishedAt === undefined) === true;
  useEffect(() => {
    if (!isAtWork) return undefined;
    const timer = setInterval(() => document.hidden || void pages.reload(), LOOK_MS);
    return () => clearInterval(timer);
  }, [isAtWork, pages.items?.length]);
  return (
    <>
      <Problem words={pages.problem} />
      {pages.items === undefined && pages.problem === undefined ? <p class="quiet">Loading…</p> : null}
      {pages.items?.length === 0 ? <p class="quiet">Nobody was erased yet.</p> : null}
      <ol class="changes" aria-label="Erased people, newest first">
        {(pages.items ?? []).map((erasure) => (
          <Receipt key={erasure.person} erasure={erasure} />
        ))}
      </ol>
      {pages.hasMore ? (
        <button type="button" class="text-button" onClick={() => void pages.more()}>
          Show older ones
        </button>
      ) : null}
    </>
  );
}

function Receipt({ erasure: { person, by, begunAt, finishedAt, receipt } }: { readonly erasure: Shown }): JSX.Element {
  return (
    <li>
      <div>
        Erased by <bdi>{by}</bdi>, {formatDate(begunAt)}, {formatClock(begunAt)}
        <span class="quiet">
          {" "}
          · id <code>{person}</code>
        </span>
      </div>
      <p role="status">
        {finishedAt === undefined
          ? "At work. Everything is looked through once more some minutes later; what is left stands here then."
          : `Done, ${formatDate(finishedAt)}, ${formatClock(finishedAt)}.`}
      </p>
      <ul class="receipt" aria-label="Receipt">
        {receipt.map(({ store, found, left }) => (
          <li key={store}>
            {storeName(store)}: {found} found, {left === undefined ? "not looked at again yet" : `${left} left`}
          </li>
        ))}
      </ul>
    </li>
  );
}
