import { err, type Result } from "../../lib/result.ts";
import type { AuditedHost, KnownPerson } from "../holds-host.ts";
import type { HoldsNamespace } from "../record/hold-state.ts";
import { type CardPress, type PressRefused, pressCard } from "./press.ts";

/** How old what the directory said of a person may be while many cards are decided. */
const MAX_FACTS_AGE_MS = 5_000;

/** One decision about each card of an explicit list. */
export interface ManyPresses extends Omit<CardPress, "hold" | "digest"> {
  readonly cards: readonly Pick<CardPress, "hold" | "digest">[];
}

/** What became of one card of the list. */
export interface CardOutcome {
  readonly hold: string;
  readonly answer: Result<Record<string, never>, PressRefused>;
}

/**
 * Decides the cards of a list one after the other, each in its own right and in a commit of its own, as if it had been
 * pressed alone. What is not on the list stays as it is. @param unavailable what a card is answered whose directory cannot
 * be read: it stays open.
 */
export async function pressMany(
  host: AuditedHost,
  namespace: HoldsNamespace,
  { cards, ...press }: ManyPresses,
  unavailable: (error: unknown) => PressRefused,
): Promise<readonly CardOutcome[]> {
  const remembering = { ...host, person: rememberPeople(host) };
  const outcomes: CardOutcome[] = [];
  for (const { hold, digest } of cards) {
    const answer = await pressCard(remembering, namespace, { ...press, hold, digest }).catch((error: unknown) =>
      err(unavailable(error)),
    );
    outcomes.push({ hold, answer });
  }
  return outcomes;
}

function rememberPeople({ clock, person }: AuditedHost): AuditedHost["person"] {
  const known = new Map<string, { readonly at: number; readonly person: KnownPerson | undefined }>();
  return async (principalId) => {
    const found = known.get(principalId);
    if (found && clock.now() - found.at < MAX_FACTS_AGE_MS) return found.person;
    const at = clock.now();
    const read = await person(principalId);
    known.set(principalId, { at, person: read });
    return read;
  };
}
