import type { RewindData } from "../../../src/protocol/view.ts";
import type { OldConversation } from "../origin.ts";
import type { CommitCheck, Invariants, StateCheck } from "../stage.ts";
import type { Stored } from "../stored.ts";

const isCopying = ({ control }: Stored) => Object.values(control.tasks).some(({ kind }) => kind === "core.import");

/** What holds in a conversation that begins as a fork at an entry of another. */
export function forkInvariants(old: OldConversation, at: number): Invariants {
  const whole = old.whole(at);

  /** As long as something is copied nothing else enters the transcript, and no turn begins. */
  const nothingComesBeforeTheCopy: CommitCheck = ({ after, appended }) => {
    if (!isCopying(after)) return undefined;
    if (after.control.turn) return `turn ${after.control.turn.task} began during the copy`;
    const other = appended.find(({ inherited }) => inherited !== true);
    return other && `entry ${other.id} (${other.kind}) came before the copy was complete`;
  };

  /** I-50: what was copied is a beginning of the other's transcript; a whole copy holds all of it and its documents. */
  const forksHoldTheirOrigin: StateCheck = ({ stored }) => {
    const copied = stored.entries.filter(({ inherited }) => inherited === true);
    const [a, b] = [copied, whole.entries.slice(0, copied.length)].map((entries) =>
      JSON.stringify(entries.map(idAndWords)),
    );
    if (a !== b) return `it holds ${a}, not ${b}`;
    const isWhole = stored.entries.some(({ kind }) => kind === "core.fork");
    if (isWhole && copied.length !== whole.entries.length)
      return `it holds ${copied.length} of ${whole.entries.length}`;
    return undefined;
  };

  /** F-6: back at what was copied, documents are what was copied. */
  const goingBackGivesTheCopy: CommitCheck = ({ before, after, appended }) => {
    const rewind = appended.find(({ kind }) => kind === "core.rewind");
    const { to } = (rewind?.data ?? {}) as Partial<RewindData>;
    if (!before.entries.some(({ id, inherited }) => id === to && inherited)) return undefined;
    if (!before.entries.some(({ kind }) => kind === "core.fork")) return undefined;
    const copied = Object.entries(whole.documents ?? {}).map(([name, body]) => [name, JSON.stringify(body)] as const);
    const [a, b] = [after.rewindable, copied].map((documents) => {
      return JSON.stringify([...documents].filter(([, body]) => body !== "{}"));
    });
    return a === b ? undefined : `back at ${to} it is ${a}, copied was ${b}`;
  };

  return { commit: [nothingComesBeforeTheCopy, goingBackGivesTheCopy], rest: [forksHoldTheirOrigin] };
}

function idAndWords({ id, kind, message, data }: Stored["entries"][number]): unknown {
  return [id, kind, message, data];
}
