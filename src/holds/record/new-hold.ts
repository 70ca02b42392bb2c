import { CallRefused, type HostTx, type PendingCall } from "../../kernel/index.ts";
import { must } from "../../lib/assert.ts";
import { canonicalJson } from "../../lib/canonical.ts";
import type { BoundCall, HeldFile } from "../bound/bound-call.ts";
import { readStoredInput } from "../bound/held-call.ts";
import { type CardExtras, SHOWN_CALL, type ShownCallData } from "../card/shown-call.ts";
import type { Inspection } from "../gate/inspect-call.ts";
import type { AuditedHost, HoldsHost } from "../holds-host.ts";
import { FOLLOWS } from "../press/ask-again.ts";
import type { HeldDescription } from "../rule/description.ts";
import { duplicateText } from "../texts.ts";
import { countOpen, type HoldsNamespace, type HoldsState } from "./hold-state.ts";
import { openHold } from "./open-hold.ts";
import { type HoldBase, isAnswerable, type OpenHold } from "./record.ts";
import { KEYED_HOLDS, supersede, supersedeKey } from "./supersede.ts";

/** How a hold is made. `waits`: somebody is to decide it; else it is decided as it is made, and counts as none that waits. */
interface NewHold {
  readonly id: string;
  readonly description: HeldDescription;
  /** The time that its deadline counts from. */
  readonly now: number;
  readonly waits: boolean;
  /** No card can show it. */
  readonly unshown?: boolean;
}

/**
 * Inside a commit: the hold of a call that has none, with what it withdraws and what its card shows beside the stored call.
 * Not yet put.
 * @throws CallRefused when there can be none.
 */
export function newHold(
  { host, namespace, tx }: { readonly host: AuditedHost; readonly namespace: HoldsNamespace; readonly tx: HostTx },
  call: PendingCall,
  { bound, speaker, files }: Inspection,
  { id, description, now, waits, unshown = false }: NewHold,
): OpenHold {
  const shown = must(bound, "a held call is bound to something");
  const { task, entry, index } = call;
  const place = description.supersede === null ? undefined : takePlace(tx, keyOf(shown, description.supersede));
  if (place) supersede(host, tx, namespace, { key: place.key, until: place.seq });
  const follows = tx.recall(namespace, task, FOLLOWS) as HoldBase["follows"];
  const extras = writeShown(host, tx, call, { id, extras: cardExtras(description, files.shown) });
  const opened = openHold({
    ...{ id, task, entry, index, description, call: shown, now },
    speaker: speaker ? { principalId: speaker.principalId, name: speaker.name } : null,
    openCount: waits ? countOpen(tx.get(namespace)) : 0,
    ...(follows && { follows }),
    ...(unshown && { unshown: true as const }),
    ...(extras !== undefined && { shown: extras }),
    ...(place && { supersede: place }),
  });
  if (!opened.ok) throw new CallRefused(opened.error.code, opened.error.text);
  return opened.value;
}

export function keyOf({ provider, tool }: BoundCall, key: string): string {
  return supersedeKey(provider, tool, key);
}

function takePlace(tx: HostTx, key: string): NonNullable<HoldBase["supersede"]> {
  const seq = tx.get(KEYED_HOLDS).count + 1;
  tx.set(KEYED_HOLDS, { count: seq });
  return { key, seq };
}

/** What a description gives a card beside action and target. */
export function cardExtras({ copy }: Pick<HeldDescription, "copy">, files: readonly HeldFile[]): CardExtras {
  return { ...(copy !== null && { copy }), ...(files.length > 0 && { files }) };
}

/** The very same call waits already: in this turn, or let go by it. @throws CallRefused saying so. */
export function refuseDuplicate(
  host: Pick<HoldsHost, "turn">,
  { records }: HoldsState,
  { detached, tool }: PendingCall,
  digest: string,
): void {
  if (detached) return;
  const turn = host.turn();
  const first = Object.values(records).find(
    (record) => record.digest === digest && isAnswerable(record) && record.origin > turn,
  );
  if (first) throw new CallRefused("duplicate", duplicateText(tool.name));
}

/** The entry that holds what a card shows and the stored call does not say; undefined where there is nothing of that. */
function writeShown(
  host: AuditedHost,
  tx: HostTx,
  { entry, index, tool, input }: PendingCall,
  { id, extras }: { readonly id: string; readonly extras: CardExtras },
): number | undefined {
  const stored = readStoredInput(tool, host.entry(entry), index);
  const isChanged = stored === undefined || canonicalJson(stored) !== canonicalJson(input);
  if (!isChanged && Object.keys(extras).length === 0) return undefined;
  const data: ShownCallData = { hold: id, entry, index, ...(isChanged && { input }), ...extras };
  const written = tx.write(SHOWN_CALL, { data });
  if (written !== null) return written;
  throw new CallRefused("busy", "This conversation is still being copied. It did not run. Call it again in a moment.");
}
