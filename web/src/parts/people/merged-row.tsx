import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { Person } from "../../../../src/protocol/people.ts";
import { formatAgo } from "../../state/format.ts";
import { useApp } from "../use-app.ts";

/** How long until it is looked again whether everything has been moved. Milliseconds. */
const LOOK_AGAIN_MS = 2_000;

interface MergedRowProps {
  readonly name: string;
  readonly mergedInto: NonNullable<Person["mergedInto"]>;
  readonly onLookAgain: () => void;
}

/** Of a former there is nothing to change: it is said who they are now, and whether all is moved. */
export function MergedRow({ name, mergedInto, onLookAgain }: MergedRowProps): JSX.Element {
  const app = useApp();
  const { name: into, at, finishedAt } = mergedInto;
  useEffect(() => {
    if (finishedAt !== undefined) return undefined;
    const timer = setTimeout(onLookAgain, LOOK_AGAIN_MS);
    return () => clearTimeout(timer);
  }, [mergedInto]);
  return (
    <li class="person erased">
      <span class="quiet">
        <bdi>{name}</bdi>, merged into <bdi>{into}</bdi> {formatAgo(at, app.ports.nowMs())}
        {finishedAt === undefined ? "; what they had is still being moved" : ""}
      </span>
    </li>
  );
}
