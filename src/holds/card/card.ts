import { utf8Bytes } from "../../lib/bytes.ts";
import type { Json } from "../../lib/json.ts";
import type { CardFile, HoldCard } from "../../protocol/cards.ts";
import type { HeldFile } from "../bound/bound-call.ts";
import { cardStatus, type Decision, type HoldRecord } from "../record/record.ts";
import { fitArguments } from "./fit-arguments.ts";
import { showBefore } from "./show-before.ts";
import { showLine, showLines, showTool } from "./show-line.ts";

/** Bytes of all of its arguments as JSON, unless less is asked for. */
const MAX_CARD_ARGUMENT_BYTES = 10 * 1024;
const MIN_CARD_ARGUMENT_BYTES = 1_200;
/** Bytes of what an edit replaced, as JSON. */
const MAX_BEFORE_BYTES = 4 * 1024;
const MIN_BEFORE_BYTES = 2_400;
/** Bytes of the text to copy, as JSON. */
const MAX_COPY_BYTES = 4 * 1024;
/** Bytes of each file's name, and hex digits of its digest. */
const MAX_FILE_NAME_BYTES = 120;
const SHOWN_DIGITS = 16;
const MAX_LINE_BYTES = 1_500;
const MAX_NAME_BYTES = 300;
const MAX_NOTE_BYTES = 1_500;

/** The stored call that a card shows. */
export interface ShownCall {
  readonly tool: string;
  readonly input: Json;
  /** What the model had written, where a person edited it. */
  readonly proposed?: Json;
  readonly copy?: string;
  readonly files?: readonly HeldFile[];
}

/**
 * The card of a hold, from the stored call and the hold alone: pure, and at most 16 KiB. Costly for long
 * arguments (tens of milliseconds): made once, then kept and brought up to date by {@link updateCard}.
 * @param argumentBytes less than usual where many cards share a place; at least 1,200.
 */
export function renderCard(
  record: HoldRecord,
  call: ShownCall,
  { argumentBytes = MAX_CARD_ARGUMENT_BYTES }: { readonly argumentBytes?: number } = {},
): HoldCard {
  const { edit } = record;
  const extras = showExtras(call);
  const room = Math.min(argumentBytes, MAX_CARD_ARGUMENT_BYTES) - utf8Bytes(JSON.stringify(extras));
  // Two sets of arguments share the place of one.
  const args = fitArguments(call.input, Math.max(MIN_CARD_ARGUMENT_BYTES, edit ? room / 2 : room));
  const beforeBytes = Object.keys(extras).length > 0 ? MIN_BEFORE_BYTES : MAX_BEFORE_BYTES;
  const before = edit ? showBefore(call.proposed ?? null, call.input, beforeBytes) : undefined;
  const action = showLine(record.text, MAX_LINE_BYTES);
  const target = record.target === null ? null : showLine(record.target, MAX_LINE_BYTES);
  return {
    hold: record.id,
    task: record.task,
    digest: record.digest,
    tool: showTool(call.tool, MAX_NAME_BYTES),
    action: action.text,
    target: target?.text ?? null,
    args: args.map((one) => one.shown),
    truncated: args.some((one) => one.cut) || action.cut || target?.cut === true,
    ...(edit && before && { edit: { by: showLine(edit.by.name, MAX_NAME_BYTES).text, before } }),
    ...extras,
    askedBy: record.speaker === null ? "" : showLine(record.speaker.name, MAX_NAME_BYTES).text,
    askedAt: record.askedAt,
    minTier: record.minTier,
    ...(record.follows && { again: { changes: record.follows.changes } }),
    ...standingOf(record),
  };
}

/** What stands on the card beside the arguments, and takes its place from theirs. */
function showExtras({ copy, files }: ShownCall): Pick<HoldCard, "copy" | "files"> {
  const shown = copy === undefined ? undefined : showLines(copy, MAX_COPY_BYTES);
  return {
    ...(shown && { copy: { text: shown.text, ...(shown.cut && { cut: true }) } }),
    ...(files && { files: files.map(showFile) }),
  };
}

function showFile({ id, name, bytes, sha256 }: HeldFile): CardFile {
  return { id, name: showLine(name, MAX_FILE_NAME_BYTES).text, bytes, sha256: sha256.slice(0, SHOWN_DIGITS) };
}

/** A card brought to where its hold stands now, without the call. */
export function updateCard(card: HoldCard, record: HoldRecord): HoldCard {
  const { decision: _old, askedOf: _before, ...kept } = card;
  return { ...kept, task: record.task, ...standingOf(record) };
}

/** What may change while a card is shown. */
function standingOf(record: HoldRecord): Pick<HoldCard, "status" | "decision" | "withdrawn" | "deadline" | "askedOf"> {
  const { deadline, askedOf } = record;
  return {
    deadline,
    ...(askedOf && { askedOf: showLine(askedOf.name, MAX_NAME_BYTES).text }),
    ...statusOf(record),
  };
}

function statusOf(record: HoldRecord): Pick<HoldCard, "status" | "decision" | "withdrawn"> {
  const status = cardStatus(record);
  if (record.status === "cancelled" && record.reason === "superseded") return { status, withdrawn: true };
  return "decision" in record && record.decision ? { status, decision: showDecision(record.decision) } : { status };
}

function showDecision({ by, at, note, rule }: Decision): NonNullable<HoldCard["decision"]> {
  return {
    by: showLine(by.name, MAX_NAME_BYTES).text,
    at,
    ...(note !== undefined && { note: showLine(note, MAX_NOTE_BYTES).text }),
    ...(rule !== undefined && { byRule: true }),
  };
}
