import type { HostTx, StoragePort } from "../../kernel/index.ts";
import { canonicalJson } from "../../lib/canonical.ts";
import type { Json } from "../../lib/json.ts";
import { sha256Hex } from "../../lib/sha256.ts";
import type { Tier } from "../../people/facts.ts";
import type { AuditLine, ChainPage } from "../../protocol/audit.ts";
import type { AuditEvent } from "../../protocol/audit-events.ts";
import type { HoldCard } from "../../protocol/cards.ts";
import type { PressRefusal } from "../press/audience.ts";
import type { HoldRecord } from "../record/record.ts";
import { AuditTable } from "./audit-table.ts";
import { countRefusal, isOver, untold } from "./count-refusal.ts";
import { eventsBetween } from "./events-between.ts";
import { type ChainHead, type LineDraft, sealLine } from "./seal-line.ts";

/** Who did something to a hold, with the tier of that moment. */
export interface Doer {
  readonly principalId: string;
  readonly tier: Tier;
}

/** Why a press did not count: by authority, because its card showed something else, or because the hold had ended. */
export type RefusedPress = PressRefusal | "nobody_may" | "other_digest" | "too_late";

/** A call that was refused before there was a card. Plain JSON. */
export type BlockedCall = {
  readonly tool: string;
  readonly rule: string | null;
  readonly digest: string | null;
  readonly minTier: string | null;
  /** Whom its turn runs for. */
  readonly speaker: string;
  /** A code of the gate. */
  readonly reason: string;
};

export type PolicyEvent = Extract<AuditEvent, "rule_saved" | "rule_revoked" | "constraint_set" | "constraint_removed">;

/** Blocked calls are counted in the place of a hold under their turn: no hold has such an id. */
const TURN = "turn:";

export interface HoldAuditParts {
  /** Channel key. */
  readonly conversation: string;
  readonly storage: StoragePort;
  readonly cardOf: (record: HoldRecord) => HoldCard;
  /** Lines were written in this commit: whoever keeps copies is to be told. */
  readonly written: (tx: HostTx) => void;
}

/**
 * The audit of a conversation's holds: an append-only chain of lines, each with the hash of the one before. A line is written
 * in the commit that does what it tells of, so that there is never the one without the other.
 */
export class HoldAudit {
  readonly #parts: HoldAuditParts;
  readonly #table: AuditTable;

  constructor(parts: HoldAuditParts) {
    this.#parts = parts;
    this.#table = new AuditTable(parts.storage);
  }

  /** Inside a commit: tells what happened to a hold between two records. `by`: the person who did it. */
  tell(tx: HostTx, before: HoldRecord | undefined, after: HoldRecord, by?: Doer): void {
    const events = eventsBetween(before, after);
    if (events.length === 0) return;
    this.#tellCounted(tx, (hold) => hold === after.id);
    for (const event of events) this.#append(tx, this.#draft(tx, event, after, by));
  }

  /** Inside a commit: tells of a press that did not count, or counts it when there were many. */
  refuse(tx: HostTx, record: HoldRecord, by: Doer, reason: RefusedPress): void {
    this.#tellCounted(tx, () => false);
    const known = this.#table.counted().find((one) => one.hold === record.id && one.person === by.principalId);
    const { next, told } = countRefusal(known, tx.now);
    if (told) this.#append(tx, { ...this.#draft(tx, "refused", record, by), reason });
    this.#table.putCounted({ ...next, hold: record.id, person: by.principalId });
  }

  /** Inside a commit: tells of a call that was refused without a card, or counts it when a turn had many. */
  block(tx: HostTx, turn: number, call: BlockedCall): void {
    const hold = `${TURN}${turn}`;
    this.#tellCounted(tx, (other) => other.startsWith(TURN) && other !== hold);
    const known = this.#table.counted().find((one) => one.hold === hold && one.person === call.speaker);
    const { next, told } = countRefusal(known, tx.now);
    if (told) this.#append(tx, { ...this.#blank("blocked", tx.now), ...call });
    this.#table.putCounted({ ...next, hold, person: call.speaker });
  }

