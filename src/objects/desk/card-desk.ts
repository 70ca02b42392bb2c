import type { PressRefused } from "../../holds/index.ts";
import type { Json } from "../../lib/json.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import { type Directory, UNAVAILABLE } from "../../people/directory.ts";
import type { Caller, PersonFacts } from "../../people/facts.ts";
import type { CardChoices } from "../../protocol/cards.ts";
import type { CardAction, DecideBody, DecideManyBody, DecisionOutcome } from "../../protocol/frames.ts";
import { isStoreFailure } from "../../store/failure.ts";
import type { Entrance } from "../conversation/entrance.ts";
import type { Life } from "../conversation/life.ts";
import { FileStoreFailure } from "../files/file-digests.ts";
import type { Answer, ConversationRpc, Refusal } from "../rpc.ts";

const FILES_UNAVAILABLE: PressRefused = {
  code: "unavailable",
  message: "The files that this call names cannot be read now. Nothing was decided; try again in a moment.",
};

const SIGN_IN: PressRefused = { code: "unauthenticated", message: "Sign in to go on." };

export type CardRpc = Pick<ConversationRpc, "decide" | "decideMany" | "actOnCard" | "holdArgument">;

interface CardDeskHost {
  readonly directory: Directory;
  readonly entrance: Entrance;
  now(): number;
}

/** Calls on a conversation's cards. Whoever answers one is read from the directory at that moment. */
export class CardDesk implements CardRpc {
  readonly #directory: Directory;
  readonly #entrance: Entrance;
  readonly #now: () => number;

  constructor({ directory, entrance, now }: CardDeskHost) {
    this.#directory = directory;
    this.#entrance = entrance;
    this.#now = now;
  }

  async decide(
    caller: Caller,
    { hold, digest, decision, note, input, always }: DecideBody,
  ): Answer<Record<string, never>> {
    const desk = await this.#enter(caller);
    if (!desk.ok) return desk;
    const { life, presser } = desk.value;
    const said = {
      ...(note !== undefined && { note }),
      ...(input !== undefined && { input: input as Json }),
      ...(always && { always }),
    };
    return refused(hold, () => life.holds.press({ hold, digest, decision, presser, ...said }));
  }

  async decideMany(
    caller: Caller,
    { cards, decision, note }: DecideManyBody,
  ): Answer<{ readonly outcomes: readonly DecisionOutcome[] }> {
    const desk = await this.#enter(caller);
    if (!desk.ok) return desk;
    const { life, presser } = desk.value;
    const said = note === undefined ? {} : { note };
    const outcomes = await life.holds.pressMany({ cards, decision, presser, ...said }, away);
    return ok({
      outcomes: outcomes.map(({ hold, answer }) => (answer.ok ? { hold } : { hold, error: answer.error })),
    });
  }

  async actOnCard(caller: Caller, hold: string, action: CardAction): Answer<Record<string, never>> {
    const desk = await this.#enter(caller);
    if (!desk.ok) return desk;
    const { life, presser } = desk.value;
    return refused(hold, () =>
      action.kind === "ask_again"
        ? life.holds.askAgain({ hold, presser })
        : life.holds.change({ hold, change: action, presser }),
    );
  }

  /** What the caller may do with the cards, by facts some seconds old: a press is judged anew. */
  async choices(caller: Caller): Answer<readonly CardChoices[]> {
    const desk = await this.#entrance.enter(caller, "read");
    if (!desk.ok) return desk;
    const person = await this.#directory.read(caller);
    if (!person.ok) return person;
    if (!person.value) return err(SIGN_IN);
    try {
      const choices = await desk.value.holds.choices(person.value);
      const still = this.#entrance.enterAt(person.value, "read", this.#now());
      return still.ok ? ok(choices) : still;
    } catch (error) {
      return err(away(error));
    }
  }

  async holdArgument(caller: Caller, hold: string, name: string): Answer<{ readonly value: string }> {
    const desk = await this.#entrance.enter(caller, "read");
    if (!desk.ok) return desk;
    const value = desk.value.holds.argument(hold, name);
    return value === undefined ? err({ code: "not_found", message: "The card has no such argument." }) : ok({ value });
  }

  /** The conversation and the caller, by an answer of this moment. */
  async #enter(caller: Caller): Promise<Result<{ readonly life: Life; readonly presser: PersonFacts }, Refusal>> {
    const desk = await this.#entrance.enter(caller, "decide");
    if (!desk.ok) return desk;
    const person = await this.#directory.read(caller);
    if (!person.ok) return person;
    if (!person.value) return err(SIGN_IN);
    return ok({ life: desk.value, presser: person.value });
  }
}

/** The answer about one card. A directory or files that are away decide nothing and are no fault of the caller's. */
async function refused(
  hold: string,
  act: () => Promise<Result<Record<string, never>, PressRefused>>,
): Answer<Record<string, never>> {
  try {
    const answer = await act();
    return answer.ok ? answer : err({ ...answer.error, ref: hold });
  } catch (error) {
    return err({ ...away(error), ref: hold });
  }
}

/** @throws what is no failure of the directory or of the store of files. */
function away(error: unknown): PressRefused {
  if (error instanceof FileStoreFailure) return FILES_UNAVAILABLE;
  if (!isStoreFailure(error)) throw error;
  return UNAVAILABLE;
}
