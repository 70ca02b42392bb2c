import type { Tool } from "../../kernel/index.ts";
import { canonicalJson } from "../../lib/canonical.ts";
import type { Json } from "../../lib/json.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import { heldCall, shownInput } from "../bound/held-call.ts";
import { HOLD_EDIT, type HoldEditData } from "../bound/hold-edit.ts";
import { findInputFault } from "../bound/input-fault.ts";
import { quoteText } from "../card/escape.ts";
import { canBeAnswered, type Inspection, inspectEdited } from "../gate/inspect-call.ts";
import type { AuditedHost, HoldsHost } from "../holds-host.ts";
import { decideHold } from "../record/decide-hold.ts";
import { type EditRefusal, type EditStep, editHold, type HoldEdit } from "../record/edit-hold.ts";
import { countOpen, type HoldsNamespace, holdNamed, putRecord, settleRecord } from "../record/hold-state.ts";
import { cardExtras, keyOf } from "../record/new-hold.ts";
import { type HoldRecord, isAnswerable } from "../record/record.ts";
import {
  ALWAYS_WITH_INPUT_TEXT,
  DECLINE_WITH_INPUT_TEXT,
  deniedText,
  EDIT_UNAVAILABLE_TEXT,
  editNeedsOthersText,
  noteTooLargeText,
} from "../texts.ts";
import { decidePress } from "./audience.ts";
import {
  answerOf,
  type CardPress,
  commitPress,
  GONE,
  lookAgain,
  lostTo,
  type PressRefused,
  pressCard,
  presserNow,
  refusePress,
  UNKNOWN_HOLD,
} from "./press.ts";

/** A press that brings other arguments than the card shows. */
export interface EditPress extends CardPress {
  readonly input: Json;
}

type Answer = Result<Record<string, never>, PressRefused>;

/**
 * Decides a card with other arguments: they are checked like a call of their own, by schema, deny rules and hold rules. One
 * commit ends the card and approves another that shows what will run; where that asks more than the presser has, the other
 * card stays open. @throws when the directory cannot be read: nothing is decided.
 */
export async function pressEdited(host: AuditedHost, namespace: HoldsNamespace, press: EditPress): Promise<Answer> {
  if (press.decision !== "approve") return err({ code: "bad_request", message: DECLINE_WITH_INPUT_TEXT });
  const seen = holdNamed(host.read().get(namespace), press.hold);
  if (!seen) return err(UNKNOWN_HOLD);
  const refused = await refusePress(host, namespace, seen, press.presser);
  if (refused) return err(refused);
  if (!isAnswerable(seen)) return repeatOf(host, namespace, press) ?? tellLate(host, namespace, press);
  const look = await lookAgain(host, seen);
  const { changes, audience } = look;
  const tool = host.tool(seen.tool);
  if (changes.length > 0 || !tool) return commitPress(host, namespace, press, tool ? changes : ["tool"]);
  const input = readEdit(tool, press.input);
  if (!input.ok) return input;
  const isSame = canonicalJson(heldCall(host, seen)?.input ?? null) === canonicalJson(input.value);
  if (isSame) return pressCard(host, namespace, press);
  if (press.always) return bad(ALWAYS_WITH_INPUT_TEXT);
  const call = { tool, input: input.value };
  const found = await inspectEdited(host, { ...call, actor: seen.speaker?.principalId ?? "" }, seen);
  const { speaker } = found.described.kind === "held" ? found : look;
  const now = await presserNow(host, namespace, { seen, presser: press.presser, look: { audience, speaker } });
  if (!now.ok) return now;
  const again = { ...press, presser: now.value };
  const edit = judgeEdit(host, seen, found, again);
  return edit.ok ? commitEdit(host, namespace, again, edit.value) : edit;
}

/** The edited arguments as the tool's schema reads them. */
function readEdit(tool: Tool, input: Json): Result<Json, PressRefused> {
  const fault = findInputFault(input);
  if (fault !== undefined) return bad(`${fault} Nothing was decided.`);
  const checked = tool.validate(input);
  return checked.ok ? checked : bad(`The arguments do not fit: ${checked.error}. Nothing was decided.`);
}

type JudgedEdit = Pick<HoldEdit, "id" | "description" | "call" | "approval" | "files" | "supersede">;

