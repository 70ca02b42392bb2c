import { nearest } from "../../lib/nearest.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import { type Tier, tierAtLeast } from "../../people/facts.ts";
import { parseChannel } from "../router/channel.ts";
import type { BackgroundFacts } from "./background-facts.ts";
import type { BackgroundTarget } from "./background-target.ts";

/** What counts when a background turn's place in the queue has come. */
export interface BackgroundSituation {
  readonly facts: BackgroundFacts;
  /** Channel key of the conversation. */
  readonly conversation: string;
  readonly targets: readonly BackgroundTarget[];
  /** The author's tier now; a sentence: why they may not have a turn here any more. */
  readonly author: Result<Tier, string>;
}

/** The tier that a background turn runs at, or why it is skipped. It never runs for another target, nor for another author. */
export function decideBackground({ facts, conversation, targets, author }: BackgroundSituation): Result<Tier, string> {
  const target = targets.find(({ name }) => name === facts.target);
  if (!target) return err(unknownTarget(facts.target, targets));
  if (parseChannel(conversation)?.surface !== target.surface) {
    return err(`The target ${target.name} serves conversations of ${target.surface}, and this is none.`);
  }
  if (!author.ok) return err(`Its author may not have it run: ${author.error}`);
  const tier = tierAtLeast(author.value, facts.tier) ? facts.tier : author.value;
  return tierAtLeast(tier, "member") ? ok(tier) : err(`It would run at the tier ${tier}; turns need member.`);
}

function unknownTarget(name: string, targets: readonly BackgroundTarget[]): string {
  const close = nearest(
    name,
    targets.map((target) => target.name),
  );
  const hint = close === undefined ? "" : ` Did you mean ${close}?`;
  return `There is no background target ${JSON.stringify(name)} here: nothing ran in its place.${hint}`;
}
