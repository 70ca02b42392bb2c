import type { CardChoice, CardChoices } from "../../protocol/cards.ts";
import type { HoldsHost, KnownPerson } from "../holds-host.ts";
import { mustAsk } from "../policy/constraint.ts";
import { POLICY } from "../policy/policy-state.ts";
import { MAX_EXTENSION_MS } from "../record/extend-hold.ts";
import type { HoldsNamespace } from "../record/hold-state.ts";
import { type HoldRecord, isAnswerable, mayBeAskedAgain } from "../record/record.ts";
import { whoMayText } from "../texts.ts";
import { verdictOn } from "./press.ts";

/**
 * What somebody may do with each card that waits or may be asked again, by the verdict that their press would get.
 * @throws when the directory cannot be read.
 */
export async function cardChoices(
  host: HoldsHost,
  namespace: HoldsNamespace,
  presser: KnownPerson,
): Promise<readonly CardChoices[]> {
  const people = new Map<string, ReturnType<HoldsHost["person"]>>();
  const asking: HoldsHost = {
    ...host,
    person(id) {
      const known = people.get(id) ?? host.person(id);
      people.set(id, known);
      return known;
    },
  };
  const records = Object.values(host.read().get(namespace).records);
  const shown = records.filter((record) => isAnswerable(record) || mayBeAskedAgain(record));
  const { constraints } = host.read().get(POLICY);
  return await Promise.all(
    shown.map(async (record): Promise<CardChoices> => {
      const verdict = await verdictOn(asking, record, presser);
      if (verdict.kind !== "allowed") return { hold: record.id, may: [], why: whoMayText(verdict) };
      return { hold: record.id, may: choicesOf(record, host.visibility, mustAsk(constraints, record.tool)) };
    }),
  );
}

/** What whoever may answer a card can do with it. */
function choicesOf(
  record: HoldRecord,
  visibility: HoldsHost["visibility"],
  isConstrained: boolean,
): readonly CardChoice[] {
  if (!isAnswerable(record)) return ["ask_again"];
  return [
    "approve",
    "decline",
    "edit",
    ...(isConstrained ? [] : (["always"] as const)),
    ...(record.deadline < record.askedAt + MAX_EXTENSION_MS ? (["extend"] as const) : []),
    ...(visibility === "shared" && record.approval !== "speaker" ? (["hand_over"] as const) : []),
  ];
}
