import { cutText } from "../../lib/cut.ts";
import type { Json } from "../../lib/json.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import { sha256Hex } from "../../lib/sha256.ts";
import type { ReceiptStatus } from "../../protocol/frames.ts";
import type { UserPart } from "../../protocol/message.ts";
import type { Voice } from "../../protocol/room.ts";
import type { Tx } from "../commit/tx.ts";
import type { RewindRefusal } from "../history/rewind.ts";
import { MAX_INBOX } from "../limits.ts";
import type { RegistrySnapshot } from "../registry/registry.ts";
import { importOf } from "../state/importing.ts";
import type { InputRecord } from "../storage/inputs.ts";
import { letParkedCallsGo } from "./detach.ts";
import { beginNextTurn, beginTurn, isSystemInput, placeInput, placeUnanswered } from "./place.ts";

/** Something to admit. */
export interface Submission {
  /** Request key: a repeat with the same content returns the first receipt. */
  readonly key: string;
  /** Opaque speaker. */
  readonly actor: string;
  /** Opaque facts about the speaker, stored with the input. */
  readonly meta: Json;
  readonly content: readonly UserPart[];
  /** Where several people speak: who says it, for people and for models. Stored with the words, and no part of them. */
  readonly voice?: Voice;
  /** Absent: `steer` for the running turn's own speaker, else `queue`. `alone`: a turn of its own, which nothing joins. */
  readonly mode?: "queue" | "steer" | "alone";
  /** Goes back to this entry first (0: to the start), in the same commit. */
  readonly rewindTo?: number;
}

export interface AdmissionReceipt {
  readonly input: string;
  readonly status: ReceiptStatus;
}

/** `conflict`: the key stands for something else. `inbox_full`: too many wait. */
export type AdmissionRefusal = "conflict" | "inbox_full" | RewindRefusal;

const PREVIEW_UNITS = 200;

/** Admits an input inside a commit: placed with its turn begun, or queued. Refusals write nothing. */
export function admitInput(
  tx: Tx,
  submission: Submission,
  registry: RegistrySnapshot,
): Result<AdmissionReceipt, AdmissionRefusal> {
  const { key, actor, meta, content } = submission;
  const { mode = null, rewindTo: to } = submission;
  const said = to === undefined ? [actor, content, mode] : [actor, content, mode, to];
  const fingerprint = sha256Hex(JSON.stringify(said));
  const known = tx.input(key);
  if (known) return known.fingerprint === fingerprint ? ok(receiptOf(known)) : err("conflict");
  const input = { key, fingerprint, actor, meta, at: tx.now };
  if (tx.control.restored !== undefined) {
    placeUnanswered(tx, input, submission);
    return ok({ input: key, status: "unanswered" });
  }
  if (!tx.control.turn && tx.control.inbox.length === 0 && !importOf(tx.control)) {
    placeInput(tx, input, submission);
    beginTurn(tx, { actor, meta }, [key], mode === "alone");
    return ok({ input: key, status: "placed" });
  }
  // A system input is the result of something already promised (and bounded there): it is never refused.
  if (tx.control.inbox.length >= MAX_INBOX && !isSystemInput(key)) return err("inbox_full");
  enqueue(tx, input, submission);
  if (!tx.control.turn) beginNextTurn(tx);
  else letParkedCallsGo(tx, registry);
  const placed = !tx.control.inbox.some((item) => item.key === key);
  return ok({ input: key, status: placed ? "placed" : "queued" });
}

function enqueue(tx: Tx, input: Omit<InputRecord, "state">, { content, mode, voice }: Submission): void {
  const { key, actor, at } = input;
  const { turn } = tx.control;
  const isOwn = turn?.actor === actor && turn.alone !== true;
  const text = content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  tx.putInput({ ...input, state: { status: "queued", content, ...(voice && { voice }) } });
  tx.control.inbox = [
    ...tx.control.inbox,
    {
      key,
      actor,
      ...(voice && { name: voice.name }),
      mode: mode === "alone" ? mode : isOwn ? (mode ?? "steer") : "queue",
      preview: cutText(text, PREVIEW_UNITS),
      files: content.filter((part) => part.type === "file").length,
      at,
    },
  ];
  tx.emit({ type: "input.queued", input: key });
}

function receiptOf(input: InputRecord): AdmissionReceipt {
  return { input: input.key, status: input.state.status };
}
