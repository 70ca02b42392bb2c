import { coreNotice, type HostTx } from "../../kernel/index.ts";
import { ok } from "../../lib/result.ts";
import type { HoldCard } from "../../protocol/cards.ts";
import { escapeName, quoteText } from "../card/escape.ts";
import type { AuditedHost, CallListing, KnownPerson } from "../holds-host.ts";
import { lookAgain, pressWithin, refusalOf } from "../press/press.ts";
import { decideHold } from "../record/decide-hold.ts";
import { type HoldsNamespace, holdNamed, putRecord } from "../record/hold-state.ts";
import { type Change, type HoldRecord, isAnswerable } from "../record/record.ts";
import { type ListedHold, listedBefore } from "./listed-calls.ts";
import {
  type JudgedCall,
  MAX_ANSWER_UNITS,
  type MessageVerdict,
  messageQuestion,
  readVerdict,
} from "./message-verdict.ts";

/** A message that may answer calls that are listed. */
export interface HeardMessage {
  /** Its request key. */
  readonly key: string;
  readonly text: string;
  /** By the network's clock. */
  readonly sentAt: number;
  /** Who wrote it, as the directory knows them at this moment. */
  readonly by: KnownPerson;
}

/** What the commit that admits the message has to do besides. */
export type Heard = (tx: HostTx) => void;

/** What a message is heard with. */
export interface Hearing {
  readonly host: AuditedHost;
  readonly namespace: HoldsNamespace;
  readonly listing: CallListing;
  readonly cardOf: (record: HoldRecord) => HoldCard;
}

/**
 * Finds out what a message says about calls that are listed and that its writer could confirm: it decides one of them,
 * leaves them as they are, or takes them off the list. Undefined: there are none of the kind, and nothing is asked.
 * @throws when the directory cannot be read: nothing is decided.
 */
export async function hearMessage(
  hearing: Hearing,
  message: HeardMessage,
  signal: AbortSignal,
): Promise<Heard | undefined> {
  const { host, namespace, cardOf } = hearing;
  const records: ListedHold[] = [];
  for (const record of listedBefore(host.read().get(namespace), message.sentAt)) {
    if (!(await refusalOf(host, record, message.by))) records.push(record);
  }
  if (records.length === 0) return undefined;
  const calls = records.map((record) => ({ number: record.unshown.listed.number, card: cardOf(record) }));
  const verdict = await judge(hearing, message, calls, signal);
  switch (verdict.kind) {
    case "approve":
    case "decline": {
      const { kind, number } = verdict;
      const record = records.find(({ unshown }) => unshown.listed.number === number);
      if (!record) throw new Error(`Bug: call ${number} was judged and is not listed`);
      const changes = kind === "approve" ? (await lookAgain(host, record)).changes : [];
      const by = await writerNow(host, record, message);
      return by && ((tx) => decide(hearing, tx, { message: { ...message, by }, record, kind, changes }));
    }
    case "other": {
      const still = await Promise.all(records.map((record) => writerNow(host, record, message)));
      const theirs = records.filter((_record, index) => still[index]);
      return (tx) => passOver(hearing, tx, theirs, message.by);
    }
    case "unclear":
      return (tx) => void tx.write(coreNotice, { text: unclearText(records.length) });
  }
}

/** The writer once more, when they may still answer this call: judging took its time. */
async function writerNow(
  host: AuditedHost,
  record: ListedHold,
  { by }: HeardMessage,
): Promise<KnownPerson | undefined> {
  const now = await host.person(by.principalId);
  return now && !(await refusalOf(host, record, now)) ? now : undefined;
}

async function judge(
  { host, listing }: Hearing,
  { text }: HeardMessage,
  calls: readonly JudgedCall[],
  signal: AbortSignal,
): Promise<MessageVerdict> {
  if (text.length > MAX_ANSWER_UNITS) return { kind: "unclear" };
  const judged = await listing.judge(messageQuestion(text, calls), signal);
  if (!judged.ok) host.report("message.unjudged", { error: judged.error });
  return readVerdict(judged, calls, listing.minConfidence);
}

function decide(
  { host, namespace }: Hearing,
  tx: HostTx,
  {
    message,
    record,
    kind,
    changes,
  }: {
    readonly message: HeardMessage;
    readonly record: ListedHold;
    readonly kind: "approve" | "decline";
    readonly changes: readonly Change[];
  },
): void {
  const { id, digest, tool } = record;
  const press = { hold: id, digest, decision: kind, presser: message.by, message: message.key };
  const answer = pressWithin({ host, namespace, tx }, press, changes, () => ok(undefined));
  const text = answer.ok ? decidedText(kind, tool, message.by) : `[System] ${answer.error.message}`;
  tx.write(coreNotice, { text });
}

/** The writer spoke of something else: what they could have confirmed is not to be confirmed by a later yes. */
function passOver({ host, namespace }: Hearing, tx: HostTx, records: readonly ListedHold[], by: KnownPerson): void {
  for (const { id } of records) {
    const record = holdNamed(tx.get(namespace), id);
    if (!record || !isAnswerable(record)) continue;
    const { next } = decideHold(record, { kind: "pass_over" }, tx.now);
    putRecord(host, tx, namespace, next, by);
    tx.wake(record.task);
  }
}

function decidedText(kind: "approve" | "decline", tool: string, by: KnownPerson): string {
  const what = `The message that follows, of ${quoteText(by.name)},`;
  return kind === "approve"
    ? `[System] ${what} approves the listed call of ${escapeName(tool)}. It runs by itself now, and you are told its result. Do not call it again.`
    : `[System] ${what} declines the listed call of ${escapeName(tool)}. It will not run. Do not retry it or a variant of it.`;
}

function unclearText(count: number): string {
  return count === 1
    ? "[System] The message that follows was not understood as a yes or no to the call that is listed. Nothing was decided, and it still waits. Where it was meant as an answer, ask for a plain yes or no."
    : `[System] The message that follows was not understood as a yes or no to one of the ${count} calls that are listed. Nothing was decided, and they still wait. Where it was meant as an answer, ask for a yes or no with the number of one call.`;
}
