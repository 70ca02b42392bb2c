import type { HostTx, OutboxRow, Registry } from "../kernel/index.ts";
import type { Json } from "../lib/json.ts";
import type { Result } from "../lib/result.ts";
import type { CardChoices, HoldCard } from "../protocol/cards.ts";
import { HoldAudit } from "./audit/hold-audit.ts";
import { heldCall, proposedInput, shownExtras, shownInput } from "./bound/held-call.ts";
import { type Heard, type HeardMessage, hearMessage } from "./by-message/hear-message.ts";
import { listText } from "./by-message/list-text.ts";
import { callsToList, noteListed } from "./by-message/listed-calls.ts";
import { argumentText } from "./card/argument-text.ts";
import { renderCard, updateCard } from "./card/card.ts";
import { type OpenCard, openCardsOf } from "./card/open-cards.ts";
import { gateHooks } from "./gate/gate-hooks.ts";
import type { AuditedHost, HoldsHost, KnownPerson } from "./holds-host.ts";
import { POLICY } from "./policy/policy-state.ts";
import { askAgain } from "./press/ask-again.ts";
import { cardChoices } from "./press/card-choices.ts";
import { type CardChange, changeCard } from "./press/change-card.ts";
import { type CardPress, type PressRefused, pressCard } from "./press/press.ts";
import { pressEdited } from "./press/press-edited.ts";
import { type CardOutcome, type ManyPresses, pressMany } from "./press/press-many.ts";
import { deliverWithdrawal } from "./press/withdraw.ts";
import { type HoldsNamespace, holdNamed, holdsNamespace } from "./record/hold-state.ts";
import type { HoldRecord } from "./record/record.ts";
import { KEYED_HOLDS } from "./record/supersede.ts";
import { lostText } from "./texts.ts";

/** Cards kept rendered at once; more than may be open. */
const MAX_RENDERED = 64;

type HoldAnswer = Result<Record<string, never>, PressRefused>;

/** The holds of one conversation, as its object uses them. */
export interface Holds {
  readonly audit: HoldAudit;
  /** Cards that may still be answered, for lists across conversations. */
  open(): readonly OpenCard[];
  /** With `input`: the call runs with these arguments instead. */
  press(press: CardPress & { readonly input?: Json }): Promise<Result<Record<string, never>, PressRefused>>;
  /** Decides each card of a list. @param unavailable what a card is answered when the directory cannot be read. */
  pressMany(presses: ManyPresses, unavailable: (error: unknown) => PressRefused): Promise<readonly CardOutcome[]>;
  /** Makes the call of a card that expired or changed anew. */
  askAgain(ask: { readonly hold: string; readonly presser: KnownPerson }): Promise<HoldAnswer>;
  /** Extends a card or hands it over. */
  change(change: {
    readonly hold: string;
    readonly change: CardChange;
    readonly presser: KnownPerson;
  }): Promise<HoldAnswer>;
  /** What somebody may do with the cards, as their press would be judged. @throws when the directory cannot be read. */
  choices(presser: KnownPerson): Promise<readonly CardChoices[]>;
  /** Carries out an outbox row by which a plugin withdraws calls. */
  deliver(row: Pick<OutboxRow, "payload">): void;
  /** Where no card can be shown: calls to list below the next message, in the commit that promises it. */
  toList(tx: HostTx): readonly string[];
  /** That list as people read it; empty when there is nothing on it any more. */
  listText(holds: readonly string[]): string;
  /** What became of a hold, or that it waits, as people read it. Undefined: it is not remembered. */
  endText(hold: string): string | undefined;
  /** The network showed it, under this key and at this time of its own. */
  listed(tx: HostTx, list: { readonly holds: readonly string[]; readonly reply: string; readonly at: number }): void;
  /**
   * What a message says about listed calls, to be done in the commit that admits it. Undefined: nothing.
   * @throws when the directory cannot be read.
   */
  hear(message: HeardMessage, signal: AbortSignal): Promise<Heard | undefined>;
  /** One argument of a card, whole up to 256 KiB. */
  argument(hold: string, name: string): string | undefined;
}

/** Registers the gate as the last handler and gives the way to decide. Call it after every other registration of hooks. */
export function installHolds(registry: Registry, host: HoldsHost): Holds {
  const cardOf = cardRenderer(host);
  const namespace: HoldsNamespace = holdsNamespace(cardOf);
  const { conversation, storage } = host;
  const audit = new HoldAudit({ conversation, storage, cardOf, written: (tx) => host.changed(tx) });
  const audited: AuditedHost = { ...host, audit };
  registry.namespace(namespace);
  registry.namespace(POLICY);
  registry.namespace(KEYED_HOLDS);
  registry.lastHooks(namespace, gateHooks(audited, namespace));
  return {
    audit,
    open: () => openCardsOf(host.read().get(namespace)),
    press: ({ input, ...press }) =>
      input === undefined ? pressCard(audited, namespace, press) : pressEdited(audited, namespace, { ...press, input }),
    pressMany: (presses, unavailable) => pressMany(audited, namespace, presses, unavailable),
    askAgain: (ask) => askAgain(audited, namespace, ask),
    change: (change) => changeCard(audited, namespace, change),
    choices: (presser) => cardChoices(audited, namespace, presser),
    deliver: (row) => deliverWithdrawal(audited, namespace, row),
    toList: (tx) => callsToList(tx.get(namespace)).map(({ id }) => id),
    listText(holds) {
      const state = host.read().get(namespace);
      return listText(holds.flatMap((hold) => holdNamed(state, hold) ?? []).map(cardOf));
    },
    endText(hold) {
      const record = holdNamed(host.read().get(namespace), hold);
      return record && lostText(record);
    },
    listed: (tx, list) => noteListed(audited, tx, namespace, list),
    hear: async (message, signal) =>
      host.listing && hearMessage({ host: audited, namespace, listing: host.listing, cardOf }, message, signal),
    argument(hold, name) {
      const record = holdNamed(host.read().get(namespace), hold);
      const call = record && heldCall(host, record);
      return call && argumentText(call, name);
    },
  };
}

/** Cards by hold: the costly part is rendered once, only where a hold stands changes later. */
function cardRenderer(host: HoldsHost): (record: HoldRecord) => HoldCard {
  const rendered = new Map<string, HoldCard>();
  return (record) => {
    const known = rendered.get(record.id);
    if (known) return updateCard(known, record);
    const call = heldCall(host, record);
    const input = call?.input ?? shownInput(host, record) ?? null;
    const proposed = record.edit && proposedInput(host, record);
    const extras = shownExtras(host, record);
    const card = renderCard(record, {
      tool: record.tool,
      input,
      ...extras,
      ...(proposed !== undefined && { proposed }),
    });
    if (rendered.size >= MAX_RENDERED) rendered.clear();
    rendered.set(record.id, card);
    return card;
  };
}
