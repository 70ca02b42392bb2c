import type { Tier } from "../../people/facts.ts";
import type { HoldsState } from "../record/hold-state.ts";
import { type AnswerableHold, isAnswerable } from "../record/record.ts";
import { showLine, showTool } from "./show-line.ts";

/** Bytes of what a list of cards says of one. UTF-16 units are never more. */
const MAX_ACTION_BYTES = 300;
const MAX_TOOL_BYTES = 100;

/** A card as a list across conversations shows it, with what deciding who may answer takes. */
export interface OpenCard {
  readonly hold: string;
  readonly digest: string;
  readonly tool: string;
  /** Escaped; a cut one says so. */
  readonly action: string;
  /** A principal; null: nobody spoke. */
  readonly askedBy: string | null;
  readonly askedAt: number;
  readonly deadline: number;
  readonly minTier: Tier;
  readonly approvers: readonly string[] | null;
  readonly approval: "speaker" | null;
}

/** The cards that a person may still answer, oldest first. */
export function openCardsOf({ records }: Pick<HoldsState, "records">): readonly OpenCard[] {
  return Object.values(records)
    .filter(isAnswerable)
    .sort((a, b) => a.askedAt - b.askedAt || (a.id < b.id ? -1 : 1))
    .map(showOpen);
}

function showOpen(record: AnswerableHold): OpenCard {
  const { id, digest, speaker, askedAt, deadline, minTier, approvers, approval } = record;
  return {
    hold: id,
    digest,
    tool: showTool(record.tool, MAX_TOOL_BYTES),
    action: showLine(record.text, MAX_ACTION_BYTES).text,
    askedBy: speaker?.principalId ?? null,
    askedAt,
    deadline,
    minTier,
    approvers,
    approval,
  };
}