/** What the rules say of the edited call, and whether its editor may approve it. */
function judgeEdit(
  host: HoldsHost,
  seen: HoldRecord,
  inspection: Inspection,
  { presser, note }: EditPress,
): Result<JudgedEdit, PressRefused> {
  const { described, bound, audience, files } = inspection;
  if (described.kind === "denied") return bad(deniedText(seen.tool, described.reason), "forbidden");
  if (described.kind !== "held" || !bound || !audience) throw new Error("Bug: an edited call is bound to nothing");
  if (files.fault !== undefined) return bad(`${files.fault} Nothing was decided.`);
  if (!canBeAnswered(inspection)) return bad(EDIT_UNAVAILABLE_TEXT, "forbidden");
  const isTheirs = decidePress(audience, presser).kind === "allowed";
  const approval = isTheirs ? { ...(note !== undefined && { note }) } : null;
  const { description } = described;
  const key = description.supersede === null ? {} : { supersede: keyOf(bound, description.supersede) };
  return ok({ id: host.ulid(), description, call: bound, approval, files: files.shown, ...key });
}

/** What was decided on the way to this commit, and the commit itself: the entry, both holds and the wake-up, or nothing. */
function commitEdit(host: AuditedHost, namespace: HoldsNamespace, press: EditPress, edit: JudgedEdit): Answer {
  const { presser, digest } = press;
  const by = { principalId: presser.principalId, name: presser.name };
  let answer: Answer = ok({});
  let late = false;
  try {
    host.commit((tx) => {
      const state = tx.get(namespace);
      const record = holdNamed(state, press.hold);
      if (!record) return;
      if (!host.isHere(presser)) {
        answer = err(GONE);
        return;
      }
      const whole = { ...edit, by, digest, openCount: countOpen(state) };
      late = valueOf(editHold(record, { ...whole, entry: 0 }, tx.now)).second.length === 0;
      if (late) return;
      const entry = tx.write(HOLD_EDIT, {
        data: { ...editData(record, press, edit.id), ...cardExtras(edit.description, edit.files) },
      });
      if (entry === null) throw new EditRefused("This conversation is still being copied. Edit it in a moment.");
      const { first, second } = valueOf(editHold(record, { ...whole, entry }, tx.now));
      putRecord(host, tx, namespace, first.next, presser);
      settleRecord(host, tx, namespace, first.next);
      for (const next of second) putRecord(host, tx, namespace, next, presser);
      tx.wake(record.task);
      if (edit.approval === null) answer = needsOthers(second);
    });
  } catch (error) {
    if (error instanceof EditRefused) return bad(error.message);
    throw error;
  }
  if (!late) return answer;
  return repeatOf(host, namespace, press) ?? tellLate(host, namespace, press);
}

/** The answer to a press that was carried out before: its client did not hear of it. Undefined: this one is another. */
function repeatOf(host: AuditedHost, namespace: HoldsNamespace, press: EditPress): Answer | undefined {
  const state = host.read().get(namespace);
  const seen = holdNamed(state, press.hold);
  if (seen?.status !== "cancelled" || seen.successor === undefined || seen.digest !== press.digest) return undefined;
  const next = holdNamed(state, seen.successor);
  const isSame =
    next?.edit?.by.principalId === press.presser.principalId &&
    canonicalJson(shownInput(host, next) ?? null) === canonicalJson(press.input);
  if (!next || !isSame) return undefined;
  return isAnswerable(next) ? needsOthers([next]) : ok({});
}

/** Tells somebody whose edit came too late, or of a card that shows something else; the audit hears of it. */
function tellLate(host: AuditedHost, namespace: HoldsNamespace, press: EditPress): Answer {
  let answer: Answer = err(UNKNOWN_HOLD);
  host.commit((tx) => {
    const record = holdNamed(tx.get(namespace), press.hold);
    if (!record) return;
    const step = decideHold(record, { kind: "edit", digest: press.digest, successor: "" }, tx.now);
    const lost = lostTo(step);
    if (step.next.status === "expired" && step.next !== record) {
      putRecord(host, tx, namespace, step.next, press.presser);
      tx.wake(record.task);
    }
    if (lost) host.audit.refuse(tx, step.next, press.presser, lost);
    answer = answerOf(step, []);
  });
  return answer;
}

function editData(record: HoldRecord, { presser, input }: EditPress, hold: string): HoldEditData {
  const text = `${quoteText(presser.name)} edited what ${record.tool} is called with.`;
  return { text, from: record.id, hold, entry: record.entry, index: record.index, by: presser.principalId, input };
}

/** Takes the commit back: nothing was decided, and the presser is told why. */
class EditRefused extends Error {
  override readonly name = "EditRefused";
}

function valueOf(edited: Result<EditStep, EditRefusal>): EditStep {
  if (edited.ok) return edited.value;
  const { error } = edited;
  throw new EditRefused(error.code === "note_too_large" ? noteTooLargeText(error.excessBytes) : error.text);
}

function needsOthers(holds: readonly Pick<HoldRecord, "minTier">[]): Answer {
  return err({ code: "changed", message: editNeedsOthersText(holds.at(-1)?.minTier ?? "owner") });
}

function bad(message: string, code: "bad_request" | "forbidden" = "bad_request"): Result<never, PressRefused> {
  return err({ code, message });
}