  /** Inside a commit: tells of a change of policy. `rule`: the constraint, or the hold that a rule was saved with. */
  tellPolicy(tx: HostTx, event: PolicyEvent, { rule, by }: { readonly rule: string; readonly by: Doer | null }): void {
    const isOfHold = event === "rule_saved" || event === "rule_revoked";
    const about = isOfHold ? { hold: rule } : { rule };
    this.#append(tx, { ...this.#blank(event, tx.now), ...about, by: by?.principalId ?? null, tier: by?.tier ?? null });
  }

  /** Inside a commit: ends the chain, since the conversation is to be deleted. Once is enough, and none needs no end. */
  close(tx: HostTx, by: string | null): void {
    const newest = this.#table.newest();
    if (!newest || newest.event === "deleted") return;
    this.#tellCounted(tx, () => true);
    this.#append(tx, { ...this.#blank("deleted", tx.now), by });
  }

  head(): ChainHead | undefined {
    const newest = this.#table.newest();
    return newest && { seq: newest.seq, hash: newest.hash };
  }

  /** Lines after a number, oldest first. */
  linesAfter(seq: number, limit: number): readonly AuditLine[] {
    return this.#table.after(seq, limit);
  }

  page(after: number, limit: number): ChainPage {
    const head = this.head();
    const lines = this.linesAfter(after, limit);
    const last = lines.at(-1);
    const counting = this.#table
      .counted()
      .map((one) => ({ hold: one.hold, by: one.person, count: untold(one) }))
      .filter(({ count }) => count > 0);
    return {
      lines: [...lines],
      ...(head && { head }),
      counting,
      ...(head && last && last.seq < head.seq && { next: last.seq }),
    };
  }

  /** Presses that were only counted get their line once they are over or `also` says so. */
  #tellCounted(tx: HostTx, also: (hold: string) => boolean): void {
    for (const one of this.#table.counted()) {
      if (!isOver(one, tx.now) && !also(one.hold)) continue;
      const count = untold(one);
      const about = one.hold.startsWith(TURN)
        ? { ...this.#blank("blocked", tx.now), speaker: one.person }
        : { ...this.#blank("refused", tx.now), hold: one.hold, by: one.person };
      if (count > 0) this.#append(tx, { ...about, reason: "counted", count });
      this.#table.dropCounted(one);
    }
  }

  #append(tx: HostTx, draft: LineDraft): void {
    this.#table.append(sealLine(this.#table.newest(), draft));
    this.#parts.written(tx);
  }

  #draft(tx: HostTx, event: AuditEvent, record: HoldRecord, by: Doer | undefined): LineDraft {
    const decision = "decision" in record ? record.decision : undefined;
    const isDecision = event === "approved" || event === "declined" || event === "allowed";
    return {
      ...this.#blank(event, tx.now),
      hold: record.id,
      tool: record.tool,
      rule: record.ruleId,
      digest: record.digest,
      shown: hashShown(this.#parts.cardOf(record)),
      minTier: record.minTier,
      deadline: record.deadline,
      speaker: record.speaker?.principalId ?? null,
      by: by?.principalId ?? (isDecision || event === "spent" ? (decision?.by.principalId ?? null) : null),
      tier: by?.tier ?? null,
      reason: reasonOf(event, record),
      note: isDecision && decision?.note !== undefined ? sha256Hex(decision.note) : null,
    };
  }

  #blank(event: AuditEvent, at: number): LineDraft {
    const { conversation } = this.#parts;
    const nothing = { hold: null, tool: null, rule: null, digest: null, shown: null, minTier: null, deadline: null };
    const nobody = { speaker: null, by: null, tier: null, reason: null, note: null, count: null };
    return { conversation, event, at, surface: surfaceOf(conversation), ...nothing, ...nobody };
  }
}

/** A conversation's surface is where its cards are shown and answered. */
function surfaceOf(conversation: string): string {
  return conversation.slice(0, Math.max(0, conversation.indexOf(":")));
}

function reasonOf(event: AuditEvent, record: HoldRecord): string | null {
  if (event !== record.status) return null;
  if ("decision" in record && record.decision?.message !== undefined) return "by_message";
  if (record.status === "changed") return record.changes.join(", ");
  return record.status === "cancelled" || record.status === "unavailable" ? record.reason : null;
}

/** The card as a person saw it: all but where its hold stands. */
function hashShown({ task: _task, status: _status, decision: _decision, withdrawn: _why, ...shown }: HoldCard): string {
  return sha256Hex(canonicalJson(shown as unknown as Json));
}
